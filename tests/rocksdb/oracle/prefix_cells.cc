// Covers prefixes in filters, with whole keys and alone; extractors that
// change; keys in reverse order.

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include "rocksdb/comparator.h"
#include "tests/rocksdb/oracle/cell.h"

namespace linebloom {
namespace {

const std::vector<Step> kPrefixCourse = {kWrite, kUpdate, kReopen, kCompact,
                                         kDelete};

// Those whose rows MultiGet finds in partitions without keys.
const std::vector<Policy> kOfKeylessPartitions = {
#if !ROCKSDB_IS_AT_LEAST(9, 6)
    kBloom,
#endif
    kLinebloom, kPlain};

void UsePrefixes(Oracle* o) { o->UseExtractor("fixed:12"); }  // see Decades()
void UsePrefixesAlone(Oracle* o) {
  UsePrefixes(o);
  o->table().whole_key_filtering = false;
}

// Keys without a prefix are in the filter as whole keys, or not at all.
template <bool kWholeKeys>
void UseShortKeys(Oracle* o) {
  o->UseExtractor("fixed:4");
  o->table().whole_key_filtering = kWholeKeys;
  o->keys_ = {{"", "0", "00", "000", "001", "0010", "0010:1", "01", "zz", "zzz",
               "zzzz", "zzzzz"},
              {"002", "0011", "1", "yy"}};
  o->scans_ = Oracle::Scans::kOfRanges;
}

const Cell kPrefixCells[] = {
    {"KeysAndPrefixes", kPrefixCourse, UsePrefixes},
    {"PrefixesAlone", kPrefixCourse, UsePrefixesAlone},
    {"KeysWithoutPrefix", kPrefixCourse, UseShortKeys<true>},
    {"KeysWithoutPrefixOrFilter", kPrefixCourse, UseShortKeys<false>},
    {.name = "ToLinebloom",
     .steps = {kWrite, kUpdate, With(kLinebloom), kUpdate, kCompact},
     .setting = UsePrefixes,
     .policies = {kBloom, kRibbon}},
    {.name = "AwayFromLinebloom",
     .steps = {kWrite, kUpdate, With(kBloom), With(kNone), With(kLinebloom)},
     .setting = UsePrefixesAlone,
     .policies = {kLinebloom}},
};
INSTANTIATE_CELLS(Prefix, kPrefixCells);

// Partition boundaries fall between rows of one prefix. Format versions write
// the keys of an index in different ways.
std::vector<Cell> TinyPartitions() {
  std::vector<Cell> cells;
  for (const bool whole_keys : {false, true}) {
    for (const uint32_t version : {2, 3, 4, 5}) {
      cells.push_back(
          {(whole_keys ? "WithKeys" : "Alone") + std::to_string(version),
           kPrefixCourse,
           [=](Oracle* o) {
             UsePrefixes(o);
             o->table().whole_key_filtering = whole_keys;
             o->table().format_version = version;
             o->table().block_size = 1;  // a block for each row
             o->partition_size_ = 1;
           },
           Filters::kPartitioned});
    }
  }
  return cells;
}
INSTANTIATE_CELLS(TinyPartitions, TinyPartitions());

// Partitions without any key in their filter: the first, the last, all between
// two that have keys, and next to partitions with the prefix of one key.
std::vector<Cell> EmptyPartitions() {
  std::vector<Cell> cells;
  for (const std::string runs :
       {"-4", "-44", "4-4", "-40-44-4", "0-40", "4-4-40-04"}) {
    for (const uint32_t version : {2, 5}) {
      for (const uint64_t size : {1, 100}) {
        std::string name = "Of" + runs;
        std::ranges::replace(name, '-', 'S');
        cells.push_back({name + "Version" + std::to_string(version) + "Size" +
                             std::to_string(size),
                         {kWrite, kMultiGetEverywhere, kUpdate, kReopen,
                          kMultiGetEverywhere, kCompact, kMultiGetEverywhere,
                          kDelete, kMultiGetEverywhere},
                         [=](Oracle* o) {
                           o->keys_ = InRuns(runs);
                           o->UseExtractor("fixed:4");
                           o->scans_ = Oracle::Scans::kOfRanges;
                           o->table().whole_key_filtering = false;
                           o->table().format_version = version;
                           o->table().block_size = 1;
                           o->partition_size_ = size;
                         },
                         Filters::kPartitioned,
                         kOfKeylessPartitions});
      }
    }
  }
  return cells;
}
INSTANTIATE_CELLS(EmptyPartitions, EmptyPartitions());

// ---------------------------------------------------------------------------
// The extractor is not the one with which a file was written.

const char* const kExtractors[] = {"", "fixed:3", "fixed:6", "capped:6",
                                   "rocksdb.Noop"};

template <bool kWholeKeys>
void UseCommonBeginnings(Oracle* o) {
  o->table().whole_key_filtering = kWholeKeys;
  o->keys_ = InRuns("445");
  o->scans_ = Oracle::Scans::kUncounted;
}

std::vector<Cell> ChangeCells() {
  std::vector<Cell> cells;
  for (const std::string before : kExtractors) {
    // Writes a file with each extractor in turn above one of the first.
    std::vector<Step> steps = {WithExtractor(before), kWriteEven};
    for (const std::string after : kExtractors) {
      steps.push_back(WithExtractor(after));
      steps.push_back(after < before ? kWriteOdd : kUpdate);
    }
    std::string name = "From" + before;
    std::erase_if(name, [](unsigned char c) { return std::isalnum(c) == 0; });
    cells.push_back(
        {name + "WithKeys", steps, UseCommonBeginnings<true>, Filters::kWhole});
    cells.push_back(
        {name + "Alone", steps, UseCommonBeginnings<false>, Filters::kWhole});
  }
  cells.push_back(
      {"WhileOpen",
       {WithExtractor("fixed:3"), kWriteEven, SetExtractor("capped:6"),
        kWriteOdd, SetExtractor("fixed:3"), kUpdate, SetExtractor("capped:3"),
        SetExtractor("fixed:6"), kUpdate},
       UseCommonBeginnings<true>,
       Filters::kWhole});
  return cells;
}
INSTANTIATE_CELLS(PrefixChange, ChangeCells());

// ---------------------------------------------------------------------------
// Keys in reverse order sort before their prefix.

const Cell kReverseCells[] = {
    {"KeysBeforeTheirPrefix",
     {kWrite, kUpdate, kReopen, kCompact},
     [](auto* o) {
       o->options().comparator = rocksdb::ReverseBytewiseComparator();
       UsePrefixesAlone(o);
       o->scans_ = Oracle::Scans::kOfRanges;
     }},
};
INSTANTIATE_CELLS(ReverseOrder, kReverseCells);

}  // namespace
}  // namespace linebloom
