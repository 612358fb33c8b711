// Adds filters to column families that a program opens or creates without any.
#pragma once

#include <string>
#include <vector>

#include "rocksdb/db.h"
#include "rocksdb/options.h"

namespace linebloom {

// Sets linebloom's policy for `family` if its tables are block-based and have
// no filter policy, and returns true if it did so. The table factory may be
// shared, so `family` gets a new one and the old one stays unchanged.
bool GiveFilter(rocksdb::ColumnFamilyOptions* family);

// Does the same for each of `families` and returns the names of those changed.
std::vector<std::string> GiveFilters(
    std::vector<rocksdb::ColumnFamilyDescriptor>* families);

// Reports in the info log of `db`, and on stderr if requested, that these
// families got a filter.
void ReportGivenFilters(const std::vector<std::string>& families,
                        const rocksdb::DB& db);

}  // namespace linebloom
