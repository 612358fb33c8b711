# Sets XXHASH_INCLUDE_DIR. hash.h refuses a version that is too old.
find_path(XXHASH_INCLUDE_DIR xxhash.h)
if(NOT XXHASH_INCLUDE_DIR)
  message(FATAL_ERROR "linebloom needs xxhash.h of xxHash 0.8 or later: install it (on Debian "
    "libxxhash-dev), or set XXHASH_INCLUDE_DIR to its folder")
endif()
