//! Stages of MPI in the process, as the header of its rank file has them: initialised, being finalised, over.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use mpiscope_abi::Family;
use mpiscope_trace::defs::Definition;
use mpiscope_trace::layout::state;

use super::Process;
use super::control::{self, reason, switch_off, take_over_reached};
use crate::mpi::call;
use crate::{clock, facts, objects, queues};

/// After `MPI_Init`, `MPI_Init_thread` or `MPI_Session_init`.
pub fn initialised(process: &'static Process, session: Option<usize>, start: u64, end: u64) {
    let header = process.file.header;
    let (mut rank, mut size, mut level) = (-1, 0, -1);
    if let Some(session) = session {
        if let Some((r, s)) = objects::register_session(process, session) {
            (rank, size) = (r, s);
        }
    } else {
        call::Comm_rank(process.mpi.constants.comm_world, &mut rank);
        call::Comm_size(process.mpi.constants.comm_world, &mut size);
        call::Query_thread(&mut level);
        // From here on 0 to 3, whatever the MPI's constants are.
        let levels = process.mpi.constants.thread_levels;
        level = levels.iter().position(|&l| l == level).map_or(-1, |number| number as i32);
    }
    if session.is_none() {
        objects::register_world(process);
    }
    // SAFETY: the mapped header; only this call writes these.
    unsafe {
        (*header).state = state::INITIALISED;
        if rank >= 0 {
            (*header).world_rank = rank;
            (*header).world_size = size;
        }
        (*header).thread_level = level.max((*header).thread_level);
    }
    static FIRST: AtomicBool = AtomicBool::new(true);
    if FIRST.swap(false, Ordering::Relaxed) {
        first_initialised(process, session.is_some(), start, end);
    }
    if rank >= 0 && !process.config.wants_rank(rank) {
        switch_off(reason::RANK_NOT_WANTED);
    }
}

/// What is found out once, however many sessions follow.
fn first_initialised(process: &'static Process, session: bool, start: u64, end: u64) {
    let header = process.file.header;
    take_over_reached();
    process.status_bytes.learn(process);
    objects::register_predefined(process);
    let mut text = vec![0u8; 8192];
    let mut length = 0;
    let info = |key: &str, value: String| {
        let _guard = process.lock();
        process.file.define(&Definition::Info { key: key.into(), value });
    };
    if call::Get_library_version(text.as_mut_ptr(), &mut length) {
        let end = text.iter().position(|&b| b == 0).unwrap_or(0);
        let version = String::from_utf8_lossy(&text[..end]);
        info("mpi_library", version.lines().next().unwrap_or("").trim().into());
        // Of the MPICH family: what it moves data with.
        if let Some(device) = version.lines().find_map(|line| line.strip_prefix("MPICH Device:")) {
            info("mpi_device", device.trim().into());
        }
    }
    text.fill(0);
    if call::Get_processor_name(text.as_mut_ptr(), &mut length) {
        let end = text.iter().position(|&b| b == 0).unwrap_or(0);
        info("processor", String::from_utf8_lossy(&text[..end]).into_owned());
    }
    if let Some(bytes) = facts::resident_bytes() {
        info("rss.after_init_bytes", bytes.to_string());
    }
    if process.config.mpi_t || process.mpi.constants.family == Family::Mpich {
        facts::control_variables(|name, value| info(&format!("mpi_t.cvar.{name}"), value));
    }
    let ask_queues = process.config.mpi_t && process.mpi.constants.family == Family::OpenMpi && !session;
    if ask_queues && queues::begin(process) {
        // Only the long way looks whether a sample is due.
        control::take_long_way();
    }
    let (mut major, mut minor) = (0, 0);
    if call::Get_version(&mut major, &mut minor) {
        info("mpi_version", format!("{major}.{minor}"));
    }
    // SAFETY: the mapped header; only this call writes these.
    unsafe {
        (*header).init_start = start;
        (*header).init_end = end;
        (*header).anchors[1] = clock::anchor();
        (*header).anchors[2] = (*header).anchors[1];
    }
}

/// The world model (1) and each open session: MPI is over for the process when all are.
static OPEN: AtomicU32 = AtomicU32::new(0);

/// `MPI_Init` or `MPI_Session_init` has succeeded.
pub fn opened() {
    OPEN.fetch_add(1, Ordering::Relaxed);
}

/// `MPI_Finalize` or `MPI_Session_finalize` has succeeded.
pub fn closed(process: &Process, end: u64) {
    let header = process.file.header;
    let last = OPEN.fetch_sub(1, Ordering::Relaxed) == 1;
    // SAFETY: the mapped header.
    unsafe {
        (*header).finalize_end = end;
        (*header).anchors[2] = clock::anchor();
        let now = if last { state::FINALIZED } else { state::INITIALISED };
        AtomicU32::from_ptr(&raw mut (*header).state).store(now, Ordering::Release);
    }
}

/// When `MPI_Finalize` is entered: what it costs until here.
pub fn finalizing(process: &Process) {
    // SAFETY: `usage` is written by the call; the header is mapped.
    unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_SELF, &mut usage);
        let ns = |t: libc::timeval| t.tv_sec as u64 * 1_000_000_000 + t.tv_usec as u64 * 1000;
        let h = process.file.header;
        (*h).user_ns = ns(usage.ru_utime);
        (*h).system_ns = ns(usage.ru_stime);
        (*h).max_rss_bytes = usage.ru_maxrss as u64 * 1024;
        (*h).anchors[2] = clock::anchor();
        (*h).finalize_start = clock::now();
        (*h).state = state::FINALIZING;
    }
}
