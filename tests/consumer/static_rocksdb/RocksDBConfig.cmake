# Debian's RocksDB as vcpkg and Conan have it by default: the archive alone.
include(CMakeFindDependencyMacro)
find_dependency(gflags)
find_dependency(ZLIB)
find_library(rocksdb_archive librocksdb.a REQUIRED)
add_library(RocksDB::rocksdb STATIC IMPORTED)
set_target_properties(RocksDB::rocksdb PROPERTIES
  IMPORTED_LOCATION ${rocksdb_archive}
  INTERFACE_LINK_LIBRARIES "gflags;ZLIB::ZLIB;snappy;bz2;lz4;zstd;pthread;dl")
