#![doc = include_str!("../README.md")]
#![warn(clippy::all)]

use std::ffi::{c_char, c_void, CStr, CString};
use std::fmt;

use librocksdb_sys as _; // links RocksDB

extern "C" {
    fn linebloom_register_filter_policy();
    fn linebloom_filterpolicy_create_from_string(
        options: *const c_char,
        errptr: *mut *mut c_char,
    ) -> *mut c_void;
    fn rocksdb_filterpolicy_destroy(policy: *mut c_void);
    fn rocksdb_free(pointer: *mut c_void);
}

/// What RocksDB or linebloom says of options that it refuses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error(String);

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for Error {}

/// Lets every option string and options file of this process name `linebloom`.
/// Call it before the first one. Further calls have no effect. An error says
/// that the RocksDB this runs in is not the one linebloom was compiled for;
/// then linebloom stays unregistered.
pub fn register() -> Result<(), Error> {
    // SAFETY: takes nothing, and may be called at any time and by any thread.
    unsafe { linebloom_register_filter_policy() };
    FilterPolicy::bits_per_key(10.0).check()
}

/// The options of a filter policy, each as in docs/options.md of linebloom.
/// Values are checked by [`check`](Self::check), and when a database is opened.
#[derive(Debug, Clone, PartialEq)]
pub struct FilterPolicy {
    options: Vec<(&'static str, String)>,
    needs_listener: bool,
}

impl FilterPolicy {
    fn new(name: &'static str, value: String) -> Self {
        let needs_listener = value == "auto";
        FilterPolicy { options: vec![(name, value)], needs_listener }
    }

    fn with(mut self, name: &'static str, value: impl fmt::Display) -> Self {
        self.options.retain(|(known, _)| *known != name);
        self.options.push((name, value.to_string()));
        self
    }

    /// The bits that read least, if filters are in the block cache
    /// (`BlockBasedOptions::set_cache_index_and_filter_blocks`); else 10.
    pub fn auto() -> Self {
        Self::new("bits_per_key", "auto".to_string())
    }

    /// As much memory for every key: 0 to 30 bits, below 0.5 no filter.
    pub fn bits_per_key(bits: f64) -> Self {
        Self::new("bits_per_key", bits.to_string())
    }

    /// As many bits as it takes for this rate of false positives, between 0 and 1.
    pub fn false_positive_rate(rate: f64) -> Self {
        Self::new("false_positive_rate", rate.to_string())
    }

    /// Shares memory among levels so that lookups read the fewest blocks.
    pub fn level_aware(mut self) -> Self {
        self.needs_listener = true;
        self.with("level_aware", true)
    }

    /// A classic Bloom filter in each line, which builds faster.
    pub fn plain(self) -> Self {
        self.with("line", "plain")
    }

    /// A random seed for each process, where others choose the keys. Lookups of
    /// missing keys then take two to three times as long.
    pub fn random_hash_seed(self) -> Self {
        self.with("hash_seed", "random")
    }

    /// The policy in an option string, for `filter_policy=`.
    pub fn option_string(&self) -> String {
        let options: String =
            self.options.iter().map(|(name, value)| format!("{name}={value};")).collect();
        format!("{{id=linebloom;{options}}}")
    }

    /// For `rocksdb::Options::get_options_from_string`: the policy, and the
    /// listener if the policy can use it. Other options of the block-based table
    /// stay as they were.
    pub fn database_options(&self) -> String {
        let listener = if self.needs_listener { "listeners=linebloom_level_sizes;" } else { "" };
        format!("{listener}block_based_table_factory={{filter_policy={}}}", self.option_string())
    }

    /// Whether linebloom takes these options.
    pub fn check(&self) -> Result<(), Error> {
        let text = CString::new(self.option_string()).expect("numbers and names have no NUL");
        let mut problem: *mut c_char = std::ptr::null_mut();
        // SAFETY: `text` and `problem` outlive the call; the policy is destroyed
        // and the message freed once, by RocksDB, as linebloom/c.h says.
        unsafe {
            let policy = linebloom_filterpolicy_create_from_string(text.as_ptr(), &mut problem);
            if !policy.is_null() {
                rocksdb_filterpolicy_destroy(policy);
                return Ok(());
            }
            let message = CStr::from_ptr(problem).to_string_lossy().into_owned();
            rocksdb_free(problem.cast());
            Err(Error(message))
        }
    }
}
