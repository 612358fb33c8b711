# Debian packages of the components that `cmake --install` knows (packaging/
# build_deb.sh builds them). A package depends on the RocksDB that it was built
# with: RocksDB's packages are named by its minor version, which is what
# linebloom requires.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME linebloom)
set(CPACK_PACKAGE_VENDOR linebloom)
set(CPACK_PACKAGE_CONTACT "The authors of linebloom <linebloom@localhost>")
# 0.3.0-1~debian12+rocksdb7.8.3: the same sources make other packages elsewhere. A
# later Debian's is newer, so apt upgrades with it, and a package of Debian's own,
# 0.3.0-1, would be newer than all.
cmake_host_system_information(RESULT system QUERY DISTRIB_INFO)
if(NOT system_VERSION_ID)  # sid has none
  set(system_VERSION_ID ${system_VERSION_CODENAME})
endif()
set(release 1~${system_ID}${system_VERSION_ID}+rocksdb${RocksDB_VERSION})
set(version ${PROJECT_VERSION}-${release})
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_DEBIAN_PACKAGE_RELEASE ${release})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "RocksDB filter policy with solved lines of 64 bytes")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL library development tools)
set(CPACK_COMPONENTS_GROUPING IGNORE)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

set(library liblinebloom${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME ${library})
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION
"Filters of solved 64-byte lines for RocksDB's SSTables: at 10 bits per key,
less than a seventh as many missing keys get through to the disk as with
RocksDB's Bloom filter. These are the libraries that programs run with, or
load by LD_PRELOAD.")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME liblinebloom-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
  "${library} (= ${version}), librocksdb-dev")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION
"These are the headers, the archive, and what CMake's find_package(linebloom)
and pkg-config look for.")

set(CPACK_DEBIAN_TOOLS_PACKAGE_NAME linebloom-tools)
set(CPACK_DEBIAN_TOOLS_PACKAGE_SECTION database)
set(CPACK_COMPONENT_TOOLS_DESCRIPTION
"This is the program linebloom: it shows and checks the filters of SSTables,
linebloom's and RocksDB's own, gives old files new ones, works out sizes and
rates, predicts reads from a database's files, and compares them on your disk.")

# Debian's form of a changelog, of the day of CHANGELOG.md's newest entry.
file(STRINGS CHANGELOG.md newest REGEX "^## " LIMIT_COUNT 1)
string(REGEX MATCH "[0-9-]+$" newest "${newest}")
execute_process(COMMAND date --utc --rfc-email --date=${newest}
  OUTPUT_VARIABLE newest OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
set(changelog ${PROJECT_BINARY_DIR}/changelog)
file(WRITE ${changelog} "linebloom (${version}) unstable; urgency=medium

  * CHANGELOG.md of the sources says what is new.

 -- ${CPACK_PACKAGE_CONTACT}  ${newest}
")
execute_process(COMMAND gzip --best --no-name --force ${changelog} COMMAND_ERROR_IS_FATAL ANY)

foreach(component library development tools)
  string(TOUPPER ${component} upper)
  install(FILES ${CMAKE_CURRENT_LIST_DIR}/copyright ${changelog}.gz
          DESTINATION share/doc/${CPACK_DEBIAN_${upper}_PACKAGE_NAME} COMPONENT ${component})
endforeach()

# --help as a man page, and the flags for bash's completion: `cmake --build BUILD
# --target man_pages`. Rejected: help2man, which runs the examples and the flags'
# ranges together.
set(completion ${PROJECT_BINARY_DIR}/completions/linebloom)
set(page ${PROJECT_BINARY_DIR}/man/linebloom.1)
add_custom_command(OUTPUT ${page}.gz ${completion}
  COMMAND ${CMAKE_CURRENT_LIST_DIR}/man_pages.sh $<TARGET_FILE:linebloom_program> ${page} ${completion}
  DEPENDS linebloom_program ${CMAKE_CURRENT_LIST_DIR}/man_pages.sh)
add_custom_target(man_pages DEPENDS ${page}.gz ${completion})
install(FILES ${page}.gz DESTINATION share/man/man1 COMPONENT tools OPTIONAL)
install(FILES ${completion} DESTINATION share/bash-completion/completions
        COMPONENT tools OPTIONAL)

include(CPack)
