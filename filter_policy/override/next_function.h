// How a function that stands in for one of RocksDB's reaches that one.
#pragma once

namespace linebloom {

// The address of the function that would be called under the name of `ours` if
// this library were not loaded. `ours` is exported by this library.
void* NextAddress(void* ours);

// The same with types:
//
//   static auto* const next = NextFunction(&rocksdb::NewBloomFilterPolicy);
//
// By the address and not by the name, for the names are C++'s mangled ones and
// change with the signature.
template <typename Function>
Function* NextFunction(Function* ours) {
  return reinterpret_cast<Function*>(
      NextAddress(reinterpret_cast<void*>(ours)));
}

// Whether `address` lies in this library.
bool IsInThisLibrary(const void* address);

}  // namespace linebloom
