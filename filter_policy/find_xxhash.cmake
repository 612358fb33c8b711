# Sets XXHASH_INCLUDE_DIR, the folder of the header.
include(CheckCXXSourceCompiles)
find_path(XXHASH_INCLUDE_DIR xxhash.h)
set(CMAKE_REQUIRED_INCLUDES ${XXHASH_INCLUDE_DIR})
unset(LINEBLOOM_HAS_XXHASH CACHE)  # may have been installed since
check_cxx_source_compiles(
  "#include <xxhash.h>
  static_assert(XXH_VERSION_NUMBER >= 800, \"\");
  int main() {}" LINEBLOOM_HAS_XXHASH)
unset(CMAKE_REQUIRED_INCLUDES)
if(NOT XXHASH_INCLUDE_DIR OR NOT LINEBLOOM_HAS_XXHASH)
  message(FATAL_ERROR "linebloom needs xxhash.h of xxHash 0.8 or later: install it (on Debian "
    "libxxhash-dev), or set XXHASH_INCLUDE_DIR to its folder")
endif()
