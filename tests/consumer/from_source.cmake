# Builds linebloom's library from its sources in a user's project, or installs it
# first, and runs a program with it. Nothing that only developers need can be
# found. Called by ctest with -D HOW, BUILD_DIR and WORK_DIR.
load_cache(${BUILD_DIR} READ_WITH_PREFIX ""
  CMAKE_CXX_COMPILER CMAKE_CXX_COMPILER_LAUNCHER CMAKE_CXX_FLAGS)
cmake_path(SET root NORMALIZE ${CMAKE_CURRENT_LIST_DIR}/../..)
# A unity build takes a third of the time; other tests compile file by file.
set(build_flags -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_UNITY_BUILD=ON
  -DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER}
  -DCMAKE_CXX_COMPILER_LAUNCHER=${CMAKE_CXX_COMPILER_LAUNCHER})
if(HOW STREQUAL "FetchContent")
  set(rocksdb shared)
  list(APPEND build_flags "-DCMAKE_CXX_FLAGS=${CMAKE_CXX_FLAGS} -frtti")
else()
  set(rocksdb static)
  list(APPEND build_flags "-DCMAKE_CXX_FLAGS=${CMAKE_CXX_FLAGS} -fno-rtti"
    -DRocksDB_DIR=${CMAKE_CURRENT_LIST_DIR}/static_rocksdb)
endif()
foreach(package absl GTest benchmark nlohmann_json)
  list(APPEND build_flags -DCMAKE_DISABLE_FIND_PACKAGE_${package}=ON)
endforeach()

function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE ${WORK_DIR})
if(HOW STREQUAL "find_package")
  run(${CMAKE_COMMAND} -S ${root} -B ${WORK_DIR}/library -DLINEBLOOM_DEVELOPER=OFF ${build_flags})
  run(${CMAKE_COMMAND} --build ${WORK_DIR}/library)
  run(${CMAKE_COMMAND} --install ${WORK_DIR}/library --prefix ${WORK_DIR}/prefix)
endif()
# The user's project has linebloom in a folder of that name.
set(project ${WORK_DIR}/project)
file(COPY ${CMAKE_CURRENT_LIST_DIR}/from_source/ ${CMAKE_CURRENT_LIST_DIR}/consumer.cc
     ${CMAKE_CURRENT_LIST_DIR}/strings.cc DESTINATION ${project})
file(CREATE_LINK ${root} ${project}/linebloom SYMBOLIC)
run(${CMAKE_COMMAND} -S ${project} -B ${WORK_DIR}/build
    -DHOW=${HOW} -DROCKSDB=${rocksdb}
    -DCMAKE_PREFIX_PATH=${WORK_DIR}/prefix ${build_flags})
foreach(program app strings)
  run(${CMAKE_COMMAND} --build ${WORK_DIR}/build --target ${program})
  run(${WORK_DIR}/build/${program} ${WORK_DIR}/database)
endforeach()
