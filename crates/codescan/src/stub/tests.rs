//! Code is put into a page, patched, and called.

use super::*;
use crate::{Targets, Text, displaced};

const BYTES: usize = 4096;

/// Two pages that can be executed, code in the first, its stub in the second.
struct Page {
    base: usize,
}

impl Page {
    fn new(code: &[u8]) -> Page {
        // SAFETY: a new mapping.
        let base = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                2 * BYTES,
                libc::PROT_READ | libc::PROT_WRITE | libc::PROT_EXEC,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
                -1,
                0,
            )
        };
        assert_ne!(base, libc::MAP_FAILED);
        let made = Page { base: base as usize };
        made.write(0, code);
        made
    }

    fn write(&self, at: usize, bytes: &[u8]) {
        // SAFETY: within the pages, as tests are small.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), (self.base + at) as *mut u8, bytes.len()) }
    }

    /// Patches at `place`, as the collector does.
    fn patch(&self, code: &[u8], place: usize, switch: Switch<'_>) -> usize {
        let base = self.base as u64;
        let starts = [base];
        let text = Text { address: base, bytes: code, starts: &starts };
        let at = base + place as u64;
        let length = displaced(&text, &Targets::from_text(&text), (base, base + code.len() as u64), at).unwrap();
        let made = stub(switch, &code[place..place + length], at, base + BYTES as u64).unwrap();
        self.write(BYTES, &made);
        self.write(place, &[0xcc; MOST_BYTES][..length]);
        self.write(place, &jump_to(at, base + BYTES as u64).unwrap());
        length
    }

    fn call(&self, a: u64, b: u64) -> u64 {
        // SAFETY: the tests' code keeps the calling convention.
        let function: extern "C" fn(u64, u64) -> u64 = unsafe { std::mem::transmute(self.base) };
        function(a, b)
    }
}

/// Calls `code` with and without a patch; the word and the places' bytes are changed by each call and nothing else is.
fn same(code: &[u8], place: usize, calls: &[(u64, u64)]) {
    /// The word, then a byte for each place.
    #[repr(C)]
    struct Shared {
        word: u32,
        reached: [u8; 6],
    }
    let shared: *mut Shared = Box::into_raw(Box::new(Shared { word: 0, reached: [0; 6] }));
    let slot: Box<usize> = Box::new(shared as usize);
    for (set, marks) in [(true, [4, 6].as_slice()), (false, &[9]), (true, &[])] {
        let plain = Page::new(code);
        let patched = Page::new(code);
        let switch = Switch { slot: &raw const *slot as usize, bit: 2, set, marks };
        patched.patch(code, place, switch);
        for &(a, b) in calls {
            // A place of which it was not known whether it is reached (2) is known then.
            let mut reached = [0, 0, 2, 0, 0, 2];
            // SAFETY: leaked; the code writes it.
            unsafe { shared.write_volatile(Shared { word: if set { 8 } else { 11 }, reached }) };
            for mark in marks {
                reached[*mark as usize - 4] = 1;
            }
            // The second call finds everything as it leaves it.
            for _ in 0..2 {
                assert_eq!(patched.call(a, b), plain.call(a, b), "{a} {b}");
                // SAFETY: as above.
                let after = unsafe { shared.read_volatile() };
                assert_eq!((after.word, after.reached), (if set { 10 } else { 9 }, reached));
            }
        }
    }
}

/// Threads share the line: one that was reached is not written again. Here a second write would be a fault.
#[test]
fn what_was_said_is_not_written_again() {
    let code = [0x55, 0x48, 0x89, 0xe5, 0x48, 0x8d, 0x04, 0x37, 0x5d, 0xc3];
    // SAFETY: a new mapping.
    let page = unsafe {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        libc::mmap(std::ptr::null_mut(), BYTES, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0)
    };
    assert_ne!(page, libc::MAP_FAILED);
    let slot = Box::new(page as usize);
    let patched = Page::new(&code);
    patched.patch(&code, 0, Switch { slot: &raw const *slot as usize, bit: 2, set: true, marks: &[64, 65] });
    assert_eq!(patched.call(3, 4), 7);
    // SAFETY: mapped above.
    let read_only = unsafe { libc::mprotect(page, BYTES, libc::PROT_READ) };
    assert_eq!((read_only, patched.call(3, 4)), (0, 7));
    // SAFETY: as above.
    let said = unsafe { std::slice::from_raw_parts(page.cast::<u8>(), 67) };
    assert_eq!((said[0], &said[64..]), (2, &[1, 1, 0][..]));
}

#[test]
fn a_frame() {
    // push rbp; mov rbp, rsp; lea rax, [rdi + rsi]; pop rbp; ret
    same(&[0x55, 0x48, 0x89, 0xe5, 0x48, 0x8d, 0x04, 0x37, 0x5d, 0xc3], 0, &[(3, 4), (u64::MAX, 2)]);
}

#[test]
fn flags_and_the_red_zone_survive() {
    // mov [rsp - 8], rdi; cmp rdi, rsi; (place) mov rax, [rsp - 8]; jae +3; mov rax, rsi; ret
    let code = [
        0x48, 0x89, 0x7c, 0x24, 0xf8, 0x48, 0x39, 0xf7, 0x48, 0x8b, 0x44, 0x24, 0xf8, 0x73, 0x03, 0x48, 0x89, 0xf0,
        0xc3,
    ];
    same(&code, 8, &[(1, 2), (2, 1), (7, 7)]);
}

#[test]
fn operands_relative_to_the_code() {
    // mov rax, [rip + 1]; ret; data
    let code = [0x48, 0x8b, 0x05, 1, 0, 0, 0, 0xc3, 0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11];
    same(&code, 0, &[(0, 0)]);
}

#[test]
fn short_branches() {
    // test rdi, rdi; je +4; mov rax, rsi; ret; mov eax, 7; ret
    let code = [0x48, 0x85, 0xff, 0x74, 0x04, 0x48, 0x89, 0xf0, 0xc3, 0xb8, 7, 0, 0, 0, 0xc3];
    same(&code, 0, &[(0, 5), (1, 5)]);
    // xor eax, eax; jmp +1; int3; lea rax, [rax + rdi]; ret; without a way back from the stub
    let code = [0x48, 0x31, 0xc0, 0xeb, 0x01, 0xcc, 0x48, 0x8d, 0x04, 0x38, 0xc3];
    same(&code, 0, &[(9, 0)]);
}

#[test]
fn a_call_returns_to_the_function() {
    // xor eax, eax; call next; ret; next: mov rax, [rsp] (the return address); sub rax, [rip…]: relative to the code
    let code = [
        0x31, 0xc0, // xor eax, eax
        0xe8, 1, 0, 0, 0,    // call next
        0xc3, // ret
        0x48, 0x8b, 0x04, 0x24, // next: mov rax, [rsp]
        0x48, 0x8d, 0x15, 0xed, 0xff, 0xff, 0xff, // lea rdx, [start]
        0x48, 0x29, 0xd0, // sub rax, rdx
        0xc3,
    ];
    same(&code, 0, &[(0, 0)]);
    let made = Page::new(&code);
    assert_eq!(made.call(0, 0), 7);
    // The same through a register: lea rax, [next]; call rax; ret. The place is in front of a two-byte call.
    let code = [
        0x48, 0x8d, 0x05, 6, 0, 0, 0, // lea rax, [next]
        0x90, 0x90, 0x90, // (place)
        0xff, 0xd0, // call rax
        0xc3, // ret
        0x48, 0x8b, 0x04, 0x24, // next
        0x48, 0x8d, 0x15, 0xe8, 0xff, 0xff, 0xff, // lea rdx, [start]
        0x48, 0x29, 0xd0, // sub rax, rdx
        0xc3,
    ];
    same(&code, 7, &[(0, 0)]);
    assert_eq!(Page::new(&code).call(0, 0), 12);
}

#[test]
fn too_far() {
    let switch = Switch { slot: 8, bit: 2, set: true, marks: &[] };
    let code = [0x55, 0x48, 0x89, 0xe5, 0x90];
    assert!(stub(switch, &code, 0x1000, 0x7000_0000).is_some());
    assert!(stub(switch, &code, 0x1000, 0x1_0000_0000).is_none());
    assert!(jump_to(0, 1 << 31).is_some() && jump_to(0, (1 << 31) + 5).is_none());
    assert!(stub(switch, &[0x48], 0x1000, 0x2000).is_none());
}
