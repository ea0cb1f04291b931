//! Ranks over MPI. The only module that calls it.
//!
//! Thread level FUNNELED: the thread that joined is the only one that communicates. It waits by polling with sleeps in between
//! ([`Backoff`]): MPI's own waits spin, and a spinning rank takes the core from one that counts.

use std::cell::RefCell;
use std::ffi::{c_int, c_void};
use std::ops::Range;
use std::time::{Duration, Instant};
use std::{mem, slice, thread};

use mpi::Threading;
use mpi::collective::UnsafeUserOperation;
use mpi::datatype::{Equivalence, MutView, Partition, PartitionMut, UserDatatype, View};
use mpi::environment::Universe;
use mpi::ffi::MPI_Datatype;
use mpi::request::{Request, StaticScope};
use mpi::topology::SimpleCommunicator;
use mpi::traits::*;
use zerocopy::IntoBytes;

use super::Comm;
use super::backoff::Backoff;
use super::tags::HEARTBEAT;
use super::wire::{Reduction, WORDS};
use crate::cluster::abort_job;
use crate::cluster::lifecycle::finalize;
use crate::cluster::lifecycle::heartbeat::{ACTIVE, Heartbeat, PAUSED};

/// From so many bytes on, a scatter may take longer than the heartbeat timeout.
const LONG_SCATTER: usize = 1 << 20;
/// The longest wait for the rest of a message. A rank that hangs while MPI transfers its message must not stop the heartbeat of this
/// one.
const LONGEST_TRANSFER: Duration = Duration::from_millis(20);

/// The world communicator, from `MPI_Init_thread` to `MPI_Finalize`.
pub(crate) struct World {
    world: SimpleCommunicator,
    threading: Threading,
    /// Sends that have not completed.
    sends: RefCell<Vec<Transfer>>,
    /// The message that is being received: sender, tag, bytes.
    incoming: RefCell<Option<(usize, i32, Transfer)>>,
    heartbeat: RefCell<Option<Heartbeat>>,
    // Dropped last: it calls MPI_Finalize.
    _universe: Universe,
}

/// A send or receive that has not completed: MPI reads or writes the bytes until the request is done.
struct Transfer {
    request: Request<'static, [u8], StaticScope>,
    bytes: *mut [u8],
}

impl Transfer {
    fn test(self) -> Result<Vec<u8>, Transfer> {
        match self.request.test() {
            Err(request) => Err(Transfer { request, ..self }),
            // SAFETY: `bytes` came from `Box::into_raw`. The request held the only reference, and is done.
            Ok(_) => Ok(unsafe { Box::from_raw(self.bytes) }.into_vec()),
        }
    }
}

impl Drop for World {
    fn drop(&mut self) {
        // A rank that leaves after an error cannot wait for its transfers, and a request must not be dropped.
        self.sends.take().into_iter().for_each(mem::forget);
        mem::forget(self.incoming.take());
    }
}

impl World {
    /// Initializes MPI. `None` if the library does not permit threads beside the one that communicates.
    pub(crate) fn join() -> Option<World> {
        let (universe, threading) = mpi::initialize_with_threading(Threading::Funneled)?;
        finalize::keep_components_loaded();
        (threading != Threading::Single).then(|| World {
            world: universe.world(),
            threading,
            sends: RefCell::default(),
            incoming: RefCell::default(),
            heartbeat: RefCell::default(),
            _universe: universe,
        })
    }

    fn barrier(&self) {
        self.barrier_and_poll(&mut || {});
    }

    /// Returns when every rank has called it and all sends of this rank have completed. Calls `poll` while it waits.
    fn barrier_and_poll(&self, poll: &mut dyn FnMut()) {
        let mut request = self.world.immediate_barrier();
        let mut backoff = Backoff::new();
        while let Err(unfinished) = request.test() {
            request = unfinished;
            poll();
            self.poll_heartbeat();
            backoff.wait();
        }
        while !self.all_sent() {
            self.poll_heartbeat();
            backoff.wait();
        }
    }

    /// The next message. MPI transfers a large one in parts, while both sides poll: what has not arrived in time is received by a
    /// later call, before any other message.
    fn receive_any(&self) -> Option<(usize, i32, Vec<u8>)> {
        let (rank, tag, mut transfer) = self.incoming.take().or_else(|| self.begin_receive())?;
        let start = Instant::now();
        let mut backoff = Backoff::new();
        loop {
            match transfer.test() {
                Ok(bytes) => return Some((rank, tag, bytes)),
                Err(unfinished) => transfer = unfinished,
            }
            if start.elapsed() > LONGEST_TRANSFER {
                self.incoming.replace(Some((rank, tag, transfer)));
                return None;
            }
            backoff.expect_answer();
            backoff.wait();
        }
    }

    fn begin_receive(&self) -> Option<(usize, i32, Transfer)> {
        let (message, status) = self.world.any_process().immediate_matched_probe()?;
        let length = status.count(u8::equivalent_datatype()) as usize;
        let bytes = Box::into_raw(vec![0; length].into_boxed_slice());
        // SAFETY: nobody else refers to the bytes until `Transfer::test` has seen the request done.
        let buffer: &'static mut [u8] = unsafe { &mut *bytes };
        let request = message.immediate_matched_receive_into(StaticScope, buffer);
        Some((status.source_rank() as usize, status.tag(), Transfer { request, bytes }))
    }
}

impl Comm for World {
    fn rank(&self) -> usize {
        self.world.rank() as usize
    }

    fn size(&self) -> usize {
        self.world.size() as usize
    }

    fn wtime(&self) -> f64 {
        mpi::time()
    }

    fn wtick(&self) -> f64 {
        mpi::time_resolution()
    }

    fn library(&self) -> Option<String> {
        let version = mpi::environment::library_version().ok()?;
        Some(version.trim_end_matches('\0').lines().next()?.trim().to_string())
    }

    fn thread_level(&self) -> Option<String> {
        Some(format!("{:?}", self.threading).to_lowercase())
    }

    /// Only on several hosts: ranks on one host share memory, and `MPI_Finalize` does not wait for a network.
    fn needs_finalize_workaround(&self) -> bool {
        mpi::environment::library_version().is_ok_and(|library| finalize::needs_workaround(&library))
            && self.world.split_shared(0).size() < self.world.size()
    }

    fn finalize(&self, code: u8) {
        if !self.needs_finalize_workaround() {
            if self.has_heartbeat() {
                finalize::exit_after_timeout(code);
            }
            return;
        }
        self.barrier();
        // MPI's own acknowledgements to other ranks are sent while this rank polls; and the launcher reads its output.
        let end = Instant::now() + Duration::from_millis(300);
        while Instant::now() < end {
            self.receive();
            thread::sleep(Duration::from_millis(1));
        }
        finalize::exit(code);
    }

    fn broadcast(&self, mut bytes: Vec<u8>, poll: &mut dyn FnMut()) -> Vec<u8> {
        self.barrier_and_poll(poll);
        let root = self.world.process_at_rank(0);
        let mut length = bytes.len() as u64;
        root.broadcast_into(&mut length);
        bytes.resize(length as usize, 0);
        root.broadcast_into(&mut bytes[..]);
        bytes
    }

    /// `MPI_Scatterv`: block i of rank 0's units goes to rank i. One unit is one element of a contiguous datatype, because
    /// counts and displacements are 32-bit numbers of elements.
    fn scatter(&self, units: &mut Vec<u8>, unit_bytes: usize, blocks: &[Range<usize>]) -> Vec<u8> {
        // An empty slice may have the address 1, which is Open MPI's MPI_IN_PLACE. All ranks know whether there are units.
        if blocks.iter().all(Range::is_empty) {
            return Vec::new();
        }
        self.barrier();
        let unit = UserDatatype::contiguous(unit_bytes as i32, &u8::equivalent_datatype());
        let root = self.world.process_at_rank(0);
        let mine = blocks[self.rank()].len();
        let mut received = vec![0; (mine * unit_bytes).max(1)];
        // SAFETY: `received` holds at least `mine` times `unit_bytes` bytes: room for `mine` elements of `unit`.
        let mut target = unsafe { MutView::with_count_and_datatype(&mut received[..], mine as i32, &unit) };
        if self.rank() == 0 {
            let counts: Vec<i32> = blocks.iter().map(|block| block.len() as i32).collect();
            let starts: Vec<i32> = blocks.iter().map(|block| block.start as i32).collect();
            let all = units.len() / unit_bytes;
            // SAFETY: `units` holds at least `all` times `unit_bytes` bytes; `Partition` checks the blocks against it.
            let source = unsafe { View::with_count_and_datatype(&units[..], all as i32, &unit) };
            // Ranks that have their block begin to count, and would miss the heartbeat of rank 0.
            let paused = units.len() > LONG_SCATTER && self.pause_heartbeat();
            root.scatter_varcount_into_root(&Partition::new(&source, counts, starts), &mut target);
            if paused {
                self.resume_heartbeat();
            }
            units.drain(..blocks.last().map_or(0, |block| block.end) * unit_bytes);
            units.shrink_to_fit();
        } else {
            root.scatter_varcount_into(&mut target);
        }
        received.truncate(mine * unit_bytes);
        received
    }

    /// `MPI_Reduce` with [`Reduction::merge`] as its operation. Only the result on rank 0 is complete. A reduction is one
    /// element of a contiguous datatype, so that MPI never cuts one in two.
    fn reduce(&self, mine: Reduction) -> Reduction {
        self.barrier();
        let datatype = UserDatatype::contiguous(WORDS as i32, &u64::equivalent_datatype());
        // SAFETY: it is used below only, with `datatype`.
        let merge = unsafe { UnsafeUserOperation::commutative(merge_reductions) };
        let root = self.world.process_at_rank(0);
        let mut merged = mine;
        // SAFETY: both are `WORDS` words, which is one element of `datatype`.
        let (sent, mut received) = unsafe {
            let sent = View::with_count_and_datatype(mine.as_bytes(), 1, &datatype);
            (sent, MutView::with_count_and_datatype(merged.as_mut_bytes(), 1, &datatype))
        };
        if self.rank() == 0 {
            root.reduce_into_root(&sent, &mut received, &merge);
        } else {
            root.reduce_into(&sent, &merge);
        }
        merged
    }

    fn gather(&self, mine: &[u8]) -> Vec<Vec<u8>> {
        self.barrier();
        let root = self.world.process_at_rank(0);
        let length = mine.len() as i32;
        if self.rank() != 0 {
            root.gather_into(&length);
            root.gather_varcount_into(mine);
            return Vec::new();
        }
        let mut lengths = vec![0i32; self.size()];
        root.gather_into_root(&length, &mut lengths[..]);
        let next_start = |end: &mut i32, length: &i32| Some(mem::replace(end, *end + length));
        let starts: Vec<i32> = lengths.iter().scan(0, next_start).collect();
        let mut bytes = vec![0; lengths.iter().sum::<i32>() as usize];
        let mut target = PartitionMut::new(&mut bytes[..], &lengths[..], &starts[..]);
        root.gather_varcount_into_root(mine, &mut target);
        starts
            .iter()
            .zip(&lengths)
            .map(|(&start, &length)| bytes[start as usize..][..length as usize].to_vec())
            .collect()
    }

    /// Sends a message without waiting. The bytes are kept until MPI is done with them.
    fn send(&self, to: usize, (tag, bytes): (i32, Vec<u8>)) {
        let bytes = Box::into_raw(bytes.into_boxed_slice());
        // SAFETY: the bytes are neither moved nor written to until `Transfer::test` has seen the request done.
        let message: &'static [u8] = unsafe { &*bytes };
        let to = self.world.process_at_rank(to as i32);
        let request = to.immediate_send_with_tag(StaticScope, message, tag);
        self.sends.borrow_mut().extend(Transfer { request, bytes }.test().err());
    }

    fn all_sent(&self) -> bool {
        let mut sends = self.sends.borrow_mut();
        let unfinished = mem::take(&mut *sends);
        sends.extend(unfinished.into_iter().filter_map(|send| send.test().err()));
        sends.is_empty()
    }

    fn receive(&self) -> Option<(usize, i32, Vec<u8>)> {
        self.poll_heartbeat();
        loop {
            let (rank, tag, bytes) = self.receive_any()?;
            if let Some(heartbeat) = &mut *self.heartbeat.borrow_mut() {
                heartbeat.receive(rank, bytes.first().copied().filter(|_| tag == HEARTBEAT));
            }
            if tag != HEARTBEAT {
                return Some((rank, tag, bytes));
            }
        }
    }

    fn start_heartbeat(&self, timeout: Duration, hosts: &[String]) {
        self.heartbeat.replace(Some(Heartbeat::new(timeout, self.rank(), hosts, Instant::now())));
    }

    fn has_heartbeat(&self) -> bool {
        self.heartbeat.borrow().is_some()
    }

    fn resume_heartbeat(&self) {
        if let Some(heartbeat) = &mut *self.heartbeat.borrow_mut() {
            heartbeat.resume(Instant::now());
        }
    }

    fn pause_heartbeat(&self) -> bool {
        let mut heartbeat = self.heartbeat.borrow_mut();
        let Some(heartbeat) = heartbeat.as_mut().filter(|heartbeat| heartbeat.active && self.rank() == 0) else {
            return false;
        };
        if heartbeat.pause() {
            heartbeat.peers().for_each(|rank| self.send(rank, (HEARTBEAT, vec![PAUSED])));
        }
        true
    }

    fn poll_heartbeat(&self) {
        let mut heartbeat = self.heartbeat.borrow_mut();
        let now = Instant::now();
        let Some(heartbeat) = heartbeat.as_mut().filter(|heartbeat| heartbeat.is_due(now)) else { return };
        while let Some(message) = self.world.any_process().immediate_matched_probe_with_tag(HEARTBEAT) {
            let (bytes, status) = message.matched_receive_vec();
            heartbeat.receive(status.source_rank() as usize, bytes.first().copied());
        }
        match heartbeat.check(now) {
            Ok(true) => heartbeat.peers().for_each(|rank| self.send(rank, (HEARTBEAT, vec![ACTIVE]))),
            Ok(false) => {}
            Err(lost) => abort_job(&lost, 3),
        }
    }
}

/// The operation of `MPI_Reduce`. A plain function, because `UserOperation` with a closure needs libffi and a C compiler.
///
/// # Safety
/// MPI passes `length` elements of `WORDS` words each, aligned as words, in two buffers that do not overlap.
unsafe extern "C" fn merge_reductions(from: *mut c_void, into: *mut c_void, length: *mut c_int, _: *mut MPI_Datatype) {
    // SAFETY: see above. A reduction is `WORDS` words, and has a meaning for any of them.
    let (from, into) = unsafe {
        let (from, into, length) = (from.cast::<Reduction>(), into.cast::<Reduction>(), *length as usize);
        (slice::from_raw_parts(from, length), slice::from_raw_parts_mut(into, length))
    };
    for (from, into) in from.iter().zip(into) {
        *into = into.merge(from);
    }
}

/// Aborts the job if MPI is initialized: a rank that only exits would keep the others waiting for ever.
pub(crate) fn abort_if_initialized(code: i32) {
    if mpi::environment::is_initialized() && !mpi::environment::is_finalized() {
        // MPICH's launcher drops output that it has not read when a rank aborts, and does not report what it has read.
        thread::sleep(Duration::from_millis(300));
        SimpleCommunicator::world().abort(code);
    }
}
