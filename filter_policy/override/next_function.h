// Lets a function that replaces one of RocksDB's call the original.
#pragma once

namespace linebloom {

// The address of the function that would be called under the name of `ours`,
// which this library exports, if this library were not loaded.
void* NextAddress(void* ours);

// The same with types:
//
//   static auto* const next = NextFunction(&rocksdb::NewBloomFilterPolicy);
//
// Finds the function by address rather than by name, because names are mangled
// and change with the signature.
template <typename Function>
Function* NextFunction(Function* ours) {
  return reinterpret_cast<Function*>(
      NextAddress(reinterpret_cast<void*>(ours)));
}

// True if `address` is in this library.
bool IsInThisLibrary(const void* address);

}  // namespace linebloom
