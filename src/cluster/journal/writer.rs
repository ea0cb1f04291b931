//! The journal file of one rank: what it has counted is written at once, and synced to disk soon (docs/checkpoints.md).
//!
//! Short units share a line: so writing takes a small part of the time for any units. What the system has taken over
//! survives the rank; a sync every other second makes it survive the host.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use parking_lot::{Condvar, Mutex, MutexGuard};

use super::error::at;
use super::line::{JournalLine, LineOf, SubtaskId};
use super::{JournalError, JournalHandle, SCHEMA};
use crate::cluster::abort_job;
use crate::cluster::worker::unit_id::UnitId;
use crate::count::Counted;

/// Units that take less, in total, wait to share a line.
const LINE_TIME: Duration = Duration::from_millis(1);
const BETWEEN_SYNCS: Duration = Duration::from_secs(2);

pub(crate) struct JournalWriter {
    path: PathBuf,
    file: File,
    journal_id: String,
    short_units: Mutex<ShortUnits>,
    /// Something was written since the last sync.
    dirty: AtomicBool,
    /// Held during a sync.
    closed: Mutex<bool>,
    close: Condvar,
}

#[derive(Default)]
struct ShortUnits {
    units: Vec<usize>,
    solutions: u128,
    nodes: u64,
    nanoseconds: u64,
}

pub(crate) fn path_of(handle: &JournalHandle, rank: usize) -> PathBuf {
    handle.folder.join(format!("run-{:04}-{}-rank-{rank:05}.tsv", handle.run, handle.run_id))
}

impl JournalWriter {
    /// Creates the file of a rank, which must not exist.
    pub(crate) fn begin(handle: &JournalHandle, rank: usize) -> Result<JournalWriter, JournalError> {
        let path = path_of(handle, rank);
        let JournalHandle { folder, id, run, run_id } = handle;
        let create = || {
            let mut file = OpenOptions::new().append(true).create_new(true).open(&path)?;
            let columns = "# units\tsolutions\tnodes\tnanoseconds\tsubtasks\tcheck";
            file.write_all(format!("# {SCHEMA}\t{id}\trun {run} {run_id}\trank {rank}\n{columns}\n").as_bytes())?;
            // The name of the file is in the folder, which has to be synced, too.
            File::open(folder)?.sync_all()?;
            Ok(file)
        };
        Ok(JournalWriter {
            file: create().map_err(at(&path))?,
            path,
            journal_id: id.clone(),
            short_units: Mutex::default(),
            dirty: AtomicBool::new(true),
            closed: Mutex::new(false),
            close: Condvar::new(),
        })
    }

    /// Records a unit or subtask that was counted to the end, with the subtasks that were split off.
    pub(crate) fn record(&self, id: UnitId, unit: &[u8], counted: &Counted, took: Duration, subtasks: Vec<Vec<u8>>) {
        // An overflow is not recorded: it will be found again, and is an error then.
        let Some(solutions) = counted.solutions.exact() else { return };
        let (nodes, nanoseconds) = (counted.nodes, took.as_nanos() as u64);
        if took < LINE_TIME && !id.is_subtask && subtasks.is_empty() {
            let mut short = self.short_units.lock();
            if let Some(sum) = short.solutions.checked_add(solutions) {
                short.units.push(id.unit);
                short.solutions = sum;
                short.nodes += nodes;
                short.nanoseconds += nanoseconds;
                if u128::from(short.nanoseconds) >= LINE_TIME.as_nanos() {
                    self.write_short_units(short);
                }
                return;
            }
        }
        let of = match id.is_subtask {
            true => LineOf::Subtask(SubtaskId::of(id.unit, unit)),
            false => LineOf::unit(id.unit),
        };
        self.write(&JournalLine { of, solutions, nodes, nanoseconds, subtasks });
    }

    pub(crate) fn flush(&self) {
        self.write_short_units(self.short_units.lock());
    }

    /// Syncs the file every other second, until it is closed.
    pub(crate) fn sync_until_closed(&self) {
        let mut closed = self.closed.lock();
        while !*closed {
            self.sync();
            self.close.wait_for(&mut closed, BETWEEN_SYNCS);
        }
    }

    /// Writes and syncs what is left.
    pub(crate) fn close(&self) {
        self.flush();
        let mut closed = self.closed.lock();
        *closed = true;
        self.close.notify_all();
        self.sync();
    }

    fn write_short_units(&self, mut short: MutexGuard<ShortUnits>) {
        let ShortUnits { mut units, solutions, nodes, nanoseconds } = std::mem::take(&mut *short);
        drop(short);
        if units.is_empty() {
            return;
        }
        units.sort_unstable();
        let ranges = units.chunk_by(|one, next| one + 1 == *next).map(|run| run[0]..run[0] + run.len());
        let of = LineOf::Units(ranges.collect());
        self.write(&JournalLine { of, solutions, nodes, nanoseconds, subtasks: Vec::new() });
    }

    /// One write for a line, so that lines of several workers do not mix.
    fn write(&self, line: &JournalLine) {
        self.check((&self.file).write_all(line.to_text(&self.journal_id).as_bytes()));
        self.dirty.store(true, Ordering::Release); // after the write: a sync clears it before
    }

    fn sync(&self) {
        if self.dirty.swap(false, Ordering::Acquire) {
            self.check(self.file.sync_data());
        }
    }

    /// A journal that cannot be kept ends the job: it would lose what it is there to keep.
    fn check(&self, done: io::Result<()>) {
        if let Err(error) = done {
            let error = JournalError::Io { path: self.path.clone(), error };
            abort_job(&format!("{error}; what was finished before is in the journal: continue with --resume"), 3);
        }
    }
}
