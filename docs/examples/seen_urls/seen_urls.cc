// A crawler that fetches every page once. Its pages are the files and folders
// below a folder, by their file:// URLs: a folder links to all that it holds
// and to the folder above it, a symbolic link to its target. README.md explains
// the output.
//
// Usage: seen_urls FOLDER

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <iostream>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "common/example.h"
#include "common/standalone_bloom.h"

namespace examples {
namespace {

namespace fs = std::filesystem;

constexpr char kScheme[] = "file://";

// Returns the URLs to which a page links; none if it can't be fetched.
std::vector<std::string> LinksOf(const std::string& url) {
  const fs::path path = url.substr(sizeof(kScheme) - 1);
  std::vector<std::string> links;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(path, error)) {
    const fs::path target = entry.is_symlink(error)
                                ? fs::weakly_canonical(entry.path(), error)
                                : entry.path();
    if (!error) links.push_back(kScheme + target.string());
    links.push_back(kScheme + path.string());  // 'up', on every page
  }
  return links;
}

// Fetches all pages that can be reached from `start` without leaving it. Calls
// `is_new` for every link and fetches those for which it returns true. Returns
// how many it fetched.
uint64_t Crawl(const std::string& start,
               const std::function<bool(const std::string& url)>& is_new) {
  std::vector<std::string> queue = {start};
  is_new(start);
  uint64_t fetched = 0;
  while (!queue.empty()) {
    const std::string url = std::move(queue.back());
    queue.pop_back();
    ++fetched;
    for (const std::string& link : LinksOf(url)) {
      if (link.rfind(start, 0) == 0 && is_new(link)) queue.push_back(link);
    }
  }
  return fetched;
}

struct Report {
  uint64_t fetched = 0;
  uint64_t new_by_filter = 0;
  uint64_t false_positives = 0;  // new too, but it took a Get to know
  uint64_t seen = 0;
  uint64_t blocks = 0;  // that these Gets read
  uint64_t bytes = 0;   // of filters
};

// The URLs that the crawler has met, in RocksDB.
class SeenUrls {
 public:
  explicit SeenUrls(rocksdb::DB* db) : db_(db) {}

  // Returns true the first time that it gets this URL.
  bool IsNew(const std::string& url) {
    std::string value;
    // 'No' is certain, and comes from the filters and the memtable alone.
    if (!db_->KeyMayExist({}, url, &value)) {
      ++report_.new_by_filter;
    } else {
      // 'Maybe' is not: without this Get, a false positive would skip a page.
      const uint64_t before = BlocksRead();
      const rocksdb::Status status = db_->Get({}, url, &value);
      report_.blocks += BlocksRead() - before;
      if (status.ok()) {
        ++report_.seen;
        return false;
      }
      Require(status.IsNotFound(), "reading " + url);
      ++report_.false_positives;
    }
    Require(db_->Put({}, url, ""), "writing");
    return true;
  }

  // Sums up the links since the last report.
  Report TakeReport(uint64_t fetched) {
    report_.fetched = fetched;
    report_.bytes = FiltersOf(db_).bytes;
    return std::exchange(report_, {});
  }

 private:
  rocksdb::DB* db_;
  Report report_;
};

// Finds all pages without any filter.
std::set<std::string> AllPages(const std::string& start) {
  std::set<std::string> seen;
  Crawl(start, [&](const std::string& url) { return seen.insert(url).second; });
  return seen;
}

// Returns the folder right below `start` with the most pages.
std::string LargestSite(const std::string& start,
                        const std::set<std::string>& pages) {
  std::map<std::string, uint64_t> sites;
  for (const std::string& page : pages) {
    const size_t slash = page.find('/', start.size() + 1);
    if (slash != std::string::npos) ++sites[page.substr(0, slash)];
  }
  Require(!sites.empty(), start + " holds no folders");
  return std::max_element(sites.begin(), sites.end(),
                          [](auto& a, auto& b) { return a.second < b.second; })
      ->first;
}

// Crawls as if a stand-alone filter were never wrong. There are `again` pages
// to fetch a second time, from `site` on.
void CrawlWithBloom(const std::string& start, uint64_t pages,
                    const std::string& site, uint64_t again,
                    uint64_t made_for) {
  StandaloneBloom bloom(made_for, 0.01);
  const auto is_new = [&](const std::string& url) {
    if (bloom.MayContain(url)) return false;
    bloom.Add(url);
    return true;
  };
  const uint64_t missed = pages - Crawl(start, is_new);
  // The start is fetched in any case.
  const uint64_t missed_again = again - Crawl(site, is_new);
  PrintRow(WithThousands(made_for),
           {bloom.bytes(), missed, again, missed_again});
}

// Crawls all pages, and then the site's a second time. Returns a report for
// each.
std::vector<Report> CrawlWithRocksDb(const FilterChoice& choice,
                                     const std::string& start,
                                     const std::set<std::string>& pages,
                                     const std::string& site,
                                     const std::set<std::string>& again) {
  Say(std::string("crawling with ") + choice.name);
  const ScratchFolder folder;
  const auto db =
      Open(SmallTree(pages.size() * 100, choice.filter_policy), folder.path());
  SeenUrls seen(db.get());
  const auto is_new = [&](const std::string& url) { return seen.IsNew(url); };
  uint64_t fetched = Crawl(start, is_new);
  Require(fetched == pages.size(), "pages were skipped");
  Settle(db.get());
  std::vector<Report> reports = {seen.TakeReport(fetched)};

  for (const std::string& url : again) {
    Require(db->Delete({}, url), "deleting");
  }
  CompactEverything(db.get());
  fetched = Crawl(site, is_new);
  Require(fetched == again.size(), "pages were skipped");
  reports.push_back(seen.TakeReport(fetched));
  return reports;
}

int Main(int argc, char** argv) {
  std::error_code error;
  const fs::path root = argc == 2 ? fs::canonical(argv[1], error) : fs::path();
  if (root.empty() || !fs::is_directory(root, error)) {
    std::cerr << "usage: " << argv[0] << " FOLDER\n";
    return 2;
  }
  const std::string start = kScheme + root.string();
  Say("looking at all pages below " + start);
  const std::set<std::string> pages = AllPages(start);
  const std::string site = LargestSite(start, pages);
  const std::set<std::string> pages_of_site = AllPages(site);

  PrintFilterChoices();
  std::vector<std::vector<Report>> reports;
  for (const FilterChoice& choice : kFilterChoices) {
    reports.push_back(
        CrawlWithRocksDb(choice, start, pages, site, pages_of_site));
  }
  PrintRow("", {"pages", "new, by", "new, by", "seen", "blocks", "bytes of"});
  PrintRow("", {"fetched", "filter", "Get", "before", "read", "filters"});
  for (const size_t phase : {0, 1}) {
    std::printf("%s\n", phase == 0 ? "the whole folder" : "the largest site");
    for (size_t i = 0; i < reports.size(); ++i) {
      const Report& report = reports[i][phase];
      PrintRow(std::string("  ") + kFilterChoices[i].name,
               {report.fetched, report.new_by_filter, report.false_positives,
                report.seen, report.blocks, report.bytes});
    }
  }
  std::printf(
      "\nThe same crawls with a stand-alone Bloom filter alone, 1 %%:\n");
  PrintRow("", {"", "never", "of the", "not"});
  PrintRow("made for", {"bytes", "fetched", "site", "refetched"});
  CrawlWithBloom(start, pages.size(), site, pages_of_site.size(), pages.size());
  CrawlWithBloom(start, pages.size(), site, pages_of_site.size(),
                 std::max<uint64_t>(pages.size() / 4, 1000));
  return 0;
}

}  // namespace
}  // namespace examples

int main(int argc, char** argv) { return examples::Main(argc, argv); }
