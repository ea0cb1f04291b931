//! The journal (`--journal DIR`) is the checkpoint of a count: what is finished, kept for a restart.
//! docs/checkpoints.md describes its files.
//!
//! Files only grow, and every intact line of a file is valid, wherever the file ends. A unit is identified by its index
//! in the pool, a subtask by its content. File names contain a random id of the run, so that copies of a journal can be
//! merged.

mod error;
#[doc(hidden)]
pub mod fuzz;
mod header;
mod line;
pub(crate) mod recovery;
mod writer;

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Read, Write};
#[cfg(unix)]
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

#[cfg(unix)]
use rustix::fs::OFlags;
use serde::{Deserialize, Serialize};

use crate::atomic_file::{directory_of, no_folder, read_text, write_atomically};
use crate::cluster::JobError;
use crate::cluster::jobs::count::CountOptions;
use crate::cluster::jobs::prepare::Prepared;
use crate::cluster::lifecycle::host::Host;
use crate::count::Pool;
use crate::puzzle::Puzzle;
use error::at;
use recovery::{Recovery, recover};

pub use error::JournalError;
pub(crate) use header::JournalHeader;
pub use recovery::{JournalTally, ResumedFrom};
pub(crate) use writer::JournalWriter;

const SCHEMA: &str = "census-journal/2";
const HEADER: &str = "journal.json";
const LOCK: &str = "lock";
const MAX_HEADER_BYTES: u64 = 1 << 20;
/// How long a rank waits for the header to appear on its host: network file systems are slow.
const HEADER_TIMEOUT: Duration = Duration::from_secs(5);

#[derive(Clone, Debug)]
pub struct JournalOptions {
    pub folder: PathBuf,
    pub resume: bool,
}

/// On rank 0: a locked journal, before the pool is known.
pub(crate) struct OpenJournal {
    folder: PathBuf,
    /// `None` for a new journal.
    pub header: Option<JournalHeader>,
    lock: File,
}

pub(crate) struct Journal {
    pub handle: JournalHandle,
    pub recovery: Recovery,
    pub writer: JournalWriter,
    /// Held until the run ends.
    _lock: File,
}

/// What a rank has to know to write its file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct JournalHandle {
    folder: PathBuf,
    id: String,
    run: u64,
    /// A random id: copies of a journal may have other runs of this number.
    run_id: String,
}

impl OpenJournal {
    /// Opens the journal, or creates its folder.
    pub(crate) fn open(options: &JournalOptions) -> Result<OpenJournal, JournalError> {
        let folder = &options.folder;
        match fs::create_dir(folder) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return Err(at(folder)(no_folder(directory_of(folder))));
            }
            Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(at(folder)(error)),
            _ => {}
        }
        // Ranks may have another working directory.
        let folder = fs::canonicalize(folder).map_err(at(folder))?;
        if folder.to_str().is_none() {
            return Err(JournalError::Other(folder, "needs a path in UTF-8".into()));
        }
        // The lock first: another run may be about to write the header.
        let lock = lock(&folder)?;
        let path = folder.join(HEADER);
        let text = match read_text(&path, MAX_HEADER_BYTES) {
            Ok(text) => Some(text),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(at(&path)(error)),
        };
        if text.is_some() && !options.resume {
            return Err(JournalError::Exists(options.folder.clone()));
        }
        let header = text.map(|text| JournalHeader::from_json(&text)).transpose();
        let header = header.map_err(|reason| JournalError::Other(path, reason))?;
        Ok(OpenJournal { folder, header, lock })
    }

    /// Whether this is the journal's pool. A pool whose expansion was stopped is not.
    pub(crate) fn is_of(&self, pool: &Pool) -> bool {
        self.header.as_ref().is_some_and(|header| header.check_pool(pool).is_ok())
    }

    /// The journal's method and pool, made again; `None` for a new journal.
    pub(crate) fn prepare(
        &self,
        puzzle: &Puzzle,
        options: &CountOptions,
        stop: &dyn Fn() -> bool,
    ) -> Option<Result<Prepared, JobError>> {
        self.header.as_ref().map(|header| {
            header.check(puzzle, options).map_err(|reason| JournalError::Other(self.folder.clone(), reason))?;
            header.prepare(puzzle, options, stop)
        })
    }

    /// Begins a run. Writes the header of a new journal.
    pub(crate) fn begin(
        self,
        puzzle: &Puzzle,
        options: &CountOptions,
        prepared: &Prepared,
    ) -> Result<Journal, JournalError> {
        let OpenJournal { folder, header, lock } = self;
        let header = match header {
            Some(header) => {
                let same = header.check_pool(&prepared.pool);
                same.map_err(|reason| JournalError::Other(folder.clone(), reason))?;
                header
            }
            None => {
                let header = JournalHeader::new(puzzle, options, prepared);
                let path = folder.join(HEADER);
                let text = serde_json::to_string_pretty(&header).unwrap_or_default() + "\n";
                write_atomically(&path, |file| file.write_all(text.as_bytes())).map_err(at(&path))?;
                header
            }
        };
        let recovery = recover(&folder, &header.id, prepared.pool.units(), prepared.pool.unit_bytes)?;
        let run_id = format!("{:08x}", fastrand::u32(..));
        let handle = JournalHandle { folder, id: header.id, run: recovery.last_run.saturating_add(1), run_id };
        let writer = JournalWriter::begin(&handle, 0)?;
        Ok(Journal { handle, recovery, writer, _lock: lock })
    }
}

/// The header of a journal that is only read.
pub(crate) fn read_header(folder: &Path) -> Result<JournalHeader, JournalError> {
    let path = folder.join(HEADER);
    let text = fs::read_to_string(&path).map_err(|error| match error.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory => {
            JournalError::Other(folder.into(), format!("does not exist: there is no {HEADER}"))
        }
        _ => at(&path)(error),
    })?;
    JournalHeader::from_json(&text).map_err(|reason| JournalError::Other(path, reason))
}

/// The solutions of all units of a journal's pool, which was made again. The journal has to be complete.
pub(crate) fn tallies(folder: &Path, id: &str, pool: &Pool) -> Result<Vec<JournalTally>, JournalError> {
    let recovery = recover(folder, id, pool.units(), pool.unit_bytes)?;
    let (units, subtasks) = (pool.units() as u64 - recovery.found.units, recovery.found.subtasks_left);
    if units > 0 || subtasks > 0 {
        let reason =
            format!("is not complete: {units} units and {subtasks} subtasks are left; count them with --resume");
        return Err(JournalError::Other(folder.into(), reason));
    }
    Ok(recovery.tallies.into_values().collect())
}

impl Journal {
    /// What this run has taken over; `None` without an earlier run.
    pub(crate) fn resumed_from(&self) -> Option<&ResumedFrom> {
        Some(&self.recovery.found).filter(|found| found.runs > 0 || found.torn_lines > 0)
    }
}

impl JournalHandle {
    /// Begins the file of another rank than 0.
    pub(crate) fn begin(&self, rank: usize) -> Result<JournalWriter, JournalError> {
        let start = Instant::now();
        let path = self.folder.join(HEADER);
        let is_visible = || {
            let header = read_text(&path, MAX_HEADER_BYTES).ok().and_then(|text| JournalHeader::from_json(&text).ok());
            header.is_some_and(|header| header.id == self.id)
        };
        while !is_visible() {
            if start.elapsed() > HEADER_TIMEOUT {
                let (host, folder) = (Host::here().name.clone(), self.folder.clone());
                return Err(JournalError::NotShared { rank, host, folder });
            }
            thread::sleep(Duration::from_millis(100));
        }
        JournalWriter::begin(self, rank)
    }
}

/// Takes the lock of a journal. The system releases it when the process ends, in any way.
fn lock(folder: &Path) -> Result<File, JournalError> {
    let path = folder.join(LOCK);
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    // A link may point to a file that is not the journal's, and a pipe would block.
    #[cfg(unix)]
    OpenOptionsExt::custom_flags(&mut options, (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits() as i32);
    let opened = options.open(&path).and_then(|file| match file.metadata()?.is_file() {
        true => Ok(file),
        false => Err(io::Error::other("is not a regular file")),
    });
    let mut file = opened.map_err(|error| match fs::symlink_metadata(&path) {
        Ok(data) if data.is_symlink() => at(&path)(io::Error::other("is a symbolic link, not a lock file")),
        _ => at(&path)(error),
    })?;
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => {
            let mut holder = String::new();
            let _ = file.read_to_string(&mut holder);
            return Err(JournalError::InUse(folder.into(), holder.trim().into()));
        }
        // A file system may have no locks. Counts stay exact then: at worst, work is done twice.
        Err(TryLockError::Error(_)) | Ok(()) => {}
    }
    let (host, process) = (&Host::here().name, std::process::id());
    let since = humantime::format_rfc3339_seconds(SystemTime::now());
    let written = file.set_len(0).and_then(|()| writeln!(file, "process {process} on {host} since {since}"));
    written.map_err(at(&path))?;
    Ok(file)
}
