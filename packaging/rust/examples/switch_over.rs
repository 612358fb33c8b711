//! Fills a database with RocksDB's Bloom filter, switches it over to linebloom
//! and back, and after each step looks up rows that are there and missing ones.
//!
//!     cargo run --example switch_over [FOLDER]

use rocksdb::{BlockBasedOptions, Options, DB};

const ROWS: u64 = 200_000;

fn key(number: u64) -> Vec<u8> {
    format!("user{number:012}").into_bytes()
}

/// Prints how many of ROWS missing rows the filters rejected.
fn look_up(step: &str, options: &Options, db: &DB) -> Result<(), Box<dyn std::error::Error>> {
    let rejected = || options.get_ticker_count(rocksdb::statistics::Ticker::BloomFilterUseful);
    let before = rejected();
    for number in 0..ROWS {
        assert_eq!(db.get(key(2 * number))?, Some(key(2 * number)), "a row is lost");
        assert_eq!(db.get(key(2 * number + 1))?, None, "a missing row was found");
    }
    println!("{step:38} {:>7} of {ROWS} missing rows rejected", rejected() - before);
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| "switch_over.db".to_string());
    linebloom::register()?;

    let mut table = BlockBasedOptions::default();
    table.set_bloom_filter(10.0, false);
    let mut bloom = Options::default();
    bloom.create_if_missing(true);
    bloom.enable_statistics();
    bloom.set_block_based_table_factory(&table);
    DB::destroy(&bloom, &folder)?;
    {
        let db = DB::open(&bloom, &folder)?;
        for number in 0..ROWS {
            db.put(key(2 * number), key(2 * number))?;
        }
        db.flush()?;
        look_up("Bloom", &bloom, &db)?;
    }

    let filter = linebloom::FilterPolicy::bits_per_key(10.0).level_aware();
    let linebloom = bloom.get_options_from_string(filter.database_options())?;
    {
        let db = DB::open(&linebloom, &folder)?;
        look_up("linebloom, files of Bloom", &linebloom, &db)?;
        let mut whole = rocksdb::CompactOptions::default();
        whole.set_bottommost_level_compaction(rocksdb::BottommostLevelCompaction::Force);
        db.compact_range_opt::<&[u8], &[u8]>(None, None, &whole);
        look_up("linebloom, files of linebloom", &linebloom, &db)?;
    }

    let db = DB::open(&bloom, &folder)?;
    look_up("Bloom, files of linebloom", &bloom, &db)
}
