//! Ranks over MPI. The only file that calls it.
//!
//! Thread level FUNNELED: the thread that joined does all the talking. Waiting is done by polling with sleeps between
//! (`Backoff`), because MPI's own waits spin, and a spinning rank takes the core from one that counts.

mod touch;

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
use mpi::point_to_point::MatchedReceiveVec;
use mpi::request::{Request, StaticScope};
use mpi::topology::SimpleCommunicator;
use mpi::traits::*;

use super::backoff::Backoff;
use super::farewell;
use super::pulse::Pulse;
use super::wire::{Summary, WORDS, Words};
use touch::PULSE;

/// Bytes of a scatter that may take longer than others like to wait for a sign of life.
const LONG_SCATTER: usize = 1 << 20;

/// The world communicator, from `MPI_Init_thread` to `MPI_Finalize`.
pub(super) struct World {
    world: SimpleCommunicator,
    threading: Threading,
    /// Messages that MPI has not taken over yet.
    outbox: RefCell<Vec<Outgoing>>,
    /// Who is there, where ranks look after each other.
    pulse: RefCell<Option<Pulse>>,
    // Dropped last: it calls MPI_Finalize.
    _universe: Universe,
}

/// A message on its way: MPI reads the bytes until the request is done.
struct Outgoing {
    request: Request<'static, [u8], StaticScope>,
    bytes: *mut [u8],
}

impl Outgoing {
    /// Sees whether MPI is done with the message; gives it back if not.
    fn test(self) -> Option<Outgoing> {
        match self.request.test() {
            Err(request) => Some(Outgoing { request, ..self }),
            Ok(_) => {
                // SAFETY: `bytes` came from `Box::into_raw` in `World::send`, and nobody else has them: the request, which
                // held the only reference, is done.
                drop(unsafe { Box::from_raw(self.bytes) });
                None
            }
        }
    }
}

impl Drop for World {
    fn drop(&mut self) {
        // A rank that leaves in the middle of a conversation cannot wait for its messages; a request must not be dropped.
        self.outbox.take().into_iter().for_each(mem::forget);
    }
}

impl World {
    /// Starts MPI. `None` if it cannot be started with worker threads beside the thread that talks.
    pub(super) fn join() -> Option<World> {
        let (universe, threading) = mpi::initialize_with_threading(Threading::Funneled)?;
        (threading != Threading::Single).then(|| World {
            world: universe.world(),
            threading,
            outbox: RefCell::default(),
            pulse: RefCell::default(),
            _universe: universe,
        })
    }

    pub(super) fn rank(&self) -> usize {
        self.world.rank() as usize
    }

    pub(super) fn size(&self) -> usize {
        self.world.size() as usize
    }

    /// `MPI_Wtime`.
    pub(super) fn seconds(&self) -> f64 {
        mpi::time()
    }

    /// `MPI_Wtick`.
    pub(super) fn resolution(&self) -> f64 {
        mpi::time_resolution()
    }

    /// The first line of the library's own description.
    pub(super) fn library(&self) -> String {
        let version = mpi::environment::library_version().unwrap_or_default();
        version.trim_end_matches('\0').lines().next().unwrap_or_default().trim().to_string()
    }

    pub(super) fn thread_level(&self) -> &'static str {
        match self.threading {
            Threading::Single => "single",
            Threading::Funneled => "funneled",
            Threading::Serialized => "serialized",
            Threading::Multiple => "multiple",
        }
    }

    /// Whether ranks have to take leave of the launcher themselves. All of them ask, or none.
    pub(super) fn takes_leave(&self) -> bool {
        // On one host it is memory that they share, and nobody has to wait.
        mpi::environment::library_version().is_ok_and(|library| farewell::is_needed(&library))
            && self.world.split_shared(0).size() < self.world.size()
    }

    /// Every rank calls it when all is said. Returns, unless this library's own farewell would not.
    pub(super) fn leave(&self, code: u8) {
        if !self.takes_leave() {
            // On one host, the launcher cannot be cut off.
            if self.pulse.borrow().is_some() {
                farewell::end_in_any_case(code);
            }
            return;
        }
        self.meet();
        // What others still have to hear from MPI on this rank is said while it polls; and the launcher reads what was printed.
        let end = Instant::now() + Duration::from_millis(300);
        while Instant::now() < end {
            self.receive();
            thread::sleep(Duration::from_millis(1));
        }
        farewell::leave(code);
    }

    /// Returns when every rank has called it.
    pub(super) fn meet(&self) {
        self.meet_and(&mut || {});
    }

    /// Returns when every rank has called it, and does something again and again until then.
    fn meet_and(&self, meanwhile: &mut dyn FnMut()) {
        let mut request = self.world.immediate_barrier();
        let mut backoff = Backoff::new();
        while let Err(unfinished) = request.test() {
            request = unfinished;
            meanwhile();
            self.beat();
            backoff.wait();
        }
        while !self.all_sent() {
            self.beat();
            backoff.wait();
        }
    }

    /// The bytes of rank 0, on every rank.
    pub(super) fn broadcast(&self, mut bytes: Vec<u8>, meanwhile: &mut dyn FnMut()) -> Vec<u8> {
        self.meet_and(meanwhile);
        let root = self.world.process_at_rank(0);
        let mut length = bytes.len() as u64;
        root.broadcast_into(&mut length);
        bytes.resize(length as usize, 0);
        root.broadcast_into(&mut bytes[..]);
        bytes
    }

    /// `MPI_Scatterv`: block i of rank 0's units goes to rank i. One unit is one element of a contiguous datatype, so
    /// that neither counts nor displacements, which are 32-bit, speak of bytes.
    pub(super) fn scatter(&self, units: &[u8], unit_bytes: usize, blocks: &[Range<usize>]) -> Vec<u8> {
        // Nothing that is handed over may be empty: a slice of no bytes may have the address 1, and that is how Open MPI
        // spells MPI_IN_PLACE. So where there are no units (all ranks know), there is no scatter.
        if blocks.iter().all(Range::is_empty) {
            return Vec::new();
        }
        self.meet();
        let unit = UserDatatype::contiguous(unit_bytes as i32, &u8::equivalent_datatype());
        let root = self.world.process_at_rank(0);
        let mine = blocks[self.rank()].len();
        let mut received = vec![0; (mine * unit_bytes).max(1)];
        // SAFETY: `received` holds `mine` times `unit_bytes` bytes or more, room for `mine` elements of `unit`.
        let mut target = unsafe { MutView::with_count_and_datatype(&mut received[..], mine as i32, &unit) };
        if self.rank() == 0 {
            let counts: Vec<i32> = blocks.iter().map(|block| block.len() as i32).collect();
            let starts: Vec<i32> = blocks.iter().map(|block| block.start as i32).collect();
            let all = units.len() / unit_bytes;
            // SAFETY: `units` holds `all` times `unit_bytes` bytes or more; `Partition` checks the blocks against it.
            let source = unsafe { View::with_count_and_datatype(units, all as i32, &unit) };
            // Those that have their block begin to count, and must not wonder why rank 0 is silent.
            let leading = units.len() > LONG_SCATTER && self.step_out();
            root.scatter_varcount_into_root(&Partition::new(&source, counts, starts), &mut target);
            if leading {
                self.step_in();
            }
        } else {
            root.scatter_varcount_into(&mut target);
        }
        received.truncate(mine * unit_bytes);
        received
    }

    /// The one `MPI_Reduce` of a count, with [`Summary::merge`] as its operation. Only rank 0's result is the whole.
    /// A summary is one element of a derived datatype, so that MPI never cuts one in two.
    pub(super) fn reduce(&self, mine: Summary) -> Summary {
        self.meet();
        let summary = UserDatatype::contiguous(WORDS as i32, &u64::equivalent_datatype());
        // SAFETY: it is used below and nowhere else, with `summary` as its datatype.
        let merge = unsafe { UnsafeUserOperation::commutative(merge_summaries) };
        let root = self.world.process_at_rank(0);
        let (sent, mut merged) = (mine.to_words(), mine.to_words());
        // SAFETY: both are `WORDS` words, which is one element of `summary`.
        let (sent, mut received) = unsafe {
            let sent = View::with_count_and_datatype(&sent[..], 1, &summary);
            (sent, MutView::with_count_and_datatype(&mut merged[..], 1, &summary))
        };
        if self.rank() == 0 {
            root.reduce_into_root(&sent, &mut received, &merge);
        } else {
            root.reduce_into(&sent, &merge);
        }
        Summary::from_words(&merged)
    }

    /// The bytes of every rank, on rank 0; nothing elsewhere.
    pub(super) fn gather(&self, mine: &[u8]) -> Vec<Vec<u8>> {
        self.meet();
        let root = self.world.process_at_rank(0);
        let length = mine.len() as i32;
        if self.rank() != 0 {
            root.gather_into(&length);
            root.gather_varcount_into(mine);
            return Vec::new();
        }
        let mut lengths = vec![0i32; self.size()];
        root.gather_into_root(&length, &mut lengths[..]);
        let starts: Vec<i32> = lengths
            .iter()
            .scan(0, |end, length| {
                let start = *end;
                *end += length;
                Some(start)
            })
            .collect();
        let mut bytes = vec![0; lengths.iter().sum::<i32>() as usize];
        let mut target = PartitionMut::new(&mut bytes[..], &lengths[..], &starts[..]);
        root.gather_varcount_into_root(mine, &mut target);
        let part = |(&start, &length): (&i32, &i32)| bytes[start as usize..][..length as usize].to_vec();
        starts.iter().zip(&lengths).map(part).collect()
    }

    /// Sends a message, without waiting for anybody: what MPI cannot take over at once is kept until it can.
    pub(super) fn send(&self, to: usize, tag: i32, bytes: Vec<u8>) {
        let bytes = Box::into_raw(bytes.into_boxed_slice());
        // SAFETY: the bytes stay where they are until `Outgoing::test` has seen the request done, and are not written to.
        let message: &'static [u8] = unsafe { &*bytes };
        let to = self.world.process_at_rank(to as i32);
        let request = to.immediate_send_with_tag(StaticScope, message, tag);
        self.outbox.borrow_mut().extend(Outgoing { request, bytes }.test());
    }

    /// Sees whether MPI has taken over all that was sent.
    pub(super) fn all_sent(&self) -> bool {
        let mut outbox = self.outbox.borrow_mut();
        let waiting = mem::take(&mut *outbox);
        outbox.extend(waiting.into_iter().filter_map(Outgoing::test));
        outbox.is_empty()
    }

    /// A message that has come in, if there is one: sender, tag, bytes.
    pub(super) fn receive(&self) -> Option<(usize, i32, Vec<u8>)> {
        self.beat();
        loop {
            let (bytes, status) = self.world.any_process().immediate_matched_probe()?.matched_receive_vec();
            let (rank, tag) = (status.source_rank() as usize, status.tag());
            if let Some(pulse) = &mut *self.pulse.borrow_mut() {
                pulse.hear(rank, bytes.first().copied().filter(|_| tag == PULSE));
            }
            if tag != PULSE {
                return Some((rank, tag, bytes));
            }
        }
    }
}

/// What `MPI_Reduce` calls. A plain function, not `UserOperation` and a closure: that would take libffi, and a C build of it.
///
/// # Safety
/// MPI hands over `length` elements of `WORDS` words each, aligned as words, in two buffers that do not overlap.
unsafe extern "C" fn merge_summaries(from: *mut c_void, into: *mut c_void, length: *mut c_int, _: *mut MPI_Datatype) {
    // SAFETY: as promised above.
    let (from, into) = unsafe {
        let length = *length as usize;
        (slice::from_raw_parts(from.cast::<Words>(), length), slice::from_raw_parts_mut(into.cast::<Words>(), length))
    };
    for (from, into) in from.iter().zip(into) {
        *into = Summary::from_words(into).merge(&Summary::from_words(from)).to_words();
    }
}

/// Ends the whole job at once, if MPI runs: a rank that just leaves would keep the others waiting for ever.
pub(super) fn abort_if_running(code: i32) {
    if mpi::environment::is_initialized() && !mpi::environment::is_finalized() {
        // MPICH's launcher drops what it has not read yet when a rank gives up, and nothing tells when it has read it.
        thread::sleep(Duration::from_millis(300));
        SimpleCommunicator::world().abort(code);
    }
}
