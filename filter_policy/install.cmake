# The files that `cmake --install` installs, in three components: `library`, the shared
# libraries that programs run with; `development`, the headers, the archive, and
# what lets CMake (find_package(linebloom)) and pkg-config find all that; and
# `tools`, the programs (tools/CMakeLists.txt).
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(linebloom_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/linebloom)

# Below 1.0 a new minor version may change the interface, so that is what a
# linked program and find_package() ask for.
if(TARGET linebloom)
  set_target_properties(linebloom PROPERTIES
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  install(TARGETS linebloom EXPORT linebloomTargets
          LIBRARY COMPONENT library NAMELINK_COMPONENT development
          INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(TARGETS linebloom_override
          LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library)
endif()
install(TARGETS linebloom_static EXPORT linebloomTargets
        ARCHIVE COMPONENT development
        INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}/include/linebloom
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
install(EXPORT linebloomTargets NAMESPACE linebloom::
        DESTINATION ${linebloom_package_dir} COMPONENT development)

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/linebloomConfig.cmake.in
  ${CMAKE_CURRENT_BINARY_DIR}/linebloomConfig.cmake
  INSTALL_DESTINATION ${linebloom_package_dir})
write_basic_package_version_file(
  ${CMAKE_CURRENT_BINARY_DIR}/linebloomConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/linebloomConfig.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/linebloomConfigVersion.cmake
        DESTINATION ${linebloom_package_dir} COMPONENT development)

include(${CMAKE_CURRENT_LIST_DIR}/pkgconfig_folders.cmake)
function(linebloom_pkgconfig library requires description libs libs_private)
  configure_file(${CMAKE_CURRENT_FUNCTION_LIST_DIR}/linebloom.pc.in ${library}.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${library}.pc
          DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
endfunction()
# One word, in which nothing can be moved: CMake's PkgConfig targets
# put libraries and other flags apart. And -l, from which CMake takes the path.
linebloom_pkgconfig(linebloom rocksdb "${PROJECT_DESCRIPTION}"
  "-llinebloom -Wl,--push-state,--no-as-needed,-L\${libdir},-llinebloom,--pop-state"
  "-Wl,--undefined=linebloom_register_on_load")  # in the archive
if(LINEBLOOM_DEVELOPER OR LINEBLOOM_REBUILD)
  linebloom_pkgconfig(linebloom_rebuild linebloom
    "New filters for the old files of a RocksDB database" "-llinebloom_rebuild" "")
endif()
