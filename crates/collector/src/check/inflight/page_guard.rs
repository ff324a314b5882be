//! Protected pages of buffers in flight: buffers of receives are inaccessible, those of sends cannot be written. The fault of an
//! access shows the instruction; the page is then opened, and the program continues.
//!
//! Only pages that belong completely to the buffer and to private writable memory are protected, and no page of a stack: the
//! kernel could not deliver a signal on it. The MPI library uses a shadow of such a buffer, so neither it nor a network adaptor
//! faults.
//!
//! *Access to shared data.* [`RANGES`] is written by the owner of the flights, under the lock of the checker, and read by the handler
//! on any thread. The handler counts itself before it opens a page, and checks whether the range is still active; the owner marks the
//! range as closing, then waits for the handlers: none of them changes protections that the owner has restored. A range that has ended stays
//! in its slot until the slot is needed again, the oldest first: a thread may have faulted before, and enter the handler
//! afterwards. It only has to try again. A fault that repeats there is the program's own, and passed on.

use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};

use super::instruction_access::{self, Instruction, Kind, STACK_WORDS};
use super::layout::Layout;
use super::region::{self, Region};

/// Most ranges that are guarded at once.
const MOST: usize = 1024;
/// Most ranges of one flight.
const MOST_OF_ONE: usize = 16;
/// After this many faults in a range, all of it is opened: each fault costs microseconds.
const MOST_FAULTS: u32 = 64;
/// Most faults in a range that has ended which count as late ones.
const MOST_LATE: u32 = 1000;

/// A range of whole pages.
struct Range {
    /// `state` bits.
    state: AtomicU32,
    faults: AtomicU32,
    /// Number of handlers that are about to change its protection.
    handlers: AtomicU32,
    begin: AtomicU64,
    end: AtomicU64,
}

mod state {
    /// In use.
    pub const ON: u32 = 1;
    /// Reading is allowed.
    pub const READABLE: u32 = 2;
    /// About to end.
    pub const CLOSING: u32 = 4;
}

static RANGES: [Range; MOST] = [const {
    Range {
        state: AtomicU32::new(0),
        faults: AtomicU32::new(0),
        handlers: AtomicU32::new(0),
        begin: AtomicU64::new(0),
        end: AtomicU64::new(0),
    }
}; MOST];
/// One past the last slot that was ever used.
static REACH: AtomicUsize = AtomicUsize::new(0);

/// The previous action for the signal at each installation of the handler, numbered from 1, and the latest number.
static ACTIONS: [Action; 8] = [const { Action(std::cell::UnsafeCell::new(MaybeUninit::zeroed())) }; 8];
static LATEST: AtomicUsize = AtomicUsize::new(0);

struct Action(std::cell::UnsafeCell<MaybeUninit<libc::sigaction>>);
// SAFETY: written before its number is published; there are few in a process's life.
unsafe impl Sync for Action {}

/// The guarded ranges of a flight.
#[derive(Debug, Default)]
pub struct Guarded {
    ranges: Vec<u16>,
}

/// All guarded ranges.
#[derive(Default)]
pub struct Guards {
    /// The slot after the one that was used last.
    next: usize,
}

/// Size of a page, bytes.
pub fn page() -> u64 {
    static PAGE: std::sync::OnceLock<u64> = std::sync::OnceLock::new();
    // SAFETY: no arguments that matter.
    *PAGE.get_or_init(|| (unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).max(4096) as u64)
}

/// The ranges of pages that belong completely to a layout; empty if there are too many.
pub fn whole_pages(base: u64, layout: &Layout) -> Vec<(u64, u64)> {
    let page = page();
    let mut found = Vec::new();
    if layout.payload < page || layout.steps > 1 << 16 {
        return found;
    }
    layout.each(|at, len| {
        let from = base.wrapping_add_signed(at);
        let (begin, end) = (from.next_multiple_of(page), (from + len) / page * page);
        if begin < end {
            found.push((begin, end));
        }
        found.len() <= MOST_OF_ONE
    });
    if found.len() > MOST_OF_ONE {
        found.clear();
    }
    found
}

/// Whether a region may be guarded, for a thread whose stack pointer is `sp`.
fn may(region: &Region, sp: u64) -> bool {
    let stack = (region.begin..region.end).contains(&sp) || region.end == region::main_stack_end();
    region.readable && region.writable && !region.executable && !region.shared && !stack
}

/// Whether all of a range may be guarded: it is ordinary memory, or already guarded.
fn may_be_guarded(begin: u64, end: u64, sp: u64) -> bool {
    let mut at = begin;
    while at < end {
        let Some(region) = region::at(at) else { return false };
        let guarded =
            || active(at, region.end.min(end)).next().is_some_and(|r| r.0 <= at && r.1 >= region.end.min(end));
        if !may(&region, sp) && !guarded() {
            return false;
        }
        at = region.end;
    }
    true
}

/// Guarded ranges that overlap another one.
fn active(begin: u64, end: u64) -> impl Iterator<Item = (u64, u64, u32)> {
    RANGES[..REACH.load(Ordering::Relaxed)].iter().filter_map(move |r| {
        let (b, e) = (r.begin.load(Ordering::Relaxed), r.end.load(Ordering::Relaxed));
        let s = r.state.load(Ordering::Relaxed);
        (s & state::ON != 0 && b < end && e > begin).then_some((b, e, s))
    })
}

fn protect(begin: u64, end: u64, rights: i32) -> bool {
    // SAFETY: whole pages of the program's that nobody may touch now, or that become what they were.
    begin < end && unsafe { libc::mprotect(begin as *mut libc::c_void, (end - begin) as usize, rights) } == 0
}

const OPEN: i32 = libc::PROT_READ | libc::PROT_WRITE;

impl Guards {
    /// Guards ranges from [`whole_pages`]; `None` if that is not possible.
    pub fn guard(&mut self, stretches: &[(u64, u64)], readable: bool) -> Option<Guarded> {
        let here = 0u8;
        let sp = &raw const here as u64;
        if stretches.is_empty()
            || is_blocked()
            || !stretches.iter().all(|&(b, e)| may_be_guarded(b, e, sp))
            || !install()
        {
            return None;
        }
        let mut guarded = Guarded::default();
        for &(begin, end) in stretches {
            let Some(at) = self.place() else { break };
            let range = &RANGES[at];
            range.begin.store(begin, Ordering::Relaxed);
            range.end.store(end, Ordering::Relaxed);
            range.faults.store(0, Ordering::Relaxed);
            range.state.store(state::ON | if readable { state::READABLE } else { 0 }, Ordering::SeqCst);
            REACH.fetch_max(at + 1, Ordering::SeqCst);
            guarded.ranges.push(at as u16);
            if !protect(begin, end, if readable { libc::PROT_READ } else { libc::PROT_NONE }) {
                self.open(&guarded);
                return None;
            }
        }
        (!guarded.ranges.is_empty()).then_some(guarded)
    }

    /// The slot that was not used for the longest time.
    fn place(&mut self) -> Option<usize> {
        let free = |at: &usize| RANGES[*at].state.load(Ordering::Relaxed) == 0;
        let at = (0..MOST).map(|i| (self.next + i) % MOST).find(free)?;
        self.next = (at + 1) % MOST;
        Some(at)
    }

    /// A flight has ended: restores its pages, except those that other flights protect.
    pub fn open(&mut self, guarded: &Guarded) {
        for &at in &guarded.ranges {
            let range = &RANGES[usize::from(at)];
            let (begin, end) = (range.begin.load(Ordering::Relaxed), range.end.load(Ordering::Relaxed));
            range.state.store(state::CLOSING, Ordering::SeqCst);
            while range.handlers.load(Ordering::SeqCst) != 0 {
                std::thread::yield_now();
            }
            let mut others: Vec<(u64, u64)> = active(begin, end).map(|(b, e, _)| (b, e)).collect();
            others.sort_unstable();
            let mut from = begin;
            for (other_begin, other_end) in others {
                unprotect(from, other_begin.min(end));
                from = from.max(other_end);
            }
            unprotect(from, end);
            // It is no longer active, but the handler can still find it.
            range.faults.store(0, Ordering::Relaxed);
            range.state.store(0, Ordering::SeqCst);
        }
    }
}

/// Makes pages accessible that still have the protection set here: other memory may be mapped there now.
fn unprotect(begin: u64, end: u64) {
    let mut at = begin;
    while at < end {
        let Some(region) = region::at(at) else {
            at += page();
            continue;
        };
        let upto = region.end.min(end);
        if !region.writable && !region.executable && !region.shared {
            protect(at, upto, OPEN);
        }
        at = upto;
    }
}

/// Whether this thread blocks the signal of a fault: the kernel would end the process.
fn is_blocked() -> bool {
    let mut mask = MaybeUninit::<libc::sigset_t>::zeroed();
    // SAFETY: fills the set, and changes nothing.
    unsafe {
        libc::pthread_sigmask(libc::SIG_BLOCK, std::ptr::null(), mask.as_mut_ptr()) != 0
            || libc::sigismember(mask.as_ptr(), libc::SIGSEGV) == 1
    }
}

/// Makes sure that faults reach mpiscope; the program may have installed a handler since the last time.
fn install() -> bool {
    let handler = on_fault as unsafe extern "C" fn(i32, *mut libc::siginfo_t, *mut libc::c_void) as usize;
    // SAFETY: structures of the call's own, filled by it.
    unsafe {
        let mut now = MaybeUninit::<libc::sigaction>::zeroed();
        if libc::sigaction(libc::SIGSEGV, std::ptr::null(), now.as_mut_ptr()) != 0 {
            return false;
        }
        if (*now.as_ptr()).sa_sigaction == handler {
            return true;
        }
        let number = LATEST.load(Ordering::Relaxed) + 1;
        if number >= ACTIONS.len() {
            return false;
        }
        *ACTIONS[number].0.get() = now;
        LATEST.store(number, Ordering::SeqCst);
        let mut own = MaybeUninit::<libc::sigaction>::zeroed().assume_init();
        own.sa_sigaction = handler;
        own.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
        libc::sigemptyset(&mut own.sa_mask);
        libc::sigaction(libc::SIGSEGV, &own, std::ptr::null_mut()) == 0
    }
}

/// Restores the program's own handler, if the installed one is still mpiscope's.
pub fn uninstall() {
    let number = LATEST.load(Ordering::Relaxed);
    if number == 0 {
        return;
    }
    let handler = on_fault as unsafe extern "C" fn(i32, *mut libc::siginfo_t, *mut libc::c_void) as usize;
    // SAFETY: as above.
    unsafe {
        let mut now = MaybeUninit::<libc::sigaction>::zeroed();
        if libc::sigaction(libc::SIGSEGV, std::ptr::null(), now.as_mut_ptr()) == 0
            && (*now.as_ptr()).sa_sigaction == handler
        {
            libc::sigaction(libc::SIGSEGV, (*ACTIONS[number].0.get()).as_ptr(), std::ptr::null_mut());
        }
    }
}

/// Reads the cause of a fault from its context.
struct Fault {
    pc: u64,
    sp: u64,
    fp: u64,
    writes: bool,
}

#[cfg(target_arch = "x86_64")]
unsafe fn fault(context: *const libc::ucontext_t) -> Fault {
    // SAFETY: as the kernel has filled it.
    let registers = unsafe { &(*context).uc_mcontext.gregs };
    let register = |which: i32| registers[which as usize] as u64;
    Fault {
        pc: register(libc::REG_RIP) + 1,
        sp: register(libc::REG_RSP),
        fp: register(libc::REG_RBP),
        // Bit 1 of the page fault's error code.
        writes: register(libc::REG_ERR) & 2 != 0,
    }
}

#[cfg(target_arch = "aarch64")]
unsafe fn fault(context: *const libc::ucontext_t) -> Fault {
    // SAFETY: as the kernel has filled it.
    let machine = unsafe { &(*context).uc_mcontext };
    // Records of a magic number and a length each, behind the registers.
    const ESR_MAGIC: u32 = 0x4553_5201;
    let mut writes = false;
    // SAFETY: the kernel ends the records, which lie in 4096 bytes of the context.
    unsafe {
        let bytes = &raw const *machine as *const u8;
        let mut at = 288usize;
        while at < 288 + 4096 - 16 {
            let magic = bytes.add(at).cast::<u32>().read_unaligned();
            let length = bytes.add(at + 4).cast::<u32>().read_unaligned() as usize;
            if magic == ESR_MAGIC {
                writes = bytes.add(at + 8).cast::<u64>().read_unaligned() & (1 << 6) != 0;
            }
            if magic == 0 || length == 0 {
                break;
            }
            at += length;
        }
    }
    Fault { pc: machine.pc + 4, sp: machine.sp, fp: machine.regs[29], writes }
}

/// The cause of a fault.
unsafe extern "C" fn on_fault(signal: i32, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    /// The memory is mapped, but the access is not allowed.
    const SEGV_ACCERR: i32 = 2;
    // SAFETY: what the kernel passes.
    unsafe {
        let errno = *libc::__errno_location();
        let ours = (*info).si_code == SEGV_ACCERR && {
            let at = fault(context.cast());
            takes((*info).si_addr() as u64, &at)
        };
        *libc::__errno_location() = errno;
        if !ours {
            pass_on(signal, info, context);
        }
    }
}

/// Whether a fault was caused by a guard, which is then opened.
fn takes(address: u64, at: &Fault) -> bool {
    let mut late = false;
    for range in &RANGES[..REACH.load(Ordering::SeqCst)] {
        let (begin, end) = (range.begin.load(Ordering::Relaxed), range.end.load(Ordering::Relaxed));
        if !(begin..end).contains(&address) {
            continue;
        }
        range.handlers.fetch_add(1, Ordering::SeqCst);
        let is = range.state.load(Ordering::SeqCst);
        // The place may have been given to others since.
        let has = (range.begin.load(Ordering::Relaxed)..range.end.load(Ordering::Relaxed)).contains(&address);
        let is_opened = has && is & state::ON != 0 && range.opens(address, at, is & state::READABLE != 0);
        range.handlers.fetch_sub(1, Ordering::SeqCst);
        if is_opened {
            return true;
        }
        late |= match is {
            state::CLOSING => true,
            0 => range.faults.fetch_add(1, Ordering::Relaxed) < MOST_LATE,
            _ => false,
        };
    }
    late
}

impl Range {
    /// Records a fault, and opens its page, or all pages if there were too many faults; returns whether that succeeded.
    fn opens(&self, address: u64, at: &Fault, readable: bool) -> bool {
        note(address, at);
        if self.faults.fetch_add(1, Ordering::Relaxed) >= MOST_FAULTS {
            return protect(self.begin.load(Ordering::Relaxed), self.end.load(Ordering::Relaxed), OPEN);
        }
        let first = address / page() * page();
        protect(first, first + page(), if at.writes || readable { OPEN } else { libc::PROT_READ })
    }
}

/// Records the instruction, with the top of its stack.
fn note(address: u64, at: &Fault) {
    let mut stack = [0u64; STACK_WORDS];
    let bytes = size_of_val(&stack);
    let to = libc::iovec { iov_base: stack.as_mut_ptr().cast(), iov_len: bytes };
    let from = libc::iovec { iov_base: at.sp as *mut libc::c_void, iov_len: bytes };
    // The kernel copies, and says how much there was. Memory of this very process.
    // SAFETY: writes to `stack` alone.
    let copied = unsafe { libc::process_vm_readv(libc::getpid(), &to, 1, &from, 1, 0) };
    let words = usize::try_from(copied).unwrap_or(0) / 8;
    let kind = if at.writes { Kind::Write } else { Kind::Read };
    let instruction = Instruction { pc: at.pc, sp: at.sp, fp: at.fp, stack: &stack[..words] };
    instruction_access::touched(&instruction, address, 1, kind);
}

/// The fault that was passed on last: its context, its position on the stack, and the action that it was passed to.
static PASSED: [AtomicU64; 3] = [const { AtomicU64::new(0) }; 3];

/// Passes a fault on as if mpiscope were absent. A handler that found mpiscope's handler when it was installed may call it,
/// deeper in the stack, for the same fault: that goes to the handler before.
unsafe fn pass_on(signal: i32, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    let here = 0u8;
    let (about, depth) = (context as u64, &raw const here as u64);
    let is_nested = PASSED[0].load(Ordering::Relaxed) == about && depth < PASSED[1].load(Ordering::Relaxed);
    let number = match is_nested {
        true => (PASSED[2].load(Ordering::Relaxed) as usize).saturating_sub(1),
        false => LATEST.load(Ordering::SeqCst),
    };
    PASSED[2].store(number as u64, Ordering::Relaxed);
    PASSED[1].store(depth, Ordering::Relaxed);
    PASSED[0].store(about, Ordering::Relaxed);
    // SAFETY: written before its number; what the kernel passes.
    unsafe {
        let previous = (*ACTIONS[number].0.get()).assume_init_ref();
        let of_kernel = (*info).si_code > 0;
        match previous.sa_sigaction {
            // The kernel does not let a fault be ignored.
            libc::SIG_IGN if !of_kernel => {}
            libc::SIG_DFL | libc::SIG_IGN => {
                let mut default = MaybeUninit::<libc::sigaction>::zeroed().assume_init();
                default.sa_sigaction = libc::SIG_DFL;
                libc::sigaction(signal, &default, std::ptr::null_mut());
                // A fault comes again when the instruction is tried again.
                if !of_kernel {
                    libc::raise(signal);
                }
            }
            handler => {
                if previous.sa_flags & libc::SA_RESETHAND != 0 {
                    let mut default = MaybeUninit::<libc::sigaction>::zeroed().assume_init();
                    default.sa_sigaction = libc::SIG_DFL;
                    libc::sigaction(signal, &default, std::ptr::null_mut());
                }
                // The mask from before is put back by the return from this handler.
                libc::pthread_sigmask(libc::SIG_BLOCK, &previous.sa_mask, std::ptr::null_mut());
                if previous.sa_flags & libc::SA_NODEFER != 0 {
                    let mut one = MaybeUninit::<libc::sigset_t>::zeroed().assume_init();
                    libc::sigemptyset(&mut one);
                    libc::sigaddset(&mut one, signal);
                    libc::pthread_sigmask(libc::SIG_UNBLOCK, &one, std::ptr::null_mut());
                }
                if previous.sa_flags & libc::SA_SIGINFO != 0 {
                    let call: unsafe extern "C" fn(i32, *mut libc::siginfo_t, *mut libc::c_void) =
                        std::mem::transmute(handler);
                    call(signal, info, context);
                } else {
                    let call: unsafe extern "C" fn(i32) = std::mem::transmute(handler);
                    call(signal);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex, PoisonError};

    use super::super::layout::{Bytes, Piece};
    use super::*;

    /// The handler is that of the process.
    static ALONE: Mutex<()> = Mutex::new(());

    fn layout(count: u64, extent: i64, bytes: u64) -> Arc<Layout> {
        let piece = Piece { base: 0, count, extent, bytes: Arc::new(Bytes::dense(bytes)) };
        Arc::new(Layout::from_pieces(vec![piece]).unwrap())
    }

    fn map(pages: u64) -> u64 {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        // SAFETY: a fresh mapping.
        unsafe { libc::mmap(std::ptr::null_mut(), (pages * page()) as usize, OPEN, flags, -1, 0) as u64 }
    }

    fn rights(address: u64) -> (bool, bool) {
        region::at(address).map_or((false, false), |r| (r.readable, r.writable))
    }

    #[inline(never)]
    fn store(address: u64) {
        // SAFETY: memory of the test.
        unsafe { (address as *mut u64).write_volatile(7) };
    }

    #[inline(never)]
    fn load(address: u64) -> u64 {
        // SAFETY: memory of the test.
        unsafe { (address as *const u64).read_volatile() }
    }

    #[test]
    fn pages_that_belong_to_it_in_whole() {
        let page = page();
        assert_eq!(whole_pages(8, &layout(3 * page, 1, 1)), [(page, 3 * page)]);
        assert_eq!(whole_pages(page, &layout(2 * page, 1, 1)), [(page, 3 * page)]);
        assert!(whole_pages(8, &layout(page, 1, 1)).is_empty());
        // Rows of a page and a half, each two pages from the one before.
        let rows = layout(3, 2 * page as i64, page + page / 2);
        assert_eq!(whole_pages(0, &rows), [(0, page), (2 * page, 3 * page), (4 * page, 5 * page)]);
        assert!(whole_pages(0, &layout(40, 2 * page as i64, page)).is_empty());
    }

    #[test]
    fn who_reads_and_who_writes() {
        let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        let _places = instruction_access::tests::alone();
        let (at, layout) = (map(4), layout(4 * page(), 1, 1));
        let watched = instruction_access::watch(at, &layout, false).unwrap();
        let mut guards = Guards::default();
        let guarded = guards.guard(&whole_pages(at, &layout), false).unwrap();
        assert_eq!(rights(at), (false, false));
        assert_eq!(load(at + 80), 0);
        store(at + 88);
        store(at + 3 * page());
        assert_eq!((rights(at), rights(at + page())), ((true, true), (false, false)));
        guards.open(&guarded);
        assert_eq!(rights(at + page()), (true, true));
        let touches = instruction_access::unwatch(&watched, &layout);
        let by = |f: usize, t: &instruction_access::Touch| (f as u64..f as u64 + 64).contains(&(t.frames[0] - 1));
        assert_eq!(touches.len(), 2, "{touches:?}");
        assert!(touches[0].kind == Kind::Read && by(load as fn(u64) -> u64 as usize, &touches[0]));
        assert!(touches[1].kind == Kind::Write && by(store as fn(u64) as usize, &touches[1]));
        assert_eq!((touches[0].bytes, touches[1].count), ((at + 80, at + 81), 2));
        assert_eq!(load(at + 88), 7);
    }

    #[test]
    fn pages_of_two() {
        let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        let (page, at) = (page(), map(4));
        let mut guards = Guards::default();
        let first = guards.guard(&[(at, at + 3 * page)], true).unwrap();
        let second = guards.guard(&[(at + page, at + 4 * page)], true).unwrap();
        guards.open(&first);
        assert_eq!(
            (rights(at), rights(at + page), rights(at + 3 * page)),
            ((true, true), (true, false), (true, false))
        );
        guards.open(&second);
        assert!((0..4).all(|i| rights(at + i * page) == (true, true)));
        // Not what is something else now.
        let mine = guards.guard(&[(at, at + page)], false).unwrap();
        protect(at, at + page, libc::PROT_READ | libc::PROT_EXEC);
        guards.open(&mine);
        assert_eq!(rights(at), (true, false));
        assert!(guards.guard(&[(at, at + page)], false).is_none());
    }

    #[test]
    fn what_is_not_guarded() {
        let stack = [0u8; 64];
        let sp = stack.as_ptr() as u64;
        assert!(!may_be_guarded(sp / page() * page(), sp / page() * page() + page(), sp));
        let text = what_is_not_guarded as fn() as usize as u64 / page() * page();
        assert!(!may_be_guarded(text, text + page(), sp));
        let at = map(1);
        assert!(may_be_guarded(at, at + page(), sp) && !may_be_guarded(at, at + 64 * page(), at));
        protect(at, at + page(), libc::PROT_READ);
        assert!(!may_be_guarded(at, at + page(), sp));
    }

    #[test]
    fn threads_that_fault_while_it_is_opened() {
        let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        let (at, stop) = (map(2), std::sync::atomic::AtomicBool::new(false));
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    while !stop.load(Ordering::Relaxed) {
                        store(at + 8);
                        load(at + page());
                    }
                });
            }
            let mut guards = Guards::default();
            for i in 0..2000 {
                let guarded = guards.guard(&[(at, at + 2 * page())], i % 2 == 0).unwrap();
                guards.open(&guarded);
            }
            stop.store(true, Ordering::Relaxed);
        });
        assert_eq!(rights(at), (true, true));
    }
}
