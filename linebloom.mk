# linebloom as a plugin of RocksDB's own build (docs/install.md). RocksDB's
# Makefile includes this; its CMakeLists.txt searches it for a few assignments,
# each on one line with one blank on each side of the equals sign. That of the
# function is meant to be found. The lists are written another way, because
# our CMakeLists.txt hands them over.
linebloom_FUNC = linebloom_register

linebloom_SOURCES := \
  filter_policy/bits/allocation.cc \
  filter_policy/bits/auto_bits.cc \
  filter_policy/bits/cache_load.cc \
  filter_policy/bits/cache_model.cc \
  filter_policy/bits/read_model.cc \
  filter_policy/bits/tree_model.cc \
  filter_policy/filter/allocation_rounding.cc \
  filter_policy/filter/filter_block.cc \
  filter_policy/filter/filter_builder.cc \
  filter_policy/filter/filter_reader.cc \
  filter_policy/filter/hash_list.cc \
  filter_policy/filter/sizing.cc \
  filter_policy/line/hash.cc \
  filter_policy/line/kernel/line_kernel.cc \
  filter_policy/line/kernel/line_kernel_avx2.cc \
  filter_policy/line/kernel/line_kernel_avx512.cc \
  filter_policy/line/kernel/line_kernel_avx512f.cc \
  filter_policy/line/kernel/line_kernel_neon.cc \
  filter_policy/line/kernel/line_kernel_scalar.cc \
  filter_policy/line/line.cc \
  filter_policy/line/line_builder.cc \
  filter_policy/listener/level_size_listener.cc \
  filter_policy/policy/c_api.cc \
  filter_policy/policy/filter_bits_builder.cc \
  filter_policy/policy/filter_bits_reader.cc \
  filter_policy/policy/filter_policy.cc \
  filter_policy/policy/notes.cc \
  filter_policy/policy/policy_options.cc \
  filter_policy/policy/running_rocksdb.cc \
  filter_policy/tree/ledger.cc \
  filter_policy/tree/live_files.cc \
  filter_policy/tree/lookup_load.cc \
  filter_policy/tree/new_file.cc \
  filter_policy/tree/tree_state.cc

linebloom_HEADERS := \
  filter_policy/include/linebloom/c.h \
  filter_policy/include/linebloom/export.h \
  filter_policy/include/linebloom/filter_policy.h \
  filter_policy/include/linebloom/level_size_listener.h \
  filter_policy/include/linebloom/line.h

# For our sources alone: what stands in linebloom_CXXFLAGS would be for all of
# RocksDB. They need C++20, RocksDB itself needn't be built with it.
linebloom_FLAGS := -std=c++20 -DLINEBLOOM_ROCKSDB_PLUGIN \
  -Iplugin/linebloom -Iplugin/linebloom/filter_policy/include
linebloom_BUILT := $(linebloom_SOURCES:%.cc=$(OBJ_DIR)/plugin/linebloom/%)
$(linebloom_BUILT:=.o) $(linebloom_BUILT:=.cc.d): CXXFLAGS += $(linebloom_FLAGS)

# linebloom_compiles(HEADER,LINE): not empty if the compiler takes both.
linebloom_compiles = $(shell echo '$2' | $(CXX) $(EXTRA_CXXFLAGS) -std=c++20 -include $1 \
  -fsyntax-only -x c++ - 2> /dev/null && echo yes)
ifeq (,$(call linebloom_compiles,bit,int bits = std::bit_cast<int>(1.0F);))
$(error linebloom needs a compiler with C++20, such as GCC 11 or Clang 14: \
  set CXX to one instead of '$(CXX)')
endif
ifeq (,$(call linebloom_compiles,xxhash.h,static_assert(XXH_VERSION_NUMBER >= 800);))
$(error linebloom needs xxhash.h of xxHash 0.8 or later: install it (on Debian \
  libxxhash-dev), or set EXTRA_CXXFLAGS to -I and its folder)
endif
