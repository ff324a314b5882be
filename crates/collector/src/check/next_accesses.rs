//! What the program is going to access after a call, from its machine code: where to set watchpoints, of which there are four. And how
//! many bytes an instruction accessed that was caught.

use mpiscope_abi::role::{Epoch, Pattern, Role, role};
use mpiscope_codescan::{Ahead, Elsewhere, Start, touched, touches_ahead};

use super::inflight::instruction_access::Kind;
use super::view::View;
use crate::elf;
use crate::generated::SYMBOLS;

/// What the code that comes after this call touches of some stretches of memory (first address, one past the last), see
/// [`touches_ahead`]: first what each instruction does at once, then what it does the next time.
pub fn touches(view: &View<'_>, memory: &[(u64, u64)]) -> Vec<Ahead> {
    let args = view.args;
    let pc = args.caller();
    let Some((from, code)) = code_around(pc) else { return Vec::new() };
    let (at, stack) = (pc as u64, args.stack_pointer() as u64);
    let start = Start { at, stack, frame: args.frame_pointer() as u64, saved: crate::stack::saved(at, stack) };
    let memory: Vec<_> = memory.iter().map(|m| m.0..m.1).collect();
    let own = view.process.own;
    let mut all = touches_ahead(start, (from, code), &memory, read, |to| elsewhere(own, to));
    all.sort_by_key(|touch| touch.round);
    all
}

/// The segment of code that an address is in.
fn code_around(pc: usize) -> Option<(u64, &'static [u8])> {
    let (from, to) = elf::containing(pc)?.segment(pc)?;
    // SAFETY: a mapped, readable segment of an object that has a call on the stack, or whose code has run a moment ago.
    Some((from as u64, unsafe { std::slice::from_raw_parts(from as *const u8, to - from) }))
}

/// The most bytes that the instruction before a return address loads or stores at once.
pub fn width(pc: u64) -> Option<usize> {
    let (from, code) = code_around(pc.checked_sub(1)? as usize)?;
    [false, true].into_iter().filter_map(|stores| touched(from, code, pc, stores)).max()
}

/// What the instruction before a return address does, if it is one of the two.
pub fn kind(pc: u64) -> Option<Kind> {
    let (from, code) = code_around(pc.checked_sub(1)? as usize)?;
    match (touched(from, code, pc, false), touched(from, code, pc, true)) {
        (Some(_), None) => Some(Kind::Read),
        (None, Some(_)) => Some(Kind::Write),
        _ => None,
    }
}

/// The memory at an address, if there is some. By a system call: a variable may point anywhere.
fn read(at: u64, bytes: &mut [u8]) -> bool {
    let to = libc::iovec { iov_base: bytes.as_mut_ptr().cast(), iov_len: bytes.len() };
    let from = libc::iovec { iov_base: at as *mut _, iov_len: bytes.len() };
    // SAFETY: the kernel writes these bytes, and reads what is mapped.
    let read = unsafe { libc::process_vm_readv(libc::getpid(), &raw const to, 1, &raw const from, 1, 0) };
    read == bytes.len() as isize
}

/// Bytes of `mov r11d, number`, with which our stubs begin, and of the number.
const STUB: usize = 2 + 4;

/// What a function outside of the program does: those of MPI have a stub here.
fn elsewhere(own: (usize, usize), to: u64) -> Elsewhere {
    let to = to as usize;
    if to < own.0 || to.saturating_add(STUB) > own.1 {
        return Elsewhere::Returns(None);
    }
    // SAFETY: our own code, which is mapped as long as this runs.
    let stub = unsafe { std::slice::from_raw_parts(to as *const u8, STUB) };
    let number = stub.strip_prefix(&[0x41, 0xbb]).and_then(|n| n.try_into().ok()).map(u32::from_le_bytes);
    match number.and_then(|number| SYMBOLS.get(number as usize)) {
        Some(symbol) if ends(symbol.function.into()) => Elsewhere::Ends,
        Some(_) => Elsewhere::Returns(Some(0)),
        None => Elsewhere::Returns(None),
    }
}

/// Whether a function may complete what was begun before it.
fn ends(function: u32) -> bool {
    matches!(
        role(function),
        Role::Complete
            | Role::Epoch(Epoch::Complete | Epoch::Wait | Epoch::Unlock | Epoch::Flush)
            | Role::Collective(Pattern::Fence)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_that_end_something() {
        use mpiscope_abi::id;
        assert!(
            [id::Wait, id::Waitall, id::Win_fence, id::Win_unlock, id::Win_flush, id::Win_wait].map(ends) == [true; 6]
        );
        assert!([id::Irecv, id::Barrier, id::Win_lock, id::Send, id::Get].map(ends) == [false; 5]);
    }

    #[test]
    fn stubs_are_known_by_their_code() {
        let stub = |number: u32| [&[0x41, 0xbb], &number.to_le_bytes()[..]].concat();
        let number = |wanted: u32| {
            SYMBOLS.iter().position(|s| u32::from(s.function) == wanted && !s.fortran).unwrap_or_default() as u32
        };
        let of = |code: &[u8]| {
            let at = code.as_ptr() as usize;
            elsewhere((at, at + code.len()), at as u64)
        };
        assert_eq!(of(&stub(number(mpiscope_abi::id::Waitall))), Elsewhere::Ends);
        assert_eq!(of(&stub(number(mpiscope_abi::id::Irecv))), Elsewhere::Returns(Some(0)));
        assert_eq!(of(&stub(u32::MAX)), Elsewhere::Returns(None));
        assert_eq!(of(&[0x90; STUB]), Elsewhere::Returns(None));
        assert_eq!(elsewhere((16, 32), 0x4000), Elsewhere::Returns(None));
    }

    #[test]
    fn what_instructions_do() {
        let (load, store, both): (u64, u64, u64);
        // SAFETY: touches a word of the stack, below what is in use of it.
        unsafe {
            core::arch::asm!(
                "mov {a}, [rsp - 64]", "2:",
                "mov [rsp - 64], {a}", "3:",
                "add [rsp - 64], {a}", "4:",
                "lea {a}, [rip + 2b]", "lea {b}, [rip + 3b]", "lea {c}, [rip + 4b]",
                a = out(reg) load, b = out(reg) store, c = out(reg) both,
            );
        }
        assert_eq!([load, store, both].map(kind), [Some(Kind::Read), Some(Kind::Write), None]);
        assert!(width(load) == Some(8) && width(16).is_none() && kind(16).is_none());
    }

    #[test]
    fn memory_that_is_there() {
        let (known, mut got) = ([7u8; 32], [0u8; 32]);
        assert!(read(known.as_ptr() as u64, &mut got) && got == known);
        assert!(!read(16, &mut got));
    }
}
