// linebloom from C, only through linebloom/c.h and rocksdb/c.h, as bindings for
// other languages use it.
//
// Usage: c_api_test DATABASE_FOLDER. Exits with 0 if everything was correct.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "linebloom/c.h"

enum { kRows = 20000, kLongestKey = 32 };

static void Require(int condition, const char* what, const char* detail) {
  if (condition) return;
  fprintf(stderr, "c_api_test: %s: %s\n", what, detail ? detail : "failed");
  exit(1);
}

// The key of row `i`. Odd rows are never written and lie between two that are.
static size_t Key(int i, char* key) {
  return (size_t)snprintf(key, kLongestKey, "row%d", 1000000 + i);
}

// Takes ownership of `policy`, which may be NULL.
static rocksdb_options_t* NewOptions(rocksdb_filterpolicy_t* policy) {
  rocksdb_block_based_table_options_t* table =
      rocksdb_block_based_options_create();
  rocksdb_cache_t* cache = rocksdb_cache_create_lru(8 << 20);
  rocksdb_block_based_options_set_block_cache(table, cache);
  rocksdb_cache_destroy(cache);
  rocksdb_block_based_options_set_cache_index_and_filter_blocks(table, 1);
  if (policy) rocksdb_block_based_options_set_filter_policy(table, policy);
  rocksdb_options_t* options = rocksdb_options_create();
  rocksdb_options_set_create_if_missing(options, 1);
  rocksdb_options_enable_statistics(options);
  rocksdb_options_set_block_based_table_factory(options, table);
  rocksdb_block_based_options_destroy(table);
  return options;
}

static void WriteRows(rocksdb_t* db) {
  char* error = NULL;
  char key[kLongestKey];
  rocksdb_writeoptions_t* how = rocksdb_writeoptions_create();
  for (int i = 0; i < kRows; ++i) {
    const size_t size = Key(2 * i, key);
    rocksdb_put(db, how, key, size, key, size, &error);
    Require(error == NULL, "writing a row", error);
  }
  rocksdb_writeoptions_destroy(how);
  rocksdb_flushoptions_t* flush = rocksdb_flushoptions_create();
  rocksdb_flush(db, flush, &error);
  Require(error == NULL, "flushing", error);
  rocksdb_flushoptions_destroy(flush);
}

static void LookUpRows(rocksdb_t* db) {
  char* error = NULL;
  char key[kLongestKey];
  rocksdb_readoptions_t* how = rocksdb_readoptions_create();
  for (int i = 0; i < 2 * kRows; ++i) {
    const size_t size = Key(i, key);
    size_t found_size = 0;
    char* found = rocksdb_get(db, how, key, size, &found_size, &error);
    Require(error == NULL, "looking up a row", error);
    if (i % 2 == 0) {
      Require(found && found_size == size && memcmp(found, key, size) == 0,
              "a row is lost or changed", key);
    } else {
      Require(found == NULL, "a missing row was found", key);
    }
    rocksdb_free(found);
  }
  rocksdb_readoptions_destroy(how);
}

// At 10 bits per key linebloom rejects at least 99.47 % of the missing rows and
// RocksDB's own Bloom filter 99.05 %, so this also shows which filter was
// probed.
static void CheckFilterIsLinebloom(rocksdb_options_t* options) {
  static const char kUseful[] = "rocksdb.bloom.filter.useful COUNT : ";
  char* statistics = rocksdb_options_statistics_get_string(options);
  const char* useful = strstr(statistics, kUseful);
  Require(useful != NULL, "the filter was not probed", statistics);
  Require(atoi(useful + strlen(kUseful)) >= kRows / 1000 * 994,
          "fewer than 99.4 % rejected", useful);
  rocksdb_free(statistics);
}

// Takes ownership of the options.
static void WriteAndLookUpWith(rocksdb_options_t* options, const char* path) {
  char* error = NULL;
  rocksdb_destroy_db(options, path, &error);
  Require(error == NULL, "removing the database", error);
  rocksdb_t* db = rocksdb_open(options, path, &error);
  Require(error == NULL, "opening the database", error);
  WriteRows(db);
  LookUpRows(db);
  CheckFilterIsLinebloom(options);
  rocksdb_close(db);
  rocksdb_options_destroy(options);
}

static void WriteAndLookUp(rocksdb_filterpolicy_t* policy, const char* path) {
  WriteAndLookUpWith(NewOptions(policy), path);
}

// Policy and listener in one call, twice.
static void WriteAndLookUpByUse(const char* filter, const char* path) {
  char* error = NULL;
  rocksdb_options_t* options = NewOptions(NULL);
  for (int i = 0; i < 2; ++i) linebloom_use(options, filter, &error);
  Require(error == NULL, "using linebloom", error);
  WriteAndLookUpWith(options, path);
}

// Policy and listener by one option string.
static void WriteAndLookUpByOptionString(const char* text, const char* path) {
  char* error = NULL;
  rocksdb_options_t* base = rocksdb_options_create();
  rocksdb_options_set_create_if_missing(base, 1);
  rocksdb_options_enable_statistics(base);
  rocksdb_options_t* options = rocksdb_options_create();
  rocksdb_get_options_from_string(base, text, options, &error);
  Require(error == NULL, text, error);
  rocksdb_options_destroy(base);
  WriteAndLookUpWith(options, path);
}

static void CheckBadString(const char* text, const char* message) {
  char* error = NULL;
  // Twice: the second call must free the first error.
  for (int i = 0; i < 2; ++i) {
    Require(linebloom_filterpolicy_create_from_string(text, &error) == NULL,
            "a policy from a wrong string", text);
    Require(error && strstr(error, message), message, error);
  }
  free(error);
}

// Leaves the options as they were: a database opens with them.
static void CheckBadUse(const char* filter, const char* message,
                        const char* path) {
  char* error = NULL;
  rocksdb_options_t* options = NewOptions(linebloom_filterpolicy_create(10));
  for (int i = 0; i < 2; ++i) linebloom_use(options, filter, &error);
  Require(error && strstr(error, message), message, error);
  free(error);
  linebloom_use(options, filter, NULL);
  WriteAndLookUpWith(options, path);
}

static rocksdb_filterpolicy_t* FromString(const char* text) {
  char* error = NULL;
  rocksdb_filterpolicy_t* policy =
      linebloom_filterpolicy_create_from_string(text, &error);
  Require(policy != NULL && error == NULL, text, error);
  return policy;
}

int main(int argc, char** argv) {
  Require(argc == 2, "usage", "c_api_test DATABASE_FOLDER");
  WriteAndLookUp(linebloom_filterpolicy_create(10), argv[1]);
  WriteAndLookUp(FromString("{bits_per_key=16;line=plain}"), argv[1]);
  WriteAndLookUp(FromString("{hash_seed=random}"), argv[1]);
  rocksdb_filterpolicy_destroy(linebloom_filterpolicy_create(10));
  rocksdb_filterpolicy_destroy(FromString("linebloom:10"));
  linebloom_register_filter_policy();
  linebloom_register_filter_policy();
  WriteAndLookUpByOptionString(
      "listeners=linebloom_level_sizes;block_based_table_factory={"
      "filter_policy={id=linebloom;bits_per_key=10;level_aware=true}}",
      argv[1]);
  WriteAndLookUpByUse(NULL, argv[1]);
  WriteAndLookUpByUse("level_aware=true", argv[1]);
  CheckBadUse("bits_per_key=31", "bits_per_key=31: must be auto", argv[1]);
  CheckBadString("bits_per_key=31", "bits_per_key=31: must be auto");
  CheckBadString(NULL, "the option string is NULL");
  Require(linebloom_filterpolicy_create_from_string(NULL, NULL) == NULL,
          "a policy from NULL", NULL);
  return 0;
}
