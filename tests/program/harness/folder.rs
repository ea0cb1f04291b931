//! Temporary folders.

use std::fs;
use std::path::Path;

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

/// The names of all files in a folder, sorted.
pub fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}
