//! The state of the process, created at its first MPI call.

use std::cell::UnsafeCell;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU8, AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use mpiscope_abi::spec::{attribute, kind};
use mpiscope_abi::{Family, ID_LIMIT, function_unchecked, id};
use mpiscope_trace::defs::Definition;
use mpiscope_trace::layout::{self, Control, MAX_PLACES, MAX_THREADS, REACHED_BEHIND_CONTROL, gate, place, state};

use crate::annotate::Names;
use crate::config::{Config, OnFull};
use crate::elf::{self, Object};
use crate::file::File;
use crate::generated::SYMBOLS;
use crate::handles::Handles;
use crate::mpi::{Mpi, call};
use crate::objects::{self, Objects};
use crate::python::Python;
use crate::sites::Sites;
use crate::symbol::{self, Symbol};
use crate::{clock, facts, places, queues, unrecorded, visibility};

/// Bits of `Plan::actions`.
pub mod action {
    /// Recorded.
    pub const RECORD: u8 = 1;
    /// Makes or frees objects that later calls name: decoded even when not recorded.
    pub const FOLLOW: u8 = 2;
    /// Has a meaning of its own before or after the call.
    pub const SPECIAL: u8 = 4;
}

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
static MPI: AtomicPtr<Mpi> = AtomicPtr::new(std::ptr::null_mut());
/// Stands for that of a rank file while there is none, and in the child of a fork, which shares its parent's.
static NO_FILE: Shared = Shared(UnsafeCell::new(NoFile {
    control: Control { gate: 0, unused: 0, epoch: 1 },
    reached: [place::NOT_REACHED; MAX_PLACES],
}));
static CONTROL: AtomicPtr<Control> = AtomicPtr::new(NO_FILE.0.get().cast());

/// What code has a pointer to, as far apart as in [`layout::Header`].
#[repr(C)]
struct NoFile {
    control: Control,
    reached: [u8; MAX_PLACES],
}
const _: () = assert!(std::mem::offset_of!(NoFile, reached) == REACHED_BEHIND_CONTROL);

/// Written by atomic operations only.
struct Shared(UnsafeCell<NoFile>);
// SAFETY: see above.
unsafe impl Sync for Shared {}

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

    /// A request that got no id.
    pub fn count_lost_request(&self) {
        self.bump(unsafe { &raw mut (*self.file.header).requests_lost });
    }

    /// A call that was not recorded because recording is paused or its probe is off.
    pub fn count_filtered(&self) {
        self.bump(unsafe { &raw mut (*self.file.header).calls_filtered });
    }

    /// A call that found no room: of a thread without a region, or with new arguments in a full file
    /// system.
    pub fn count_without_room(&self) {
        self.bump(unsafe { &raw mut (*self.file.header).calls_without_thread });
    }

    fn bump(&self, counter: *mut u64) {
        // SAFETY: a counter in the mapped header.
        unsafe { AtomicU64::from_ptr(counter) }.fetch_add(1, Ordering::Relaxed);
    }
}

/// What every call of every thread reads; hot functions have a pointer to it.
pub fn control() -> *mut Control {
    CONTROL.load(Ordering::Acquire)
}

/// Address of the variable that holds what [`control`] gives, for code that is generated.
pub fn control_slot() -> usize {
    CONTROL.as_ptr() as usize
}

/// What stands in the way of recording; 0: nothing. See [`mpiscope_trace::layout::gate`].
pub fn gate() -> u32 {
    gate_of(control())
}

/// The same, of a thread's own pointer.
#[inline(always)]
pub fn gate_of(control: *mut Control) -> u32 {
    gate_word(control).load(Ordering::Relaxed)
}

#[inline(always)]
fn gate_word<'a>(control: *mut Control) -> &'a AtomicU32 {
    // SAFETY: mapped or static, for good.
    unsafe { AtomicU32::from_ptr(&raw mut (*control).gate) }
}

/// Pauses or goes on.
pub fn set_paused(paused: bool) {
    if paused {
        gate_word(control()).fetch_or(gate::PAUSED, Ordering::Relaxed);
    } else {
        gate_word(control()).fetch_and(!gate::PAUSED, Ordering::Relaxed);
    }
}

/// Whether a place was reached, as it is noted behind a control word.
fn reached<'a>(control: *mut Control, number: usize) -> &'a AtomicU8 {
    debug_assert!(number < MAX_PLACES);
    // SAFETY: mapped or static, for good; the array stands behind every control word.
    unsafe { AtomicU8::from_ptr(control.cast::<u8>().add(REACHED_BEHIND_CONTROL + number)) }
}

/// Of a place that could not be patched everywhere, before there is a rank file.
pub fn not_known_whether_reached(number: usize) {
    if number < MAX_PLACES {
        reached(control(), number).store(place::UNKNOWN, Ordering::Relaxed);
    }
}

/// Takes over into the rank file which places were reached before there was one. A thread that was in a stub meanwhile may note
/// it too late: this is done again when MPI is initialised.
fn take_over_reached() {
    let (before, now) = (NO_FILE.0.get().cast(), control());
    for (number, _) in places::there().into_iter().filter(|(number, _)| *number < MAX_PLACES) {
        match reached(before, number).load(Ordering::Relaxed) {
            place::REACHED => reached(now, number).store(place::REACHED, Ordering::Relaxed),
            noted => {
                // Whoever comes there now knows better.
                let unless = place::NOT_REACHED;
                let _ = reached(now, number).compare_exchange(unless, noted, Ordering::Relaxed, Ordering::Relaxed);
            }
        }
    }
}

fn set_off() {
    gate_word(control()).fetch_or(gate::OFF, Ordering::Relaxed);
}

/// Call sites cannot be lines of Python here: calls take the short way, if nothing else keeps them from it.
pub fn no_python(process: &Process) {
    // SAFETY: the mapped header.
    let clock_kind = unsafe { (*process.file.header).clock };
    if !process.config.check && process.config.stack <= 1 && clock_kind == layout::clock::TSC {
        gate_word(control()).fetch_and(!gate::LONG_WAY, Ordering::Relaxed);
    }
}

/// Ends recording.
pub fn switch_off(reason: u32) {
    set_off();
    if let Some(process) = Process::get() {
        // SAFETY: the mapped header.
        unsafe { (*process.file.header).off_reason = reason };
    }
}

/// Why recording ended (`Header::off_reason`).
pub mod reason {
    /// This rank is not in `--ranks`.
    pub const RANK_NOT_WANTED: u32 = 1;
}

/// The MPI of this process, once one is mapped.
pub fn mpi() -> Option<&'static Mpi> {
    // SAFETY: never freed.
    unsafe { MPI.load(Ordering::Acquire).as_ref() }
}

/// One line on stderr, the first time only.
pub fn complain(text: &str) {
    if !COMPLAINED.swap(true, Ordering::Relaxed) {
        let line = format!("mpiscope: {text}\n");
        // SAFETY: a plain write; std's stderr lock may be held by the program's fork parent.
        unsafe { libc::write(2, line.as_ptr().cast(), line.len()) };
    }
}

/// For the `nop` build: the real routine without anything else.
#[cfg(feature = "nop")]
pub fn find_real(index: usize) -> usize {
    if mpi().is_none()
        && let Some(found) = Mpi::find()
    {
        MPI.store(Box::leak(Box::new(found)), Ordering::Release);
    }
    resolve(index)
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
            let found = Box::leak(Box::new(Mpi::find()?));
            MPI.store(found, Ordering::Release);
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
    let (clock_kind, shift) = clock::choose();
    // SAFETY: mapped; nobody else knows it yet.
    unsafe {
        let h = file.header;
        (*h).run_id = config.run_id;
        (*h).pid = pid;
        (*h).clock = clock_kind;
        (*h).tick_shift = shift;
        (*h).anchors[0] = clock::anchor();
        (*h).family = mpi.constants.family as u32;
        (*h).buffer_bytes = config.buffer;
        (*h).on_full = match config.on_full {
            OnFull::Wrap => 0,
            OnFull::Grow => 1,
            OnFull::Stop => 2,
        };
        (*h).trace = config.trace.into();
        (*h).stack_depth = config.stack;
    }
    describe(&file, mpi, &host);
    let int_handles = mpi.constants.int_handles;
    let c = &mpi.constants;
    // SAFETY: the mapped header.
    let control = unsafe { &raw mut (*file.header).control };
    // Whether recording is paused was said when the library was loaded, and places may have changed it since.
    gate_word(control).fetch_or(gate(), Ordering::Relaxed);
    CONTROL.store(control, Ordering::Release);
    take_over_reached();
    let program = elf::objects();
    let python = if config.python_sites { Python::find(&program) } else { None };
    if config.python_wanted && python.is_none() {
        complain("--python-sites: this process has no Python 3.9 or newer when it initializes MPI");
    }
    if config.check || config.stack > 1 || clock_kind != layout::clock::TSC || python.is_some() {
        gate_word(control).fetch_or(gate::LONG_WAY, Ordering::Relaxed);
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
        own: crate::mpi::own_range(),
        config,
        mpi,
        objects: Mutex::default(),
    };
    unsafe extern "C" fn child() {
        // The mappings are shared with the parent, whose ring and control this is.
        CONTROL.store(NO_FILE.0.get().cast(), Ordering::Release);
        set_off();
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

fn create_file(config: &Config, host: &str, pid: u32) -> Option<File> {
    // A process image that execs another MPI program keeps its pid.
    let names = (1..100).map(|n| if n == 1 { format!("{host}.{pid}.rank") } else { format!("{host}.{pid}.{n}.rank") });
    let in_run = config.out.join("ranks");
    for name in names {
        let path: PathBuf = config.spool.join(&name);
        match File::create(&path) {
            Some(file) => return Some(file),
            None if path.exists() => {}
            // A process that another one has started comes when nobody holds the spool any more.
            None if !config.spool.exists() => match File::create(&in_run.join(&name)) {
                Some(file) => return Some(file),
                None if in_run.join(&name).exists() => {}
                None => return None,
            },
            None => return None,
        }
    }
    None
}

/// Facts about the process that a reader could not find out later.
fn describe(file: &File, mpi: &Mpi, host: &str) {
    let info = |key: &str, value: String| file.define(&Definition::Info { key: key.into(), value });
    info("host", host.into());
    info("mpiscope", env!("CARGO_PKG_VERSION").into());
    let read = |path: &str| std::fs::read(path).unwrap_or_default();
    let command =
        read("/proc/self/cmdline").split(|&b| b == 0).map(String::from_utf8_lossy).collect::<Vec<_>>().join(" ");
    info("command", command.trim_end().into());
    info("program", std::fs::read_link("/proc/self/exe").map(|p| p.display().to_string()).unwrap_or_default());
    info("mpi_path", mpi.library.path.clone());
    facts::of_world(&info);
    for other in &mpi.others {
        info("mpi_other", other.clone());
        complain(&format!("two MPI libraries are loaded: recording {}, not {other}", mpi.library.path));
    }
    let status = String::from_utf8_lossy(&read("/proc/self/status")).into_owned();
    let amiss = places::amiss();
    if !amiss.is_empty() {
        complain(&format!("--on, --off have no effect at some places: {}", amiss.join("; ")));
        info("places_amiss", amiss.join("; "));
    }
    for (number, text) in places::there() {
        info(&format!("{}{number}", place::FACT), text);
    }
    if let Some(cpus) = status.lines().find_map(|l| l.strip_prefix("Cpus_allowed_list:")) {
        info("cpus", cpus.trim().into());
    }
    if let Some(bytes) = facts::resident_bytes() {
        info("rss.before_init_bytes", bytes.to_string());
    }
}

/// Name of this machine, as rank files have it.
pub fn host_name() -> String {
    let mut name = [0u8; 256];
    // SAFETY: the buffer is one longer than what may be written.
    unsafe { libc::gethostname(name.as_mut_ptr().cast(), 255) };
    let end = name.iter().position(|&b| b == 0).unwrap_or(255);
    // A dot would make the parts of the file's name ambiguous for readers of host names.
    String::from_utf8_lossy(&name[..end]).replace('/', "_")
}

/// Functions with a meaning of their own, see `record`.
pub const SPECIAL: [u32; 9] = [
    id::Init,
    id::Init_thread,
    id::Finalize,
    id::Abort,
    id::Pcontrol,
    id::Session_init,
    id::Session_finalize,
    id::Comm_set_name,
    id::File_open,
];

fn actions(config: &Config) -> Box<[u8]> {
    (0..ID_LIMIT)
        .map(|n| {
            let function = function_unchecked(n);
            let follows = function.is(attribute::FREES)
                || mpiscope_abi::steps(function)
                    .iter()
                    .any(|s| s.kind >= kind::NEW_COMM || s.kind == kind::NEW_REQUEST);
            let bit = |yes: bool, bit: u8| if yes { bit } else { 0 };
            bit(config.probes[n as usize], action::RECORD)
                | bit(follows, action::FOLLOW)
                | bit(SPECIAL.contains(&n), action::SPECIAL)
        })
        .collect()
}

/// The routine behind a symbol. 0 when nothing in the process has it.
pub fn resolve(index: usize) -> usize {
    let known = symbol::real(index);
    if known != 0 {
        return known;
    }
    let wanted: &Symbol = &SYMBOLS[index];
    let name = wanted.name();
    let found = mpi().and_then(|mpi| {
        let of_mpi = || match wanted.fortran {
            true => mpi.parts.iter().find_map(|o| o.defines(name)),
            false => mpi.library.defines(&format!("P{name}")).or_else(|| mpi.library.defines(name)),
        };
        mpi.behind.function(name, wanted.fortran).or_else(of_mpi)
    });
    // No MPI, or a library of stubs (serial builds): the next definition in the process.
    let found = found.or_else(|| {
        let own = crate::mpi::own_range();
        elf::objects().iter().filter(|o| o.range != own).find_map(|o| o.defines(name))
    });
    let Some(address) = found else { return 0 };
    symbol::STATES[index].real.store(address, Ordering::Relaxed);
    address
}

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
        gate_word(control()).fetch_or(gate::LONG_WAY, Ordering::Relaxed);
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

/// Where a status keeps its number of bytes.
pub struct StatusBytes {
    /// Offset of the low part; `u32::MAX` when it is not known.
    low: AtomicU32,
    /// Whether high bits are in the 32-bit word after it, shifted by one (MPICH's layout).
    split: AtomicBool,
}

/// Open MPI: source, tag, error, cancelled (4 bytes each), then the bytes.
const OPEN_MPI_BYTES: usize = 16;

impl StatusBytes {
    fn of(family: Family) -> StatusBytes {
        let (low, split) = match family {
            Family::Mpich => (0, true),
            Family::OpenMpi => (OPEN_MPI_BYTES as u32, false),
            // The standard ABI leaves it to the implementation: learnt after MPI_Init.
            Family::Standard => (u32::MAX, false),
        };
        StatusBytes { low: AtomicU32::new(low), split: AtomicBool::new(split) }
    }

    /// Reads it out of a status.
    #[inline(always)]
    pub unsafe fn read(&self, status: *const u8) -> u64 {
        let low = self.low.load(Ordering::Relaxed);
        if low == u32::MAX {
            return 0;
        }
        // SAFETY: inside the status, by the family's layout or by what was learnt.
        unsafe {
            let at = status.add(low as usize);
            if self.split.load(Ordering::Relaxed) {
                let (lo, hi) = (at.cast::<u32>().read_unaligned(), at.add(4).cast::<u32>().read_unaligned());
                u64::from(lo) | u64::from(hi >> 1) << 32
            } else {
                at.cast::<u64>().read_unaligned()
            }
        }
    }

    /// Whether a status says that its operation was cancelled; false where that is not known.
    pub unsafe fn is_cancelled(&self, status: *const u8) -> bool {
        let low = self.low.load(Ordering::Relaxed) as usize;
        // SAFETY: as in `read`. Open MPI has the flag before the bytes.
        unsafe {
            match (low, self.split.load(Ordering::Relaxed)) {
                (_, true) => status.add(low + 4).cast::<u32>().read_unaligned() & 1 != 0,
                (OPEN_MPI_BYTES, false) => status.add(OPEN_MPI_BYTES - 4).cast::<i32>().read_unaligned() != 0,
                _ => false,
            }
        }
    }

    /// Finds the field by setting a status to a known number of bytes.
    fn learn(&self, process: &Process) {
        if self.low.load(Ordering::Relaxed) != u32::MAX {
            return;
        }
        const BYTES: i32 = 0x1357_9bdf;
        let mut status = [0u64; 8];
        if !call::Status_set_elements(status.as_mut_ptr().cast(), process.mpi.constants.byte, BYTES) {
            return;
        }
        let words: Vec<u32> = status.iter().flat_map(|w| [*w as u32, (*w >> 32) as u32]).collect();
        // Eight-byte fields are aligned; MPICH's pair of words stands at any.
        if let Some(i) = words[..8].iter().position(|&w| w == BYTES as u32) {
            self.split.store(i % 2 == 1, Ordering::Relaxed);
            self.low.store(4 * i as u32, Ordering::Relaxed);
        }
    }
}
