# Included by the root CMakeLists.txt where that has been added by RocksDB's
# build as the plugin `linebloom`: RocksDB compiles our sources itself.

include(CheckCXXSourceCompiles)
set(CMAKE_CXX_STANDARD 20)  # of these checks
check_cxx_source_compiles(
  "#include <bit>\nint main() { return std::bit_cast<int>(1.0F) == 0; }" LINEBLOOM_HAS_CXX20)
if(NOT LINEBLOOM_HAS_CXX20)
  message(FATAL_ERROR "linebloom needs a compiler with C++20, such as GCC 11 or Clang 14: "
    "set CMAKE_CXX_COMPILER to one instead of ${CMAKE_CXX_COMPILER}")
endif()
include(${CMAKE_CURRENT_LIST_DIR}/find_xxhash.cmake)

# The lists stand in linebloom.mk, where RocksDB's Makefile reads them.
file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/../linebloom.mk lines REGEX "^  filter_policy/")
string(REGEX MATCHALL "[a-z0-9_/]+[.]cc" sources "${lines}")
string(REGEX MATCHALL "[a-z0-9_/]+[.]h" headers "${lines}")
set(linebloom_SOURCES ${sources} PARENT_SCOPE)
set(linebloom_HEADERS ${headers} PARENT_SCOPE)

# Flags of our sources. They follow RocksDB's own and so override them. But our
# folders follow RocksDB's too, and if an engine compiles lz4 beside RocksDB, one
# of those has an xxhash.h that is too old.
string(JOIN " " flags -std=c++20 -DLINEBLOOM_ROCKSDB_PLUGIN
  "-DLINEBLOOM_XXHASH_H='\"${XXHASH_INCLUDE_DIR}/xxhash.h\"'"
  "-I\"${CMAKE_CURRENT_SOURCE_DIR}\""
  "-I\"${CMAKE_CURRENT_SOURCE_DIR}/filter_policy/include\"")
set(linebloom_COMPILE_FLAGS ${flags} PARENT_SCOPE)
