//! Compiles linebloom's C++ against the RocksDB that librocksdb-sys has built,
//! as a plugin of that RocksDB: its private header is at hand, so the compiler
//! checks the interfaces.

use std::path::Path;
use std::{env, fs};

fn main() {
    if env::var_os("DOCS_RS").is_some() {
        return; // documentation and type checks need no C++
    }
    let sys = env::var("DEP_ROCKSDB_CARGO_MANIFEST_DIR")
        .expect("librocksdb-sys says where its RocksDB is: 0.16 to 0.19 do");
    let tree = Path::new(&sys).join("rocksdb");
    assert!(tree.join("include/rocksdb").is_dir(), "linebloom finds no RocksDB in {sys}");

    let mut build = cc::Build::new();
    build.cpp(true).std("c++20").define("NDEBUG", None).define("LINEBLOOM_ROCKSDB_PLUGIN", None);
    build.define("LINEBLOOM_XXHASH_H", "\"util/xxhash.h\""); // RocksDB's copy, since 8.10
    build.include(".").include("filter_policy/include");
    build.include(tree.join("include")).include(tree);
    let list = fs::read_to_string("linebloom.mk").expect("linebloom.mk lists the sources");
    build.files(
        list.lines()
            .map(|line| line.trim_end_matches('\\').trim())
            .filter(|line| line.starts_with("filter_policy/") && line.ends_with(".cc")),
    );
    build.compile("linebloom");
    println!("cargo:rerun-if-changed=filter_policy");
    println!("cargo:rerun-if-changed=linebloom.mk");
}
