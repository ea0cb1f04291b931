//! Temporary folders, and the golden puzzles.

use std::fs;
use std::path::{Path, PathBuf};

/// A temporary folder, removed at the end of the test.
pub struct Folder(tempfile::TempDir);

impl Folder {
    pub fn new() -> Folder {
        Folder(tempfile::tempdir().expect("a temporary folder"))
    }

    /// The path of a file in it, as an argument.
    pub fn path(&self, name: &str) -> String {
        self.0.path().join(name).to_str().expect("a printable path").to_owned()
    }

    /// Writes a file; returns its path.
    pub fn file(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let path = self.path(name);
        fs::write(&path, content).expect("the folder is writable");
        path
    }

    /// The names of all files, hidden ones too.
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

/// The puzzle files in a folder of `tests/golden`, whose headers have the expected counts.
pub fn golden(folder: &str) -> Vec<String> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(folder);
    let path = |name: String| folder.join(name).to_str().expect("a printable path").to_owned();
    names(&folder).into_iter().map(path).collect()
}

/// The nodes of a puzzle of `tests/golden/shapes` in a report, as far as they do not depend on ranks and threads: 0 beyond 16×16, where
/// they depend on which parts of the puzzle are multiplied.
pub fn nodes_of_shape(puzzle: &serde_json::Value) -> u64 {
    let nodes = puzzle["nodes"].as_u64().expect("a number of nodes");
    let large = ["boxes5x5", "boxes8x8", "latin37"].map(Some).contains(&puzzle["name"].as_str());
    if large { 0 } else { nodes }
}
