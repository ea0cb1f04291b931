//! The peers that come as crates, each used in its fastest way to count all solutions.

pub mod sudoku;

/// A crate with its version, as tables show it. The version is the one in the lock file, so that it is never a stale one.
pub fn versioned(name: &str) -> String {
    let lock = include_str!("../../Cargo.lock");
    let entry = format!("name = \"{name}\"\nversion = \"");
    let version = lock.split_once(&entry).and_then(|(_, rest)| rest.split('"').next());
    format!("`{name}` {}", version.unwrap_or("of unknown version"))
}
