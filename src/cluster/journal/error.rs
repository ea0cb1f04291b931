//! Why a journal cannot be kept or resumed.

use std::io;
use std::path::{Path, PathBuf};

use super::HEADER;

#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    #[error("{}: the folder has a journal: use --resume to continue it, or another folder to begin a new one", .0.display())]
    Exists(PathBuf),
    /// It belongs to another count, or to another version of census.
    #[error("{}: this journal {}", .0.display(), .1)]
    Other(PathBuf, String),
    #[error("{}: this file belongs to another journal: move it away", .0.display())]
    ForeignFile(PathBuf),
    #[error("{}: the journal is in use by {}", .0.display(), .1)]
    InUse(PathBuf, String),
    #[error(
        "rank {rank} on {host} does not see {HEADER} in {}: a journal needs a folder that all hosts share",
        folder.display()
    )]
    NotShared { rank: usize, host: String, folder: PathBuf },
    #[error("{}: {error}", path.display())]
    Io { path: PathBuf, error: io::Error },
}

impl JournalError {
    /// Whether it is an error of usage, not of the machine.
    pub fn is_usage(&self) -> bool {
        !matches!(self, JournalError::Io { .. } | JournalError::InUse(..) | JournalError::NotShared { .. })
    }
}

/// An I/O error with its file or folder.
pub(crate) fn at(path: &Path) -> impl FnOnce(io::Error) -> JournalError {
    move |error| JournalError::Io { path: path.into(), error }
}
