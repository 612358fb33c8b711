# The folders in the pkg-config files. They are relative to the file, so that the
# installed tree can be moved, but for those that are absolute.
set(pkgconfig_prefix ${CMAKE_INSTALL_PREFIX})
if(NOT IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
  file(RELATIVE_PATH pkgconfig_prefix /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
  set(pkgconfig_prefix "\${pcfiledir}/${pkgconfig_prefix}")
endif()
set(pkgconfig_includedir "\${prefix}")
cmake_path(APPEND pkgconfig_includedir "${CMAKE_INSTALL_INCLUDEDIR}")
set(pkgconfig_libdir "\${prefix}")
cmake_path(APPEND pkgconfig_libdir "${CMAKE_INSTALL_LIBDIR}")
