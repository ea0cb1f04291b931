//! A folder of a test's own, and the golden puzzles.

use std::fs;
use std::path::{Path, PathBuf};

/// A folder that goes when the test ends.
pub struct Folder(tempfile::TempDir);

impl Folder {
    pub fn new() -> Folder {
        Folder(tempfile::tempdir().expect("a temporary folder"))
    }

    /// The path of something in it, as an argument.
    pub fn path(&self, name: &str) -> String {
        self.0.path().join(name).to_str().expect("a printable path").to_owned()
    }

    /// The path of a file in it with this content.
    pub fn file(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let path = self.path(name);
        fs::write(&path, content).expect("a test may write in its own folder");
        path
    }

    /// The names of everything in it, hidden files too.
    pub fn names(&self) -> Vec<String> {
        names(self.0.path())
    }
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// The puzzle files in a folder of `tests/golden`, each with its expected number of solutions in its header.
pub fn golden(folder: &str) -> Vec<String> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(folder);
    let path = |name: String| folder.join(name).to_str().expect("a printable path").to_owned();
    names(&folder).into_iter().map(path).collect()
}

/// The nodes of a puzzle of `tests/golden/shapes` in a report, which do not depend on who counted what: beyond 16×16, where
/// they depend on which parts of the puzzle are multiplied, 0.
pub fn nodes_of_shape(puzzle: &serde_json::Value) -> u64 {
    let nodes = puzzle["nodes"].as_u64().expect("a number of nodes");
    let large = ["boxes5x5", "boxes8x8", "latin37"].map(Some).contains(&puzzle["name"].as_str());
    if large { 0 } else { nodes }
}
