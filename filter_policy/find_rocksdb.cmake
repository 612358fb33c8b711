# Sets LINEBLOOM_ROCKSDB, the target of RocksDB that everything of ours links: the
# shared library where there is one. vcpkg and Conan have the archive alone by
# default. linebloom then is an archive alone too: liblinebloom.so would hold a
# RocksDB of its own beside the program's.
if(NOT TARGET RocksDB::rocksdb-shared AND NOT TARGET RocksDB::rocksdb)
  find_package(RocksDB REQUIRED GLOBAL)  # also for who embeds linebloom
endif()
if(TARGET RocksDB::rocksdb-shared)
  set(LINEBLOOM_ROCKSDB RocksDB::rocksdb-shared)
elseif(LINEBLOOM_DEVELOPER OR LINEBLOOM_REBUILD)
  message(FATAL_ERROR "linebloom's tools and linebloom::rebuild need RocksDB as a shared library, "
    "and here is only an archive: set LINEBLOOM_DEVELOPER=OFF and LINEBLOOM_REBUILD=OFF")
else()
  set(LINEBLOOM_ROCKSDB RocksDB::rocksdb)
endif()
