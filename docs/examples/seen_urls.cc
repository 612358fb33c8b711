// A crawler that fetches every page once. Its pages are the files and folders
// below a folder, by their file:// URLs: a folder links to all that it holds
// and to itself, a symbolic link to its target.
//
// Usage: seen_urls FOLDER

#include <cstdio>
#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "example.h"

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
    links.push_back(kScheme + path.string());  // on every page
  }
  return links;
}

// Fetches all pages that can be reached from `start` without leaving it, which
// are new. Returns how many there were.
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

void Run(const char* policy, const std::string& start,
         const std::set<std::string>& pages) {
  const Database db(policy, pages.size() * 100);
  uint64_t by_filter = 0;
  uint64_t by_get = 0;
  uint64_t blocks = 0;
  const auto is_new = [&](const std::string& url) {
    std::string value;
    // 'No' is certain, and comes from the filters and the memtable alone.
    // 'Maybe' is not: without the Get, a false positive would skip a page.
    if (!db->KeyMayExist({}, url, &value)) {
      ++by_filter;
    } else if (db.Has(url, &blocks)) {
      return false;
    } else {
      ++by_get;
    }
    db.Put(url, "");
    return true;
  };
  Require(Crawl(start, is_new) == pages.size(), "pages were skipped");
  std::printf(
      "%-48s%9lu%9lu%9lu\n", policy, static_cast<unsigned long>(by_filter),
      static_cast<unsigned long>(by_get), static_cast<unsigned long>(blocks));
  std::fflush(stdout);
  // A site that is to be crawled again is deleted, and fetched as before.
  for (const std::string& url : pages) db.Delete(url);
  db.CompactAll();
  Require(Crawl(start, is_new) == pages.size(), "pages were skipped");
}

}  // namespace
}  // namespace examples

int main(int argc, char** argv) {
  const std::string start =
      examples::kScheme + std::filesystem::canonical(argv[argc - 1]).string();
  std::set<std::string> pages;  // the truth
  examples::Crawl(
      start, [&](const std::string& url) { return pages.insert(url).second; });
  std::printf("%-48s%9s%9s%9s\n", "new pages, by", "filter", "Get", "blocks");
  for (const char* policy : examples::kPolicies) {
    examples::Run(policy, start, pages);
  }
}
