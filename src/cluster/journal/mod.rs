//! What was finished, kept for a restart: `--journal DIR`.
//!
//! ```text
//!   DIR/journal.json                        what the journal is of: puzzle, method, options, depth, pool   (rank 0, once)
//!   DIR/run-0001-1c5e90d2-rank-00003.tsv    what rank 3 has finished in the first run, a line for each unit
//!   DIR/run-0002-a08b3f17-rank-00000.tsv    and rank 0 in the second, which took it up
//!   DIR/lock                                held by rank 0 of the run that is at it
//! ```
//!
//! Files only grow, and whatever part of a file there is, its lines are good. A restart reads all of them and counts what is
//! missing: with any number of ranks and threads and any schedule, because a unit is known by its place in the pool, and a
//! part of one by its content. Files of runs have names that no other run has, so copies of a journal can be put together.

mod binding;
mod entry;
mod error;
#[doc(hidden)]
pub mod fuzz;
mod read;
mod write;

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

use crate::count::{Pool, Solutions};
use crate::puzzle::Puzzle;
use crate::whole::{read_text, write_whole};

use super::Fault;
use super::auto::Choice;
use super::count::CountPlan;
use super::host::Host;
use super::recipe::PoolRecipe;
use binding::Binding;
use error::at;

pub use error::JournalError;
pub use read::Item;
pub(super) use read::Replay;
pub(super) use write::Scribe;

const SCHEMA: &str = "census-journal/2";
const HEAD: &str = "journal.json";
const LOCK: &str = "lock";
/// The largest head, in bytes: the name of a puzzle may be long.
const MAX_HEAD: u64 = 1 << 20;
/// How long a rank waits for what rank 0 has written to appear on its host: file systems over a network take their time.
const UNTIL_SEEN: Duration = Duration::from_secs(5);

/// A journal that a count is to keep.
#[derive(Clone, Debug)]
pub struct JournalPlan {
    /// Where it is.
    pub folder: PathBuf,
    /// Whether to take up what is there.
    pub resume: bool,
}

/// What a count has taken over from the runs before it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ResumedFrom {
    /// The folder of the journal.
    pub journal: String,
    /// The runs before this one.
    pub runs: u64,
    /// Units of the pool that they had finished.
    pub units: u64,
    /// Parts of units that they had finished.
    pub parts: u64,
    /// Parts of these units that were left.
    pub parts_left: u64,
    /// Solutions that they had found in these.
    pub solutions: Solutions,
    /// Nodes that they had visited for these.
    pub nodes: u64,
    /// Seconds that their workers had counted for these.
    pub seconds: f64,
    /// Lines of the journal that were not whole, and were passed over.
    pub torn_lines: u64,
}

/// A journal that nobody else is at, before it is known what will be counted. On rank 0.
pub(super) struct Opened {
    folder: PathBuf,
    binding: Option<Binding>,
    lock: File,
}

/// A journal that this run keeps. On rank 0.
pub(super) struct Journal {
    keep: Keep,
    /// What earlier runs have finished.
    pub replay: Replay,
    /// Rank 0's own file.
    pub scribe: Scribe,
    /// Held until the run ends.
    _lock: File,
}

/// What a rank has to know to keep its file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Keep {
    folder: PathBuf,
    /// The name of the journal.
    id: String,
    run: u64,
    /// The name of the run, which no other one has: copies of a journal may have been taken up, too.
    run_id: String,
}

impl Opened {
    /// Opens the journal of a plan, or makes its folder.
    pub(super) fn open(plan: &JournalPlan) -> Result<Opened, JournalError> {
        let folder = &plan.folder;
        match fs::create_dir(folder) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(at(folder)(error)),
            _ => {}
        }
        // Ranks may have been started elsewhere: they get the whole path.
        let folder = fs::canonicalize(folder).map_err(at(folder))?;
        if folder.to_str().is_none() {
            return Err(JournalError::Other(folder, "needs a path that is text (UTF-8)".into()));
        }
        // First the lock: another run may be about to write what is read below.
        let lock = lock(&folder)?;
        let head = folder.join(HEAD);
        let text = match read_text(&head, MAX_HEAD) {
            Ok(text) => Some(text),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(at(&head)(error)),
        };
        if text.is_some() && !plan.resume {
            return Err(JournalError::Exists(plan.folder.clone()));
        }
        let binding = text.map(|text| Binding::from_json(&text)).transpose();
        let binding = binding.map_err(|why| JournalError::Other(head, why))?;
        Ok(Opened { folder, binding, lock })
    }

    /// Whether there is no journal yet.
    pub(super) fn is_new(&self) -> bool {
        self.binding.is_none()
    }

    /// Whether what a stop has left of the expansion can be kept: not all of a pool is another pool.
    pub(super) fn is_of(&self, pool: &Pool) -> bool {
        self.binding.as_ref().is_some_and(|binding| binding.check_pool(pool).is_ok())
    }

    /// The method and the pool that the journal is of, if there is one, made again for this plan.
    pub(super) fn choice(
        &self,
        puzzle: &Puzzle,
        plan: &CountPlan,
        stop: &dyn Fn() -> bool,
    ) -> Option<Result<Choice, Fault>> {
        self.binding.as_ref().map(|binding| {
            binding.check(puzzle, plan).map_err(|why| JournalError::Other(self.folder.clone(), why))?;
            binding.again(puzzle, plan, stop)
        })
    }

    /// Begins a run of the journal, and the journal itself where there is none.
    pub(super) fn begin(self, puzzle: &Puzzle, plan: &CountPlan, choice: &Choice) -> Result<Journal, JournalError> {
        let Opened { folder, binding, lock } = self;
        let binding = match binding {
            Some(binding) => {
                let same = binding.check_pool(&choice.pool);
                same.map_err(|why| JournalError::Other(folder.clone(), why))?;
                binding
            }
            None => {
                let binding = Binding::of(puzzle, plan, choice);
                let head = folder.join(HEAD);
                write_whole(&head, |file| file.write_all(binding.to_json().as_bytes())).map_err(at(&head))?;
                binding
            }
        };
        let replay = read::replay(&folder, &binding.id, choice.pool.units(), choice.pool.unit_bytes)?;
        let run_id = format!("{:08x}", fastrand::u32(..));
        let keep = Keep { folder, id: binding.id, run: replay.last_run.saturating_add(1), run_id };
        let scribe = Scribe::begin(&keep, 0)?;
        Ok(Journal { keep, replay, scribe, _lock: lock })
    }
}

/// A journal that is only read.
pub(super) struct Kept {
    folder: PathBuf,
    binding: Binding,
}

impl Kept {
    /// Reads what the journal in a folder is of.
    pub(super) fn open(folder: &Path) -> Result<Kept, JournalError> {
        let head = folder.join(HEAD);
        let text = fs::read_to_string(&head).map_err(|error| match error.kind() {
            ErrorKind::NotFound | ErrorKind::NotADirectory => {
                JournalError::Other(folder.into(), format!("is none: there is no {HEAD}"))
            }
            _ => at(&head)(error),
        })?;
        let binding = Binding::from_json(&text).map_err(|why| JournalError::Other(head, why))?;
        Ok(Kept { folder: folder.into(), binding })
    }

    /// The pool that it is of.
    pub(super) fn recipe(&self) -> &PoolRecipe {
        &self.binding.pool
    }

    /// What it says of the units of its pool, which has been made again. It must say something of all of them.
    pub(super) fn items(&self, pool: &Pool) -> Result<Vec<Item>, JournalError> {
        let replay = read::replay(&self.folder, &self.binding.id, pool.units(), pool.unit_bytes)?;
        let (left, parts) = (pool.units() as u64 - replay.units, replay.rest.len());
        if left > 0 || parts > 0 {
            let why = format!("is not at its end: {left} units and {parts} parts are left, which --resume counts");
            return Err(JournalError::Other(self.folder.clone(), why));
        }
        Ok(replay.items.into_values().collect())
    }
}

impl Journal {
    /// What the other ranks have to know.
    pub(super) fn keep(&self) -> Keep {
        self.keep.clone()
    }

    /// What this run has taken over, if there was a run before it.
    pub(super) fn resumed_from(&self) -> Option<ResumedFrom> {
        let replay = &self.replay;
        (replay.runs > 0 || replay.torn > 0).then(|| ResumedFrom {
            journal: self.keep.folder.display().to_string(),
            runs: replay.runs,
            units: replay.units,
            parts: replay.parts,
            parts_left: replay.rest.len() as u64,
            solutions: replay.solutions,
            nodes: replay.nodes,
            seconds: replay.nanoseconds as f64 / 1e9,
            torn_lines: replay.torn,
        })
    }
}

impl Keep {
    /// Begins the file of a rank other than 0.
    pub(super) fn begin(&self, rank: usize) -> Result<Scribe, JournalError> {
        let start = Instant::now();
        let head = self.folder.join(HEAD);
        let seen =
            || read_text(&head, MAX_HEAD).is_ok_and(|text| Binding::from_json(&text).is_ok_and(|b| b.id == self.id));
        while !seen() {
            if start.elapsed() > UNTIL_SEEN {
                let (host, folder) = (Host::here().name.clone(), self.folder.clone());
                return Err(JournalError::NotShared { rank, host, folder });
            }
            thread::sleep(Duration::from_millis(100));
        }
        Scribe::begin(self, rank)
    }
}

/// Takes the lock of a journal, which goes with the process that holds it, however that ends.
fn lock(folder: &Path) -> Result<File, JournalError> {
    let path = folder.join(LOCK);
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    // What a link points to is not the journal's, and a pipe is no lock.
    #[cfg(unix)]
    OpenOptionsExt::custom_flags(&mut options, (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits() as i32);
    let opened = options.open(&path).and_then(|file| match file.metadata()?.is_file() {
        true => Ok(file),
        false => Err(io::Error::other("is not a regular file")),
    });
    let mut file = opened.map_err(|error| match fs::symlink_metadata(&path) {
        Ok(data) if data.is_symlink() => at(&path)(io::Error::other("is a symbolic link, not the lock of a journal")),
        _ => at(&path)(error),
    })?;
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => {
            let mut holder = String::new();
            let _ = file.read_to_string(&mut holder);
            return Err(JournalError::InUse(folder.into(), holder.trim().into()));
        }
        // A file system may have no locks. Then it is the user who sees to it; counts stay exact, at the worst done twice.
        Err(TryLockError::Error(_)) | Ok(()) => {}
    }
    let (host, process) = (&Host::here().name, std::process::id());
    let since = humantime::format_rfc3339_seconds(SystemTime::now());
    let written = file.set_len(0).and_then(|()| writeln!(file, "process {process} on {host} since {since}"));
    written.map_err(at(&path))?;
    Ok(file)
}
