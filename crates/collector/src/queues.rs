//! The lengths of Open MPI's message queues: unexpected messages and posted receives.
//!
//! `ob1` has both for each peer and provides them as performance variables (MPI-5.0 §15.3.7). Reading them takes 35 ns and 2 ns
//! for each peer. As it is an extra MPI call, it is done only on request (`MPISCOPE_MPI_T=on`), at the start of a call of the
//! thread that initialized MPI, and at most once in [`INTERVAL_NS`]. Changes are recorded as values, the maximum in the facts.

use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicU64, Ordering};

use mpiscope_trace::annotation::{VALUE_I64, source};
use mpiscope_trace::defs::Definition;

use crate::annotate::{self, Name};
use crate::mpi::call;
use crate::process::Process;
use crate::{clock, tls};

/// Minimum time between two samples, and this much for each peer if there are many: less than 1 % of the time.
const INTERVAL_NS: u64 = 1_000_000;
/// See [`INTERVAL_NS`].
const INTERVAL_PEER_NS: u64 = 1_000;
/// Classes of variables are numbered differently, but from 0 and densely, in all versions of Open MPI.
const CLASSES: std::ops::Range<i32> = 0..10;

const NAMES: [(&str, &str); 2] =
    [("pml_ob1_unexpected_msgq_length", "unexpected messages"), ("pml_ob1_posted_recvq_length", "posted receives")];

/// A performance variable with the lengths of one kind of queue.
struct Queue {
    name: &'static str,
    label: &'static str,
    handle: usize,
    /// By peer.
    lengths: Vec<u32>,
    /// Total over all peers at the last sample.
    all: i64,
    /// Length of the longest queue of one peer, and the peer.
    most: u32,
    most_peer: usize,
    /// Largest total over all peers.
    most_all: i64,
    /// `most` when the facts were last written.
    reported_most: u32,
}

struct Sampler {
    session: usize,
    /// The only thread that may use this.
    thread: usize,
    interval: u64,
    samples: u64,
    queues: Vec<Queue>,
}

/// Used by one thread only, see [`Sampler::thread`].
struct Only(UnsafeCell<Option<Sampler>>);
// SAFETY: as said.
unsafe impl Sync for Only {}
static SAMPLER: Only = Only(UnsafeCell::new(None));

/// Time of the next sample, ticks; `u64::MAX` without a sampler.
static DUE: AtomicU64 = AtomicU64::new(u64::MAX);

/// Starts sampling the queues of `MPI_COMM_WORLD`; false if this MPI does not provide them.
pub fn begin(process: &'static Process) -> bool {
    let mut session = 0;
    if !crate::facts::open_tool_interface() {
        return false;
    }
    if !call::T_pvar_session_create(&mut session) {
        return false;
    }
    let mut world = process.mpi.constants.comm_world;
    let queues: Vec<Queue> =
        NAMES.iter().filter_map(|&(name, label)| queue(session, &raw mut world, name, label)).collect();
    if queues.is_empty() {
        call::T_pvar_session_free(&mut session);
        return false;
    }
    let peers = queues.iter().map(|queue| queue.lengths.len() as u64).max().unwrap_or(0);
    let interval_ns = INTERVAL_NS.max(INTERVAL_PEER_NS * peers);
    let sampler = Sampler {
        session,
        thread: tls::get() as usize,
        // A tick is between half a nanosecond and one.
        interval: interval_ns,
        samples: 0,
        queues,
    };
    // SAFETY: nobody samples before it is due.
    unsafe { *SAMPLER.0.get() = Some(sampler) };
    DUE.store(0, Ordering::Release);
    true
}

fn queue(session: usize, world: *mut usize, name: &'static str, label: &'static str) -> Option<Queue> {
    let text: Vec<u8> = name.bytes().chain([0]).collect();
    let mut index = 0;
    CLASSES.into_iter().find(|&class| call::T_pvar_get_index(text.as_ptr(), class, &mut index))?;
    let (mut datatype, mut numbers, mut none) = (0, [0i32; 7], 0);
    let [name_length, verbosity, class, text_length, bind, readonly, continuous] = &mut numbers;
    let (nothing, mut atomic) = (std::ptr::null_mut(), 0);
    let known = call::T_pvar_get_info(
        index,
        nothing,
        name_length,
        verbosity,
        class,
        &mut datatype,
        &mut none,
        nothing,
        text_length,
        bind,
        readonly,
        continuous,
        &mut atomic,
    );
    let (mut size, mut handle, mut count) = (0, 0, 0);
    // Bound to a communicator, which numbers its kinds from 1 with this one first.
    let usable = known && *bind == 1 && *continuous != 0 && call::Type_size(datatype, &mut size) && size == 4;
    if !usable || !call::T_pvar_handle_alloc(session, index, world.cast(), &mut handle, &mut count) {
        return None;
    }
    let lengths = vec![0; usize::try_from(count).ok().filter(|&n| n > 0 && n < 1 << 24)?];
    Some(Queue { name, label, handle, lengths, all: 0, most: 0, most_peer: 0, most_all: 0, reported_most: 0 })
}

/// Takes a sample if one is due, on the thread that samples.
#[inline(always)]
pub fn sample_if_due(process: &'static Process) {
    let due = DUE.load(Ordering::Acquire);
    if due != u64::MAX && clock::now() >= due {
        sample(process);
    }
}

#[cold]
#[inline(never)]
fn sample(process: &'static Process) {
    // SAFETY: used by one thread only, which is asked first.
    let Some(sampler) = (unsafe { &mut *SAMPLER.0.get() }) else { return };
    if sampler.thread != tls::get() as usize {
        return;
    }
    sampler.samples += 1;
    for queue in &mut sampler.queues {
        if !call::T_pvar_read(sampler.session, queue.handle, queue.lengths.as_mut_ptr().cast()) {
            continue;
        }
        let all: i64 = queue.lengths.iter().map(|&n| i64::from(n)).sum();
        if let Some((peer, &most)) = queue.lengths.iter().enumerate().max_by_key(|(_, n)| **n)
            && most > queue.most
        {
            (queue.most, queue.most_peer) = (most, peer);
        }
        queue.most_all = queue.most_all.max(all);
        if all != queue.all {
            queue.all = all;
            annotate::value(VALUE_I64, source::MPI_T, Name(queue.label.as_bytes()), Name(b"messages"), all, 0);
        }
        // So that a process which does not reach its end has said it, too.
        if queue.most >= 2 * queue.reported_most.max(1) {
            write_facts(process, queue, sampler.samples);
        }
    }
    DUE.store(clock::now() + sampler.interval, Ordering::Release);
}

/// Writes the facts about one queue; the last ones count.
fn write_facts(process: &Process, queue: &mut Queue, samples: u64) {
    queue.reported_most = queue.most;
    let _guard = process.lock();
    let fact = |what: &str, value: String| {
        let key = format!("mpi_t.pvar.{}.{what}", queue.name);
        process.file.define(&Definition::Info { key, value });
    };
    fact("samples", samples.to_string());
    fact("max", queue.most.to_string());
    if queue.most > 0 {
        fact("max_peer", queue.most_peer.to_string());
        fact("max_all_peers", queue.most_all.to_string());
    }
}

/// `MPI_Finalize` begins.
pub fn end(process: &'static Process) {
    if DUE.load(Ordering::Acquire) == u64::MAX {
        return;
    }
    // Another thread finalizes than has initialised: an error of the program, so nothing is touched.
    sample(process);
    // SAFETY: as in `sample`.
    let Some(sampler) = (unsafe { &mut *SAMPLER.0.get() }) else { return };
    if sampler.thread != tls::get() as usize {
        return;
    }
    DUE.store(u64::MAX, Ordering::Release);
    let samples = sampler.samples;
    for queue in &mut sampler.queues {
        write_facts(process, queue, samples);
        call::T_pvar_handle_free(sampler.session, &mut queue.handle);
    }
    call::T_pvar_session_free(&mut sampler.session);
}
