//! Compilers keep no frame pointers on x86-64, so frames are found by the unwind tables that C++ and debuggers
//! use. Interpreting those takes microseconds, but what they say about a return address never
//! changes: nearly always "the caller's frame begins at rsp (or rbp) plus n, and rbp was saved there
//! or not at all". That is a quarter of a cache line, looked up by return address, so a walk over known
//! frames costs a few nanoseconds each. Whatever is not of this form (signal frames, realigned stacks,
//! code without tables) ends the walk.

use gimli::{
    BaseAddresses, CfaRule, EhFrameHdr, NativeEndian, Register, RegisterRule, UnwindContext, UnwindSection,
    UnwindTableRow,
};

use mpiscope_trace::check::event::Frame;

use super::recent::FRAME_POINTER;
use crate::elf::{self, Object};
use crate::trampoline::Args;

/// Number of cache lines of rules, a power of two. A program with as many call sites as an interpreter has a few thousand return
/// addresses; each stack has about a dozen of them.
const LINES: usize = 512;
/// Rules in each cache line. With one rule for each slot, two frames of the same stack would sometimes need the same slot, and
/// replace each other in every call.
const WAYS: usize = 4;
const NOT_SAVED: i16 = i16::MAX;
const RBP: Register = Register(6);
const RSP: Register = Register(7);

/// How to get from a frame to its caller.
#[derive(Clone, Copy)]
struct Rule {
    /// Return address to which this rule applies; 0 for a free entry.
    pc: u64,
    /// Offset of the frame's end from rsp or rbp. 0: unknown, the walk ends here.
    offset: i32,
    /// Offset of the caller's rbp from the end of the frame, or [`NOT_SAVED`].
    rbp: i16,
    from_rbp: bool,
}

#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Line([Rule; WAYS]);

const _: () = assert!(size_of::<Line>() == 64);

/// Rules of return addresses seen before.
pub struct Walker {
    lines: Box<[Line]>,
    /// Counts computed rules: decides which entry of a full line is replaced.
    found: usize,
}

impl Walker {
    /// An empty table.
    pub fn new() -> Walker {
        let none = Rule { pc: 0, offset: 0, rbp: NOT_SAVED, from_rbp: false };
        Walker { lines: vec![Line([none; WAYS]); LINES].into_boxed_slice(), found: 0 }
    }

    #[inline(always)]
    fn rule(&mut self, pc: u64) -> Rule {
        let line = (pc.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 55) as usize & (LINES - 1);
        match self.lines[line].0.iter().find(|rule| rule.pc == pc) {
            Some(rule) => *rule,
            None => self.learn(line, pc),
        }
    }

    #[cold]
    #[inline(never)]
    fn learn(&mut self, line: usize, pc: u64) -> Rule {
        let rule = find(pc);
        let rules = &mut self.lines[line].0;
        let place = rules.iter().position(|rule| rule.pc == 0).unwrap_or(self.found % WAYS);
        rules[place] = rule;
        self.found += 1;
        rule
    }

    /// Visits at most `depth` return addresses, innermost first; `end` is one past the last byte of the stack. Passes on the
    /// words (address, value) on which the path depends, besides its beginning.
    #[inline(always)]
    pub fn walk(
        &mut self,
        args: Args,
        depth: usize,
        end: usize,
        mut visit: impl FnMut(u64),
        mut depends: impl FnMut(usize, usize),
    ) {
        let mut here = Here::of(args);
        visit(here.pc);
        for _ in 1..depth {
            match self.above(&here, end, &mut depends) {
                Some(above) if above.pc != 0 => here = above,
                _ => return,
            }
            visit(here.pc);
        }
    }

    /// Which of the `depth` innermost frames contains an address.
    pub fn frame_of(&mut self, args: Args, depth: usize, end: usize, address: u64) -> Option<Frame> {
        let mut here = Here::of(args);
        for _ in 0..depth {
            let above = self.above(&here, end, |_, _| ())?;
            if address < above.rsp as u64 {
                let Here { pc, rsp, rbp, .. } = here;
                return Some(Frame { pc, sp: rsp as u64, fp: rbp as u64, end: above.rsp as u64 });
            }
            here = above;
        }
        None
    }

    /// The frame of the caller of the function to which this frame belongs.
    #[inline(always)]
    fn above(&mut self, here: &Here, end: usize, mut depends: impl FnMut(usize, usize)) -> Option<Here> {
        let &Here { pc, rsp, mut rbp, mut rbp_at } = here;
        let rule = self.rule(pc);
        let base = if rule.from_rbp { rbp } else { rsp };
        if rule.from_rbp {
            depends(rbp_at, rbp);
        }
        let frame_end = base.wrapping_add_signed(rule.offset as isize);
        // Frames grow towards the end of the stack; the return address lies just below the frame's end.
        if rule.offset == 0 || frame_end <= rsp || frame_end > end || frame_end & 7 != 0 {
            return None;
        }
        if rule.rbp != NOT_SAVED {
            let at = frame_end.wrapping_add_signed(rule.rbp as isize);
            if at < rsp || at + 8 > end {
                return None;
            }
            // SAFETY: within this thread's stack, above the current frame.
            rbp = unsafe { (at as *const usize).read_unaligned() };
            rbp_at = at;
        }
        // SAFETY: as above.
        let pc = unsafe { ((frame_end - 8) as *const u64).read() };
        depends(frame_end - 8, pc as usize);
        Some(Here { pc, rsp: frame_end, rbp, rbp_at })
    }
}

/// A point in a walk: a return address, and the registers there.
struct Here {
    pc: u64,
    rsp: usize,
    rbp: usize,
    /// The address at which it was stored.
    rbp_at: usize,
}

impl Here {
    #[inline(always)]
    fn of(args: Args) -> Here {
        let (rsp, rbp) = (args.stack_pointer(), args.frame_pointer());
        Here { pc: args.caller() as u64, rsp, rbp, rbp_at: FRAME_POINTER }
    }
}

/// Return address, stack pointer and frame pointer of a frame's caller, in a copy of the stack.
pub fn caller(pc: u64, sp: u64, fp: u64, word: impl Fn(u64) -> Option<u64>) -> Option<(u64, u64, u64)> {
    let rule = find(pc);
    let base = if rule.from_rbp { fp } else { sp };
    let frame_end = base.wrapping_add_signed(rule.offset.into());
    if rule.offset == 0 || frame_end <= sp {
        return None;
    }
    let fp = match rule.rbp {
        NOT_SAVED => fp,
        at => word(frame_end.wrapping_add_signed(at.into()))?,
    };
    let pc = word(frame_end - 8).filter(|&pc| pc != 0)?;
    Some((pc, frame_end, fp))
}

/// Interprets the unwind tables for a return address.
#[cold]
fn find(pc: u64) -> Rule {
    let unknown = Rule { pc, offset: 0, rbp: NOT_SAVED, from_rbp: false };
    elf::containing(pc as usize).and_then(|object| interpret(&object, pc)).unwrap_or(unknown)
}

fn interpret(object: &Object, pc: u64) -> Option<Rule> {
    row(object, pc, |row| {
        let (register, offset) = match *row.cfa() {
            CfaRule::RegisterAndOffset { register, offset } if register == RSP || register == RBP => (register, offset),
            _ => return None,
        };
        let rbp = match row.register(RBP) {
            RegisterRule::Offset(at) => i16::try_from(at).ok().filter(|&at| at != NOT_SAVED)?,
            RegisterRule::Undefined | RegisterRule::SameValue => NOT_SAVED,
            _ => return None,
        };
        Some(Rule { pc, offset: i32::try_from(offset).ok()?, rbp, from_rbp: register == RBP })
    })
}

/// The unwind tables' rule for a return address, for frames whose own return address is where a call puts it.
fn row<T>(object: &Object, pc: u64, show: impl FnOnce(&UnwindTableRow<usize>) -> Option<T>) -> Option<T> {
    let (header_at, header) = object.eh_frame_hdr()?;
    let bases = BaseAddresses::default().set_eh_frame_hdr(header_at as u64);
    let header = EhFrameHdr::new(header, NativeEndian).parse(&bases, 8).ok()?;
    let gimli::Pointer::Direct(section_at) = header.eh_frame_ptr() else { return None };
    // The section's length is not recorded; it ends with its segment at the latest.
    let section = object.mapped(section_at as usize)?;
    let section = gimli::EhFrame::new(section, NativeEndian);
    let bases = bases.set_eh_frame(section_at);
    // The call may be the last instruction of its function: its own row, not the next one.
    let address = pc - 1;
    let table = header.table()?;
    let fde = table.fde_for_address(&section, &bases, address, |s, b, o| s.cie_from_offset(b, o)).ok()?;
    if fde.is_signal_trampoline() {
        return None;
    }
    let mut context = UnwindContext::new();
    let row = fde.unwind_info_for_address(&section, &bases, &mut context, address).ok()?;
    if !matches!(row.register(fde.cie().return_address_register()), RegisterRule::Offset(-8)) {
        return None;
    }
    show(row)
}

/// Registers that functions preserve, except rbp and rsp, in the order of gimli's numbers.
const SAVED: [Register; 5] = [Register(3), Register(12), Register(13), Register(14), Register(15)];
/// Most frames of this library between the program's call and the caller of this function.
const MOST_FRAMES: usize = 64;

/// The program's rbx and r12 to r15 at its call that returns to `until` and is being handled by this thread; its stack pointer is
/// then `end`. They are read from where functions of this library saved them, which takes a few microseconds.
#[inline(never)]
pub fn saved(until: u64, end: u64) -> Option<[u64; 5]> {
    let (mut here, mut pc) = ([0u64; 7], 0u64);
    // SAFETY: writes the words. What a register that this function uses for it was before, the tables know.
    unsafe {
        core::arch::asm!(
            "mov [{to}], rbx",
            "mov [{to} + 8], r12",
            "mov [{to} + 16], r13",
            "mov [{to} + 24], r14",
            "mov [{to} + 32], r15",
            "mov [{to} + 40], rbp",
            "mov [{to} + 48], rsp",
            "lea {pc}, [rip]",
            to = in(reg) here.as_mut_ptr(),
            pc = out(reg) pc,
            options(nostack, preserves_flags)
        );
    }
    let [a, b, c, d, e, mut rbp, mut rsp] = here;
    let mut values = [a, b, c, d, e];
    for _ in 0..MOST_FRAMES {
        let object = elf::containing(pc as usize)?;
        let word = |at: u64, rsp: u64| {
            let is_stack = at >= rsp && at.checked_add(8).is_some_and(|to| to <= end) && at & 7 == 0;
            // SAFETY: of this thread's stack, above the current frame.
            is_stack.then(|| unsafe { (at as *const u64).read_volatile() })
        };
        let (frame_end, next) = row(&object, pc, |row| {
            let frame_end = match *row.cfa() {
                CfaRule::RegisterAndOffset { register, offset } if register == RSP => rsp.wrapping_add_signed(offset),
                CfaRule::RegisterAndOffset { register, offset } if register == RBP => rbp.wrapping_add_signed(offset),
                _ => return None,
            };
            let of = |register: Register, now: u64| match row.register(register) {
                RegisterRule::Offset(at) => word(frame_end.wrapping_add_signed(at), rsp),
                RegisterRule::Undefined | RegisterRule::SameValue => Some(now),
                _ => None,
            };
            for (value, register) in values.iter_mut().zip(SAVED) {
                *value = of(register, *value)?;
            }
            rbp = of(RBP, rbp)?;
            Some((frame_end, word(frame_end.wrapping_sub(8), rsp)?))
        })?;
        (rsp, pc) = (frame_end, next);
        if pc == until {
            return (rsp == end).then_some(values);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Calls a function with known register values, as a program does; returns what it finds, and the values.
    #[test]
    fn registers_of_who_has_called() {
        #[inline(never)]
        extern "C" fn handler(until: u64, end: u64, found: &mut Option<[u64; 5]>) {
            // Uses registers of its own.
            let sum: Vec<u64> = (0..20).map(|i| until.wrapping_mul(i)).collect();
            *found = std::hint::black_box(|| saved(until, end))();
            std::hint::black_box(sum);
        }
        let mut found: Option<[u64; 5]> = None;
        // SAFETY: the registers are as they were afterwards; the stack is aligned for the call.
        unsafe {
            core::arch::asm!(
                "push rbx",
                "push rbp",
                "mov rbp, rsp",
                "and rsp, -16",
                "mov ebx, 11",
                "mov r12d, 12",
                "mov r13d, 13",
                "mov r14d, 14",
                "mov r15d, 15",
                "lea rdi, [rip + 2f]",
                "mov rsi, rsp",
                "call {handler}",
                "2:",
                "mov rsp, rbp",
                "pop rbp",
                "pop rbx",
                handler = sym handler,
                in("rdx") &raw mut found,
                out("r12") _, out("r13") _, out("r14") _, out("r15") _,
                clobber_abi("C"),
            );
        }
        assert_eq!(found, Some([11, 12, 13, 14, 15]));
        assert_eq!(saved(16, 0), None);
    }

    #[test]
    fn tables_of_this_very_program() {
        let here = tables_of_this_very_program as fn() as usize as u64 + 1;
        // The first byte of a function: nothing pushed yet, the frame ends eight bytes up.
        let rule = find(here);
        assert_eq!((rule.offset, rule.from_rbp, rule.rbp), (8, false, NOT_SAVED));
        assert_eq!(find(16).offset, 0);
    }

    #[test]
    fn frames_that_want_the_same_place_do_not_drive_each_other_out() {
        let mut walker = Walker::new();
        let line = |pc: u64| (pc.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 55) as usize & (LINES - 1);
        let alike: Vec<u64> = (1..).filter(|&pc| line(pc) == 7).take(WAYS + 1).collect();
        for _ in 0..10 {
            alike[..WAYS].iter().for_each(|&pc| assert_eq!(walker.rule(pc).pc, pc));
        }
        assert_eq!(walker.found, WAYS);
        // One too many takes the place of one of them, and what is asked for again is there again.
        for _ in 0..10 {
            alike.iter().for_each(|&pc| assert_eq!(walker.rule(pc).pc, pc));
        }
        assert!(walker.found > WAYS);
    }

    #[test]
    fn callers_in_the_copy_of_a_stack() {
        let here = callers_in_the_copy_of_a_stack as fn() as usize as u64 + 1;
        // At its first byte only the return address has been pushed.
        let stack = [0x1234u64, 5, 6];
        let word = |at: u64| stack.get((at - 0x7000) as usize / 8).copied();
        assert_eq!(caller(here, 0x7000, 0x9000, word), Some((0x1234, 0x7008, 0x9000)));
        assert_eq!(caller(16, 0x7000, 0x9000, word), None);
        assert_eq!(crate::stack::of_copy(here, 0x7000, 0x9000, &stack, 6), [here, 0x1234]);
        assert_eq!(crate::stack::of_copy(here, 0, 0, &[], 6), [here]);
    }
}
