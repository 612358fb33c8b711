# Debian packages of the components that `cmake --install` knows (packaging/
# build_deb.sh builds them). A package depends on the RocksDB that it was built
# with: RocksDB's packages are named by its minor version, which is what
# linebloom requires.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME linebloom)
set(CPACK_PACKAGE_VENDOR linebloom)
set(CPACK_PACKAGE_CONTACT "The authors of linebloom <linebloom@localhost>")
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
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
  "${library} (= ${PROJECT_VERSION}), librocksdb-dev")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION
"These are the headers, the archive, and what CMake's find_package(linebloom)
and pkg-config look for.")

set(CPACK_DEBIAN_TOOLS_PACKAGE_NAME linebloom-tools)
set(CPACK_DEBIAN_TOOLS_PACKAGE_SECTION database)
set(CPACK_COMPONENT_TOOLS_DESCRIPTION
"These are the programs: filter_dump shows and checks the filters of SSTables,
linebloom's and RocksDB's own, filter_migrate gives old files new filters,
filter_size works out sizes and rates, and io_compare compares disk reads with
your own keys.")

# Debian's form of a changelog, of the day of CHANGELOG.md's newest entry.
file(STRINGS CHANGELOG.md newest REGEX "^## " LIMIT_COUNT 1)
string(REGEX MATCH "[0-9-]+$" newest "${newest}")
execute_process(COMMAND date --utc --rfc-email --date=${newest}
  OUTPUT_VARIABLE newest OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
set(changelog ${PROJECT_BINARY_DIR}/changelog)
file(WRITE ${changelog} "linebloom (${PROJECT_VERSION}) unstable; urgency=medium

  * CHANGELOG.md of the sources says what is new.

 -- ${CPACK_PACKAGE_CONTACT}  ${newest}
")
execute_process(COMMAND gzip --best --no-name --force ${changelog} COMMAND_ERROR_IS_FATAL ANY)

foreach(component library development tools)
  string(TOUPPER ${component} upper)
  install(FILES ${CMAKE_CURRENT_LIST_DIR}/copyright ${changelog}.gz
          DESTINATION share/doc/${CPACK_DEBIAN_${upper}_PACKAGE_NAME} COMPONENT ${component})
endforeach()

# The tools' --help as man pages, and their flags for bash's completion:
# `cmake --build BUILD --target man_pages`. Rejected: help2man, which runs the
# examples and the flags' ranges together.
add_custom_target(man_pages)
foreach(tool filter_dump filter_migrate filter_size io_compare)
  set(page ${PROJECT_BINARY_DIR}/man/${tool}.1.gz)
  set(completion ${PROJECT_BINARY_DIR}/completions/${tool})
  add_custom_command(OUTPUT ${page} ${completion}
    COMMAND ${CMAKE_CURRENT_LIST_DIR}/man_page.sh $<TARGET_FILE:${tool}> ${page} ${completion}
    DEPENDS ${tool} ${CMAKE_CURRENT_LIST_DIR}/man_page.sh)
  add_custom_target(${tool}_man DEPENDS ${page})
  add_dependencies(man_pages ${tool}_man)
  install(FILES ${page} DESTINATION share/man/man1 COMPONENT tools OPTIONAL)
  install(FILES ${completion} DESTINATION share/bash-completion/completions
          COMPONENT tools OPTIONAL)
endforeach()

include(CPack)
