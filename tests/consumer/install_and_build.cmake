# Installs linebloom into a folder of its own, builds the consumer against that
# and runs it. Called by ctest with -D BUILD_DIR, SOURCE_DIR, WORK_DIR, CXX_COMPILER,
# CXX_FLAGS and BUILD_TYPE.
set(prefix ${WORK_DIR}/prefix)
set(build ${WORK_DIR}/build)

function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE ${WORK_DIR})  # nothing of an earlier run may help
run(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${prefix})
run(${CMAKE_COMMAND} -S ${SOURCE_DIR} -B ${build} -G Ninja
    -DCMAKE_PREFIX_PATH=${prefix}
    -DCMAKE_CXX_COMPILER=${CXX_COMPILER}
    -DCMAKE_CXX_FLAGS=${CXX_FLAGS}
    -DCMAKE_BUILD_TYPE=${BUILD_TYPE})
run(${CMAKE_COMMAND} --build ${build})
run(${CMAKE_CTEST_COMMAND} --test-dir ${build} --output-on-failure)
