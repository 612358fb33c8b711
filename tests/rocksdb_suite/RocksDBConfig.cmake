# Gives the RocksDB in the build folder of tests/plugin/run.sh the names of one that is installed.
add_library(RocksDB::rocksdb-shared SHARED IMPORTED)
set_target_properties(RocksDB::rocksdb-shared PROPERTIES
  IMPORTED_LOCATION ${ROCKSDB_SUITE_BUILD}/librocksdb.so
  INTERFACE_INCLUDE_DIRECTORIES ${ROCKSDB_SUITE_SOURCE}/include)
