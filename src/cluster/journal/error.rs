//! Why a journal cannot be kept or taken up, in words.

use std::io;
use std::path::{Path, PathBuf};

use super::HEAD;

/// Why a journal cannot be kept or taken up.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// There is one, and nobody said to take it up.
    #[error("{}: there is a journal here already: --resume takes it up, another folder begins a new one", .0.display())]
    Exists(PathBuf),
    /// It is of something else.
    #[error("{}: this journal {}", .0.display(), .1)]
    Other(PathBuf, String),
    /// A file of another journal is in the folder.
    #[error("{}: belongs to another journal", .0.display())]
    ForeignFile(PathBuf),
    /// Another run is at it.
    #[error("{}: another run is at this journal: {}", .0.display(), .1)]
    InUse(PathBuf, String),
    /// A rank does not see the folder that rank 0 sees.
    #[error(
        "rank {rank} on {host} does not see {HEAD} in {}: a journal needs a folder that all hosts share",
        folder.display()
    )]
    NotShared {
        /// The rank.
        rank: usize,
        /// Its host.
        host: String,
        /// The folder.
        folder: PathBuf,
    },
    /// It cannot be read or written.
    #[error("{}: {error}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
}

impl JournalError {
    /// Whether the user asked for something that cannot be, rather than that something broke.
    pub fn is_usage(&self) -> bool {
        !matches!(self, JournalError::Io { .. } | JournalError::InUse(..) | JournalError::NotShared { .. })
    }
}

/// Names the file or folder at which something went wrong.
pub(super) fn at(path: &Path) -> impl FnOnce(io::Error) -> JournalError {
    move |error| JournalError::Io { path: path.into(), error }
}
