#include "filter_policy/levels/live_files.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "filter_policy/filter/filter_block.h"

namespace linebloom {
namespace {

// Fewer moves in a row also happen while a level is still empty.
constexpr int kMovesOfALoadInOrder = 3;

// On average, of a filter that isn't partitioned.
constexpr double kBitsBeyondKeys =
    8 * (kFilterBlockOverhead + kLineBytes / 2.0);

// What a byte of a file can hold at most: rows whose keys and values hardly
// differ, compressed, took a 50th.
constexpr double kMostRowsPerByte = 64;

// The bytes of the smallest data block with its entry in the index.
constexpr double kFewestBytesOfBlock = 8;

// More files of level 0 count as alike: a model of each would take long, and
// levels have fewer at rest.
constexpr size_t kMostRunsOfLevel0 = 24;

// Fewer say little about the share that hits: of a thousand 1 % of false
// positives are 10, give or take 3.
constexpr double kFewestProbes = 1000;

// Hits in files without a filter go unseen.
constexpr double kMostUnfiltered = 0.1;

// True if RocksDB only moved files down (a trivial move). It then lists the
// same files as input and output.
bool OnlyMoved(const rocksdb::CompactionJobInfo& job) {
  return !job.input_files.empty() && job.input_files == job.output_files;
}

// The value of `key`; null if there is none.
template <typename Map>
auto* Find(Map& map, const typename Map::key_type& key) {
  const auto found = map.find(key);
  return found == map.end() ? nullptr : &found->second;
}

// A file's name without its folder, which is unique because a database never
// reuses a file number.
std::string FileNameOf(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

int SizeClassOf(const FileTotals& file) {
  return std::ilogb(std::max(1.0, file.all_rows()));
}

// Uncompressed, as the block cache has them.
double DataBytesOf(const rocksdb::TableProperties& properties) {
  const auto stored = static_cast<double>(properties.data_size);
  if (properties.compression_name == "NoCompression") return stored;
  return std::max(stored, static_cast<double>(properties.raw_key_size) +
                              static_cast<double>(properties.raw_value_size));
}

// Of `totals`, what a part of its runs, rows or files has.
read_model::Files FilesOf(const FileTotals& totals) {
  // A column family without a filter policy keeps its files as they are.
  const bool has_policy = totals.keys + totals.unfiltered + totals.unknown > 0;
  const double rows = totals.all_rows();
  const double keys_per_row =
      totals.rows > totals.unfiltered && totals.keys > 0
          ? totals.keys / (totals.rows - totals.unfiltered)
          : 1;
  return {
      .count = totals.files,
      .rows = rows,
      .filter_keys = keys_per_row * rows,
      .index_bytes = totals.index_bytes,
      .data_blocks = totals.data_blocks,
      .data_bytes = totals.data_bytes,
      .kept = has_policy ? std::nullopt : std::optional(read_model::Filters())};
}

}  // namespace

std::optional<FileTotals> TotalsOf(const rocksdb::TableProperties* properties,
                                   uint64_t bytes) {
  if (properties == nullptr || properties->num_entries == 0) {
    return std::nullopt;
  }
  const double size = bytes > 0 ? static_cast<double>(bytes) : HUGE_VAL;
  const auto most = [](double limit, uint64_t claimed) {
    return std::min(limit, static_cast<double>(claimed));
  };
  FileTotals file;
  file.files = 1;
  file.rows = most(kMostRowsPerByte * size, properties->num_entries);
  file.bits = 8 * most(size, properties->filter_size);
  if (file.bits > 0) {
    file.overhead = std::min(file.bits, kBitsBeyondKeys);
    file.keys =
        properties->num_filter_entries > 0
            ? most(kMostRowsPerByte * size, properties->num_filter_entries)
            : file.rows;
  } else if (!properties->filter_policy_name.empty()) {
    file.unfiltered = file.rows;
  }
  file.index_bytes = most(size, properties->index_size);
  file.data_blocks =
      most(size / kFewestBytesOfBlock, properties->num_data_blocks);
  file.data_bytes = std::min(kMostRowsPerByte * size, DataBytesOf(*properties));
  return file;
}

void LiveFiles::Create(const std::string& path,
                       const std::optional<FileTotals>& totals, uint64_t bytes,
                       const int* compaction) {
  if (compaction != nullptr && !compactions_.contains(*compaction)) {
    untold_.push_back(path);
  }
  files_[FileNameOf(path)] = {.totals = totals.value_or(FileTotals()),
                              .bytes = bytes,
                              .was_read = true,
                              .is_known = totals.has_value()};
}

void LiveFiles::Delete(const std::string& path) {
  const std::string name = FileNameOf(path);
  File* const file = Find(files_, name);
  if (file == nullptr) return;
  // By DeleteFilesInRanges(), CompactFiles() or with its column family.
  if (Family* const family = file->family) {
    // Until the files are listed, which an idle database may never be again.
    for (const std::string& written : untold_) {
      File* const output = Find(files_, FileNameOf(written));
      if (output != nullptr && output->family == nullptr) {
        Place(family, file->level, output);
      }
    }
    untold_.clear();
    Place(nullptr, 0, file);
    EndJob(family);
    files_to_wait_ = 0;
  }
  files_.erase(name);
}

void LiveFiles::BeginFlush(const std::string& family, double keys_to_flush) {
  families_[family].to_flush = keys_to_flush;
}

void LiveFiles::EndFlush(const rocksdb::FlushJobInfo& job) {
  Family& family = families_[job.cf_name];
  untold_.clear();
  Place(job.file_path, &family, 0);
  if (job.table_properties.num_entries > 0) {
    family.last_flush = static_cast<double>(job.table_properties.num_entries);
  }
  EndJob(&family);
}

void LiveFiles::BeginCompaction(const rocksdb::CompactionJobInfo& job) {
  const Family* const family = Find(families_, job.cf_name);
  if (family == nullptr || family->tree == nullptr) return;
  TreeState tree = *family->tree;
  double input_rows = 0;
  for (const std::string& path : job.input_files) {
    const File* const file = Find(files_, FileNameOf(path));
    if (file != nullptr) {
      input_rows += file->totals.all_rows();
      if (file->family == family) tree.Remove(file->totals, file->level);
    } else if (const auto* properties = Find(job.table_properties, path)) {
      input_rows += TotalsOf(properties->get(), 0).value_or(FileTotals()).rows;
    }
  }
  tree.Add(input_rows, job.output_level);
  compactions_[job.job_id] = {
      std::make_shared<const TreeState>(std::move(tree)), input_rows};
}

void LiveFiles::EndCompaction(const rocksdb::CompactionJobInfo& job) {
  compactions_.erase(job.job_id);
  Family& family = families_[job.cf_name];
  if (job.status.ok()) {
    if (job.base_input_level == 0) {
      family.moves = OnlyMoved(job) ? family.moves + 1 : 0;
    }
    for (const std::string& path : job.input_files) Place(path, nullptr, 0);
    const size_t told =
        std::min(job.output_files.size(), job.output_file_infos.size());
    for (size_t i = 0; i < told; ++i) {
      Place(job.output_files[i], &family, job.output_file_infos[i].level);
    }
    if (told < job.output_files.size()) files_to_wait_ = 0;
  }
  EndJob(&family);
}

bool LiveFiles::IsDue(size_t files_per_event) {
  if (files_to_wait_ <= files_per_event) return true;
  files_to_wait_ -= files_per_event;
  return false;
}

std::vector<const rocksdb::LiveFileMetaData*> LiveFiles::FilesToRead(
    const std::vector<rocksdb::LiveFileMetaData>& listed, size_t most) const {
  std::vector<const rocksdb::LiveFileMetaData*> unread;
  for (const rocksdb::LiveFileMetaData& file : listed) {
    if (unread.size() == most) break;
    const File* const found = Find(files_, FileNameOf(file.name));
    if (found == nullptr || !found->was_read) unread.push_back(&file);
  }
  return unread;
}

void LiveFiles::Read(const std::string& name,
                     const std::optional<FileTotals>& totals) {
  File& file = files_[FileNameOf(name)];
  file.was_read = true;
  if (!totals) return;
  Family* const family = file.family;
  if (family != nullptr) Place(nullptr, file.level, &file);
  file.is_known = true;
  file.totals = *totals;
  if (family != nullptr) Place(family, file.level, &file);
}

void LiveFiles::List(const std::vector<rocksdb::LiveFileMetaData>& listed,
                     uint64_t version) {
  files_to_wait_ = 0;
  // A job has ended since, after which the files are listed anew.
  if (version_ != version) return;
  ++version_;
  for (auto& [name, file] : files_) file.family = nullptr;
  for (auto& [name, family] : families_) {
    family.live = {};
    family.alike.clear();
    family.level0.clear();
  }
  untold_.clear();
  FileTotals known;
  double known_bytes = 0;
  for (const rocksdb::LiveFileMetaData& file : listed) {
    File& here = files_[FileNameOf(file.name)];
    here.bytes = file.size;
    if (!here.is_known) continue;
    known.Add(here.totals);
    known_bytes += static_cast<double>(file.size);
  }
  bool all_are_read = true;
  for (const rocksdb::LiveFileMetaData& file : listed) {
    File& here = files_[FileNameOf(file.name)];
    all_are_read = all_are_read && here.was_read;
    if (!here.is_known) {
      const auto bytes = static_cast<double>(file.size);
      here.totals =
          known_bytes > 0 ? Scaled(known, bytes / known_bytes) : FileTotals();
      here.totals.unknown = file.num_entries > 0
                                ? static_cast<double>(file.num_entries)
                                : here.totals.all_rows();
      here.totals.files = 1;
      here.totals.rows = here.totals.keys = here.totals.bits = 0;
      here.totals.overhead = here.totals.unfiltered = 0;
    }
    Place(&families_[file.column_family_name], file.level, &here);
  }
  for (auto& [name, family] : families_) SetTree(&family);
  // A column family without files was dropped or is as good as new.
  std::erase_if(families_, [](const auto& family) {
    return family.second.tree == nullptr && family.second.alike.empty() &&
           family.second.level0.empty();
  });
  if (all_are_read) files_to_wait_ = listed.size();
}

void LiveFiles::Describe(int job, NewFile* file) const {
  if (const Family* const family = Find(families_, file->column_family)) {
    file->tree = family->tree;
    if (file->is_flushed()) file->input_keys = family->to_flush;
  }
  if (file->is_flushed() || file->tree == nullptr) return;
  if (const Compaction* const compaction = Find(compactions_, job)) {
    file->tree = compaction->tree;
    file->input_keys = compaction->input_keys;
    return;
  }
  // The other files include the unknown inputs of this job. Corrected for them,
  // files of CompactFiles() got 8.6, 2.3, 7.6 and 1.0 bits in place
  // of 7.1, 6.2, 5.6 and 5.0.
  TreeState tree = *file->tree;
  tree.filters = {};
  file->tree = std::make_shared<const TreeState>(std::move(tree));
}

// Moves a file to a level of the family, or away if that is null. Does nothing
// if the files were listed since it moved, or it was deleted since.
void LiveFiles::Place(const std::string& path, Family* family, int level) {
  File* const file = Find(files_, FileNameOf(path));
  if (file != nullptr) Place(family, level, file);
}

void LiveFiles::Place(Family* family, int level, File* file) {
  const FileTotals& totals = file->totals;
  const int size_class = SizeClassOf(totals);
  if (file->family != nullptr) {
    file->family->live.Remove(totals, file->level);
    if (file->level > 0) {
      std::map<int, FileTotals>& of_level = file->family->alike[file->level];
      FileTotals& alike = of_level[size_class];
      alike.Add(totals, -1);
      if (alike.files < 0.5) of_level.erase(size_class);
      if (of_level.empty()) file->family->alike.erase(file->level);
    } else {
      std::vector<FileTotals>& files = file->family->level0;
      const auto found = std::ranges::find_if(files, [&](const FileTotals& f) {
        return f.all_rows() == totals.all_rows() && f.bits == totals.bits;
      });
      if (found != files.end()) files.erase(found);
    }
  }
  if (family != nullptr) {
    family->live.Add(totals, level);
    if (level > 0) {
      family->alike[level][size_class].Add(totals);
    } else {
      family->level0.push_back(totals);
    }
  }
  file->family = family;
  file->level = level;
}

// Ends a job that may have changed the family's files.
void LiveFiles::EndJob(Family* family) {
  ++version_;
  SetTree(family);
}

void LiveFiles::SetTree(Family* family) const {
  family->tree = nullptr;
  if (family->live.Runs().empty()) return;
  TreeState tree = family->live;
  tree.last_flush = family->last_flush;
  tree.in_order = family->moves >= kMovesOfALoadInOrder;
  family->tree = std::make_shared<const TreeState>(std::move(tree));
}

read_model::Tree ModelOf(const LiveFiles::Family& family,
                         rocksdb::CompactionStyle style) {
  const TreeState rest = style == rocksdb::kCompactionStyleLevel
                             ? family.live.AtRest()
                             : family.live;
  read_model::Tree tree;
  std::vector<FileTotals> level0 = family.level0;
  std::ranges::sort(level0, {}, &FileTotals::all_rows);
  level0.resize(std::min(level0.size(), rest.level0_files.size()));
  double met = 1;
  if (level0.size() > kMostRunsOfLevel0) {
    FileTotals all;
    for (const FileTotals& file : level0) all.Add(file);
    met = static_cast<double>(level0.size()) / kMostRunsOfLevel0;
    level0.assign(kMostRunsOfLevel0, Scaled(all, 1.0 / kMostRunsOfLevel0));
  }
  for (const FileTotals& file : level0) {
    if (file.all_rows() > 0) {
      tree.runs.push_back(
          {.files = {FilesOf(file)}, .covered = met, .level0 = true});
    }
  }
  for (const auto& [level, alike] : family.alike) {
    const auto index = static_cast<size_t>(level - 1);
    if (index >= rest.levels.size() || rest.levels[index] <= 0) continue;
    const double times = rest.levels[index] / family.live.levels[index];
    read_model::Run run;
    for (const auto& [size_class, totals] : alike) {
      if (totals.all_rows() > 0) {
        run.files.push_back(FilesOf(Scaled(totals, times)));
      }
    }
    tree.runs.push_back(std::move(run));
  }
  return tree;
}

// A lookup that misses probes each run, one that hits those down to its row.
// The positives beyond the expected false ones are hits.
Lookups LookupsBehind(const LiveFiles::Family& family, double probes,
                      double positives) {
  double runs = 0;
  double rates = 0;
  double rows = 0;
  double probes_of_rows = 0;  // if each is looked up once
  double unfiltered = 0;      // rows
  const auto add = [&](const FileTotals& run) {
    if (run.keys <= 0) {
      unfiltered += run.all_rows();
      return;
    }
    ++runs;
    rates += read_model::RateOf(run.bits / run.keys);
    rows += run.all_rows();
    probes_of_rows += runs * run.all_rows();
  };
  for (const FileTotals& file : family.level0) add(file);
  for (const auto& [level, alike] : family.alike) {
    FileTotals run;
    for (const auto& [size_class, totals] : alike) run.Add(totals);
    add(run);
  }
  if (probes < kFewestProbes || unfiltered > kMostUnfiltered * rows) return {};
  const double rate = rates / runs;
  const double hits = std::max(0.0, (positives - rate * probes) / (1 - rate));
  const double misses =
      std::max(0.0, (probes - hits * probes_of_rows / rows) / runs);
  return {.all = kProbesPerSample * (hits + misses),
          .hits = kProbesPerSample * hits};
}

}  // namespace linebloom
