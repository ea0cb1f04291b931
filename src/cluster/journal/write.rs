//! A rank's own file of a journal: what it has finished goes there at once, and onto the disk soon.
//!
//! A unit that takes a millisecond or more is written before its worker begins another. Shorter ones wait until there is a
//! millisecond of them, or until a worker has nothing to do, and share a line: so writing never takes more than a small
//! part of the time, whatever the units are, and no more than that is lost when a rank is killed. What the system has
//! taken over survives the rank; so that it survives the host, too, it is put onto the disk every other second.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::cluster::give_up;
use crate::cluster::label::Label;
use crate::count::Counted;

use super::entry::{Entry, PartId, What};
use super::error::at;
use super::{JournalError, Keep, SCHEMA};

/// Units that take less than this, together, wait to share a line.
const WORTH_A_LINE: Duration = Duration::from_millis(1);
/// How often what was written is put onto the disk.
const BETWEEN_SYNCS: Duration = Duration::from_secs(2);

/// Writes the file of one rank in one run.
pub(in crate::cluster) struct Scribe {
    path: PathBuf,
    file: File,
    /// The name of the journal.
    id: String,
    pending: Mutex<Pending>,
    /// Whether something was written that may not be on the disk.
    written: AtomicBool,
    /// Whether the file is closed; held by whoever puts it onto the disk.
    closed: Mutex<bool>,
    closing: Condvar,
}

/// Short units that wait to share a line.
#[derive(Default)]
struct Pending {
    units: Vec<usize>,
    solutions: u128,
    nodes: u64,
    nanoseconds: u64,
}

/// The file of a rank in a run.
pub(super) fn file_of(keep: &Keep, rank: usize) -> PathBuf {
    keep.folder.join(format!("run-{:04}-{}-rank-{rank:05}.tsv", keep.run, keep.run_id))
}

impl Scribe {
    /// Begins the file of a rank in a run. It must not be there.
    pub(super) fn begin(keep: &Keep, rank: usize) -> Result<Scribe, JournalError> {
        let path = file_of(keep, rank);
        Scribe::begin_at(&path, keep, rank).map_err(at(&path))
    }

    fn begin_at(path: &Path, keep: &Keep, rank: usize) -> io::Result<Scribe> {
        let mut file = OpenOptions::new().append(true).create_new(true).open(path)?;
        let Keep { folder, id, run, run_id } = keep;
        let columns = "# units\tsolutions\tnodes\tnanoseconds\tparts\tcheck";
        file.write_all(format!("# {SCHEMA}\t{id}\trun {run} {run_id}\trank {rank}\n{columns}\n").as_bytes())?;
        // The name of a new file is kept by its folder, which has to be on the disk, too.
        File::open(folder)?.sync_all()?;
        Ok(Scribe {
            path: path.into(),
            file,
            id: id.clone(),
            pending: Mutex::default(),
            written: AtomicBool::new(true),
            closed: Mutex::new(false),
            closing: Condvar::new(),
        })
    }

    /// Writes down a unit, or a part of one, that was counted to its end, with the parts that were split off meanwhile.
    pub(in crate::cluster) fn record(
        &self,
        label: Label,
        unit: &[u8],
        counted: &Counted,
        took: Duration,
        parts: Vec<Vec<u8>>,
    ) {
        // Too many to tell: that will be found again, and is an error then.
        let Some(solutions) = counted.solutions.exact() else { return };
        let (nodes, nanoseconds) = (counted.nodes, took.as_nanos() as u64);
        if took < WORTH_A_LINE && !label.part && parts.is_empty() {
            let mut pending = self.pending();
            if let Some(sum) = pending.solutions.checked_add(solutions) {
                pending.units.push(label.unit);
                pending.solutions = sum;
                pending.nodes += nodes;
                pending.nanoseconds += nanoseconds;
                if u128::from(pending.nanoseconds) >= WORTH_A_LINE.as_nanos() {
                    self.write_pending(pending);
                }
                return;
            }
        }
        let what = match label.part {
            true => What::Part(PartId::of(label.unit, unit)),
            false => What::unit(label.unit),
        };
        self.write(&Entry { what, solutions, nodes, nanoseconds, parts });
    }

    /// Writes down what has been waiting to share a line.
    pub(in crate::cluster) fn flush(&self) {
        self.write_pending(self.pending());
    }

    /// Puts what was written onto the disk every other second, until the file is closed.
    pub(in crate::cluster) fn keep_on_disk(&self) {
        let mut closed = self.closed.lock().unwrap_or_else(PoisonError::into_inner);
        while !*closed {
            self.sync();
            closed = self.closing.wait_timeout(closed, BETWEEN_SYNCS).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Writes down what is left, puts it onto the disk, and lets go of who has done that so far, when it is done.
    pub(in crate::cluster) fn close(&self) {
        self.flush();
        let mut closed = self.closed.lock().unwrap_or_else(PoisonError::into_inner);
        *closed = true;
        self.closing.notify_all();
        self.sync();
    }

    fn pending(&self) -> MutexGuard<'_, Pending> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write_pending(&self, mut pending: MutexGuard<Pending>) {
        let Pending { mut units, solutions, nodes, nanoseconds } = std::mem::take(&mut *pending);
        drop(pending);
        if units.is_empty() {
            return;
        }
        units.sort_unstable();
        let ranges = units.chunk_by(|one, next| one + 1 == *next).map(|run| run[0]..run[0] + run.len());
        self.write(&Entry { what: What::Units(ranges.collect()), solutions, nodes, nanoseconds, parts: Vec::new() });
    }

    /// One line, in one write: lines of several workers do not mix.
    fn write(&self, entry: &Entry) {
        self.check((&self.file).write_all(entry.to_line(&self.id).as_bytes()));
        self.written.store(true, Ordering::Release); // and not before: whoever syncs takes it back
    }

    fn sync(&self) {
        if self.written.swap(false, Ordering::Acquire) {
            self.check(self.file.sync_data());
        }
    }

    /// A journal that cannot be kept is the end of the job: it would be a promise that is not kept.
    fn check(&self, done: io::Result<()>) {
        if let Err(error) = done {
            let error = JournalError::Io { path: self.path.clone(), error };
            give_up(&format!("{error}; what was finished before is in the journal: --resume takes it up"), 3);
        }
    }
}
