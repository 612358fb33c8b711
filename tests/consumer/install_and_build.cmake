# Installs linebloom into its own folder, builds the consumer with that and runs
# it and the installed tools. Called by ctest with -D BUILD_DIR and WORK_DIR.
load_cache(${BUILD_DIR} READ_WITH_PREFIX ""
  CMAKE_BUILD_TYPE CMAKE_CXX_COMPILER CMAKE_CXX_FLAGS CMAKE_PROJECT_VERSION)
set(prefix ${WORK_DIR}/prefix)
set(build ${WORK_DIR}/build)

function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE ${WORK_DIR})  # leftovers of an earlier run must not help
foreach(component library development)
  run(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${prefix} --component ${component})
endforeach()
run(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR} -B ${build} -G Ninja
    -DCMAKE_PREFIX_PATH=${prefix}
    -DVERSION=${CMAKE_PROJECT_VERSION}
    -DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER}
    -DCMAKE_CXX_FLAGS=${CMAKE_CXX_FLAGS}
    -DCMAKE_BUILD_TYPE=${CMAKE_BUILD_TYPE})
run(${CMAKE_COMMAND} --build ${build})
run(${CMAKE_CTEST_COMMAND} --test-dir ${build} --output-on-failure)

run(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${prefix} --component tools)
execute_process(COMMAND ${prefix}/bin/linebloom --version
                OUTPUT_VARIABLE printed COMMAND_ERROR_IS_FATAL ANY)
if(NOT printed MATCHES "^linebloom ${CMAKE_PROJECT_VERSION}, RocksDB [0-9.]+\n$")
  message(FATAL_ERROR "linebloom --version printed '${printed}'")
endif()
run(${prefix}/bin/linebloom dump ${build}/app.db)

# Installing without components installs the same files as all components.
run(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${WORK_DIR}/all)
foreach(folder prefix all)
  file(GLOB_RECURSE ${folder}_files RELATIVE ${WORK_DIR}/${folder} ${WORK_DIR}/${folder}/*)
endforeach()
if(NOT prefix_files STREQUAL all_files)
  message(FATAL_ERROR "the components hold ${prefix_files}, but all is ${all_files}")
endif()
