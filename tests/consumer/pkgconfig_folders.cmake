# What pkg-config says of each mix of relative and absolute folders. Called by ctest
# with -D WORK_DIR.
set(CMAKE_INSTALL_PREFIX /usr)
set(library linebloom)
function(expect libdir includedir file wanted)
  set(CMAKE_INSTALL_LIBDIR ${libdir})
  set(CMAKE_INSTALL_INCLUDEDIR ${includedir})
  include(${CMAKE_CURRENT_LIST_DIR}/../../filter_policy/pkgconfig_folders.cmake)
  file(REMOVE_RECURSE ${WORK_DIR})
  configure_file(${CMAKE_CURRENT_LIST_DIR}/../../filter_policy/linebloom.pc.in
                 ${WORK_DIR}/${file} @ONLY)
  foreach(folder libdir includedir)
    execute_process(COMMAND pkg-config --variable=${folder} ${WORK_DIR}/${file}
                    OUTPUT_VARIABLE said OUTPUT_STRIP_TRAILING_WHITESPACE
                    COMMAND_ERROR_IS_FATAL ANY)
    cmake_path(NORMAL_PATH said)
    list(POP_FRONT wanted path)
    if(NOT said STREQUAL path)
      message(FATAL_ERROR "${libdir}, ${includedir}: ${folder} is ${said}, not ${path}")
    endif()
  endforeach()
endfunction()
set(in lib/x/pkgconfig/linebloom.pc)
expect(lib/x include ${in} "${WORK_DIR}/lib/x;${WORK_DIR}/include")
expect(lib/x /dev/include ${in} "${WORK_DIR}/lib/x;/dev/include")
expect(/out/lib include linebloom.pc "/out/lib;/usr/include")
expect(/out/lib /dev/include linebloom.pc "/out/lib;/dev/include")
