// Filters for column families that a program opens or creates without any.
#pragma once

#include <string>
#include <vector>

#include "rocksdb/db.h"
#include "rocksdb/options.h"

namespace linebloom {

// Gives `family` linebloom's policy if its tables are block-based and have no
// filter policy; whether it did. The table factory it had, which may be shared,
// stays as it is and `family` gets another one.
bool GiveFilter(rocksdb::ColumnFamilyOptions* family);

// The same for each of `families`; the names of those that got one.
std::vector<std::string> GiveFilters(
    std::vector<rocksdb::ColumnFamilyDescriptor>* families);

// Says in the info log of `db`, and on stderr if that is asked for, that these
// families got a filter.
void ReportGivenFilters(const std::vector<std::string>& families,
                        const rocksdb::DB& db);

}  // namespace linebloom
