# Builds linebloom's library from its sources and installs it, and runs a user's
# project with it; with a RocksDB that is an archive, as vcpkg and Conan have it.
# Nothing that only developers need can be found. Then configures the project with
# the library in it, which would compile the same once more. Called by ctest with
# -D BUILD_DIR and WORK_DIR.
load_cache(${BUILD_DIR} READ_WITH_PREFIX ""
  CMAKE_CXX_COMPILER CMAKE_CXX_COMPILER_LAUNCHER CMAKE_CXX_FLAGS)
cmake_path(SET root NORMALIZE ${CMAKE_CURRENT_LIST_DIR}/../..)
# A unity build takes a third of the time; other tests compile file by file.
set(build_flags -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_UNITY_BUILD=ON
  -DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER}
  -DCMAKE_CXX_COMPILER_LAUNCHER=${CMAKE_CXX_COMPILER_LAUNCHER}
  "-DCMAKE_CXX_FLAGS=${CMAKE_CXX_FLAGS} -fno-rtti"
  -DRocksDB_DIR=${CMAKE_CURRENT_LIST_DIR}/static_rocksdb)
foreach(package absl GTest benchmark nlohmann_json)
  list(APPEND build_flags -DCMAKE_DISABLE_FIND_PACKAGE_${package}=ON)
endforeach()

function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE ${WORK_DIR})
run(${CMAKE_COMMAND} -S ${root} -B ${WORK_DIR}/library -DLINEBLOOM_DEVELOPER=OFF ${build_flags})
run(${CMAKE_COMMAND} --build ${WORK_DIR}/library)
run(${CMAKE_COMMAND} --install ${WORK_DIR}/library --prefix ${WORK_DIR}/prefix)

# pkg-config takes absolute folders, as Nix has them.
run(${CMAKE_COMMAND} -S ${root} -B ${WORK_DIR}/absolute -DLINEBLOOM_DEVELOPER=OFF ${build_flags}
    -DCMAKE_INSTALL_INCLUDEDIR=/dev/include)
run(sh -c "test $(pkg-config --variable=includedir filter_policy/linebloom.pc) = /dev/include"
    WORKING_DIRECTORY ${WORK_DIR}/absolute)

# The user's project has linebloom in a folder of that name.
set(project ${WORK_DIR}/project)
file(COPY ${CMAKE_CURRENT_LIST_DIR}/from_source/ ${CMAKE_CURRENT_LIST_DIR}/consumer.cc
     DESTINATION ${project})
file(CREATE_LINK ${root} ${project}/linebloom SYMBOLIC)
foreach(how find_package add_subdirectory FetchContent)
  run(${CMAKE_COMMAND} -S ${project} -B ${WORK_DIR}/${how} -DHOW=${how}
      -DCMAKE_PREFIX_PATH=${WORK_DIR}/prefix ${build_flags})
endforeach()
run(${CMAKE_COMMAND} --build ${WORK_DIR}/find_package)
foreach(program app strings)
  run(${WORK_DIR}/find_package/${program} ${WORK_DIR}/database)
endforeach()
