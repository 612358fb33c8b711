// linebloom from C, only through linebloom/c.h and rocksdb/c.h, as bindings for
// other languages use it.
//
// Usage: c_api_test DATABASE_FOLDER. Exits with 0 if everything was correct.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "linebloom/c.h"

enum { kRows = 20000, kLongestKey = 32 };

static char* error = NULL;  // of the calls

static void Require(int condition, const char* what, const char* detail) {
  if (condition) return;
  fprintf(stderr, "c_api_test: %s: %s\n", what, detail ? detail : "failed");
  exit(1);
}

static void RequireNoError(const char* what) {
  Require(error == NULL, what, error);
}

// Frees the error, which says `words`.
static void RequireError(const char* words) {
  Require(error && strstr(error, words), words, error);
  free(error);
  error = NULL;
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
  rocksdb_options_set_block_based_table_factory(options, table);
  rocksdb_block_based_options_destroy(table);
  return options;
}

static void WriteRows(rocksdb_t* db) {
  char key[kLongestKey];
  rocksdb_writeoptions_t* how = rocksdb_writeoptions_create();
  for (int i = 0; i < kRows; ++i) {
    const size_t size = Key(2 * i, key);
    rocksdb_put(db, how, key, size, key, size, &error);
  }
  rocksdb_writeoptions_destroy(how);
  rocksdb_flushoptions_t* flush = rocksdb_flushoptions_create();
  rocksdb_flush(db, flush, &error);
  rocksdb_flushoptions_destroy(flush);
  RequireNoError("writing rows");
}

static void LookUpRows(rocksdb_t* db) {
  char key[kLongestKey];
  rocksdb_readoptions_t* how = rocksdb_readoptions_create();
  for (int i = 0; i < 2 * kRows; ++i) {
    size_t found_size = 0;
    char* found = rocksdb_get(db, how, key, Key(i, key), &found_size, &error);
    RequireNoError("looking up a row");
    Require((found != NULL) == (i % 2 == 0), "a wrong answer", key);
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
static void WriteAndLookUp(rocksdb_options_t* options, const char* path) {
  rocksdb_options_set_create_if_missing(options, 1);
  rocksdb_options_enable_statistics(options);
  rocksdb_destroy_db(options, path, &error);
  rocksdb_t* db = rocksdb_open(options, path, &error);
  RequireNoError("opening the database");
  WriteRows(db);
  LookUpRows(db);
  CheckFilterIsLinebloom(options);
  rocksdb_close(db);
  rocksdb_options_destroy(options);
}

static rocksdb_filterpolicy_t* FromString(const char* text) {
  return linebloom_filterpolicy_create_from_string(text, &error);
}

// Policy and listener by one option string.
static rocksdb_options_t* OptionsFromString(const char* text) {
  rocksdb_options_t* base = rocksdb_options_create();
  rocksdb_options_t* options = rocksdb_options_create();
  rocksdb_get_options_from_string(base, text, options, &error);
  RequireNoError(text);
  rocksdb_options_destroy(base);
  return options;
}

int main(int argc, char** argv) {
  Require(argc == 2, "usage", "c_api_test DATABASE_FOLDER");
  WriteAndLookUp(NewOptions(linebloom_filterpolicy_create(10)), argv[1]);
  WriteAndLookUp(NewOptions(FromString("{bits_per_key=16;line=plain}")),
                 argv[1]);
  WriteAndLookUp(NewOptions(FromString("{hash_seed=random}")), argv[1]);
  rocksdb_filterpolicy_destroy(FromString("linebloom:10"));
  RequireNoError("a policy");
  linebloom_register_filter_policy();
  linebloom_register_filter_policy();
  WriteAndLookUp(
      OptionsFromString(
          "listeners=linebloom_level_sizes;block_based_table_factory={"
          "filter_policy={id=linebloom;bits_per_key=10;level_aware=true}}"),
      argv[1]);

  // Each call twice: it must free the error of the one before.
  // What is refused changes nothing.
  rocksdb_options_t* options = NewOptions(linebloom_filterpolicy_create(10));
  for (int i = 0; i < 2; ++i) linebloom_use(options, "bits_per_key=31", &error);
  RequireError("bits_per_key=31: must be auto");
  linebloom_use(options, "bits_per_key=31", NULL);
  WriteAndLookUp(options, argv[1]);
  options = NewOptions(NULL);
  for (int i = 0; i < 2; ++i) linebloom_use(options, NULL, &error);
  RequireNoError("policy and listener in one call, twice");
  WriteAndLookUp(options, argv[1]);
  for (int i = 0; i < 2; ++i) {
    Require(FromString("bits_per_key=31") == NULL, "a wrong policy", NULL);
  }
  RequireError("bits_per_key=31: must be auto");
  Require(FromString(NULL) == NULL, "a policy from NULL", NULL);
  RequireError("the option string is NULL");
  Require(linebloom_filterpolicy_create_from_string(NULL, NULL) == NULL,
          "a policy from NULL", NULL);
  return 0;
}
