//! The state of the process, created at its first MPI call.
//!
//! [`mod@control`] is the word that decides whether calls are recorded, [`loaded_mpi`] the MPI and its routines, [`rank_file`] the
//! file and the facts it begins with, [`stages`] what is noted when MPI opens and closes, [`mod@actions`] which functions are
//! recorded or followed, [`losses`] what is counted instead of recorded.

mod actions;
mod control;
mod loaded_mpi;
mod losses;
mod rank_file;
mod stages;

pub use actions::action;
pub use control::{control, control_slot, gate, gate_of, no_python, not_known_whether_reached, set_paused};
#[cfg(feature = "nop")]
pub use loaded_mpi::find_real;
pub use loaded_mpi::{mpi, resolve};
pub use rank_file::host_name;
pub use stages::{closed, finalizing, initialised, opened};

use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use mpiscope_abi::Family;
use mpiscope_trace::layout::{self, MAX_THREADS, gate};

use crate::annotate::Names;
use crate::config::Config;
use crate::elf::Object;
use crate::file::File;
use crate::handles::Handles;
use crate::mpi::Mpi;
use crate::objects::Objects;
use crate::python::Python;
use crate::sites::Sites;
use crate::status_bytes::StatusBytes;
use crate::{elf, mpi, unrecorded, visibility};
use actions::actions;
use control::set_off;
use rank_file::{create_file, describe, fill_header};

/// See the module's text.
#[allow(missing_docs)]
pub struct Process {
    pub config: Config,
    pub mpi: &'static Mpi,
    /// The objects mapped when recording began, the program first.
    pub program: Vec<Object>,
    /// The interpreter, when call sites may be lines of Python.
    pub python: Option<Python>,
    pub file: File,
    pub comms: Handles,
    pub types: Handles,
    pub ops: Handles,
    pub windows: Handles,
    pub files: Handles,
    pub groups: Handles,
    pub sites: Mutex<Sites>,
    /// Regions and labels.
    pub names: Mutex<Names>,
    pub int_handles: bool,
    pub request_null: u64,
    pub fortran_request_null: u64,
    pub status_bytes: StatusBytes,
    /// `action` bits by function id.
    pub actions: Box<[u8]>,
    /// Address range of the MPI's core library.
    pub core: (usize, usize),
    /// Address range of this library.
    pub own: (usize, usize),
    objects: Mutex<Objects>,
}

static PROCESS: AtomicPtr<Process> = AtomicPtr::new(std::ptr::null_mut());

static START: Mutex<()> = Mutex::new(());

static COMPLAINED: AtomicBool = AtomicBool::new(false);

impl Process {
    /// The process, once recording has begun.
    #[inline(always)]
    pub fn get() -> Option<&'static Process> {
        // SAFETY: never freed.
        unsafe { PROCESS.load(Ordering::Acquire).as_ref() }
    }

    /// The id of a call site, by the return addresses of its stack.
    pub fn site(&self, frames: &[u64]) -> u32 {
        self.sites.lock().unwrap_or_else(PoisonError::into_inner).id(frames, self)
    }

    /// The return addresses of a call site, innermost first; none of one that is not known.
    pub fn frames(&self, site: u32) -> Vec<u64> {
        self.sites.lock().unwrap_or_else(PoisonError::into_inner).frames(site)
    }

    /// Lock of everything that is not on the hot path.
    pub fn lock(&self) -> MutexGuard<'_, Objects> {
        self.objects.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Announces a thread region to readers.
    pub fn publish_thread(&self, index: usize, offset: u64) {
        let header = self.file.header;
        // Threads may get here out of order; a region counts once all before it are there.
        let _guard = self.lock();
        // SAFETY: the header is mapped; index is below MAX_THREADS.
        unsafe {
            (*header).thread_offsets[index] = offset;
            let mut count = 0;
            while count < MAX_THREADS && (*header).thread_offsets[count] != 0 {
                count += 1;
            }
            AtomicU32::from_ptr(&raw mut (*header).threads).store(count as u32, Ordering::Release);
        }
    }
}

/// One line on stderr, the first time only.
pub fn complain(text: &str) {
    if !COMPLAINED.swap(true, Ordering::Relaxed) {
        let line = format!("mpiscope: {text}\n");
        // SAFETY: a plain write; std's stderr lock may be held by the program's fork parent.
        unsafe { libc::write(2, line.as_ptr().cast(), line.len()) };
    }
}

/// Makes sure that the MPI is known and recording has begun if it was asked for.
pub fn start() -> Option<&'static Process> {
    if gate() & gate::OFF != 0 {
        return None;
    }
    if let Some(process) = Process::get() {
        return Some(process);
    }
    let _guard = START.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(process) = Process::get() {
        return Some(process);
    }
    let mpi = match mpi() {
        Some(mpi) => mpi,
        None => {
            // None yet: it may still be opened later.
            let found = loaded_mpi::find()?;
            visibility::show_once();
            found
        }
    };
    let made = std::panic::catch_unwind(|| begin(mpi)).ok().flatten();
    match made {
        Some(process) => {
            PROCESS.store(process, Ordering::Release);
            Some(unsafe { &*process })
        }
        None => {
            set_off();
            None
        }
    }
}

fn begin(mpi: &'static Mpi) -> Option<*mut Process> {
    // A panic is a defect of mpiscope; the program must not notice it.
    std::panic::set_hook(Box::new(|_| {}));
    let config = Config::from_environment()?;
    let (host, pid) = (host_name(), std::process::id());
    let Some(file) = create_file(&config, &host, pid) else {
        complain(&format!(
            "cannot create a rank file in {}; this process is not recorded, the program continues",
            config.spool.display()
        ));
        return None;
    };
    let clock_kind = fill_header(&file, &config, mpi, pid);
    describe(&file, mpi, &host);
    let int_handles = mpi.constants.int_handles;
    let c = &mpi.constants;
    // SAFETY: the mapped header.
    let control = unsafe { &raw mut (*file.header).control };
    control::take_over(control);
    let program = elf::objects();
    let python = if config.python_sites { Python::find(&program) } else { None };
    if config.python_wanted && python.is_none() {
        complain("--python-sites: this process has no Python 3.9 or newer when it initializes MPI");
    }
    if config.check || config.stack > 1 || clock_kind != layout::clock::TSC || python.is_some() {
        control::take_long_way();
    }
    let process = Process {
        actions: actions(&config),
        program,
        python,
        file,
        comms: Handles::new(),
        types: Handles::new(),
        ops: Handles::new(),
        windows: Handles::new(),
        files: Handles::new(),
        groups: Handles::new(),
        sites: Mutex::default(),
        names: Mutex::default(),
        int_handles,
        request_null: c.request_null as u64,
        // MPI_REQUEST_NULL is 0 in Open MPI's Fortran, the C constant elsewhere.
        fortran_request_null: match c.family {
            Family::Mpich => c.request_null as u64,
            Family::OpenMpi => crate::decode::fortran_handle(false, 0),
            Family::Standard => crate::decode::fortran_handle(false, c.request_null as u32),
        },
        status_bytes: StatusBytes::of(c.family),
        core: mpi.library.range,
        own: mpi::own_range(),
        config,
        mpi,
        objects: Mutex::default(),
    };
    unsafe extern "C" fn child() {
        control::leave_to_parent();
        crate::tls::set(std::ptr::null_mut());
    }
    unrecorded::describe_library(&process);
    // So that a first call that never returns has a place.
    process.sites.lock().unwrap_or_else(PoisonError::into_inner).learn(&process);
    // SAFETY: the handler only stores.
    unsafe { libc::pthread_atfork(None, None, Some(child)) };
    if process.config.check {
        crate::check::begin(&process);
    }
    Some(Box::into_raw(Box::new(process)))
}
