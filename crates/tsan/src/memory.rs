//! `memcpy` and similar functions: in code of GCC they are calls of the C library, which is not instrumented.
//!
//! They replace those of the C library in the whole process. The collector determines the caller; it is called only if
//! memory may be in flight.

// In tests, the names belong to the C library.
#![cfg_attr(test, allow(dead_code))]

use std::ffi::CStr;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::gate::library;
use crate::{LIBRARY, WRITE, meets, touched_range};

/// The next definitions after ours in the process, once they are known.
pub(crate) static NEXT: [AtomicUsize; 8] = [const { AtomicUsize::new(0) }; 8];

/// `memcpy` means `memmove` here: programs linked before glibc 2.14 may rely on it.
const NAMES: [&CStr; 8] =
    [c"memmove", c"mempcpy", c"memset", c"memcmp", c"__memmove_chk", c"__mempcpy_chk", c"__memset_chk", c"bcmp"];

const MOVE: usize = 0;
const PCPY: usize = 1;
const SET: usize = 2;
const CMP: usize = 3;
const MOVE_CHK: usize = 4;
const PCPY_CHK: usize = 5;
const SET_CHK: usize = 6;
const BCMP: usize = 7;

/// The function of the C library.
pub(crate) unsafe extern "C" fn find(index: u32) -> usize {
    let name = NAMES[index as usize];
    // SAFETY: a name that ends in zero.
    let found = unsafe { libc::dlsym(libc::RTLD_NEXT, name.as_ptr()) } as usize;
    NEXT[index as usize].store(found, Ordering::Relaxed);
    found
}

pub(crate) unsafe extern "C" fn copied(to: u64, from: u64, bytes: u64, caller: u64, sp: u64, fp: u64) {
    unsafe {
        touched_range(from, bytes, LIBRARY, caller, sp, fp);
        touched_range(to, bytes, LIBRARY | WRITE, caller, sp, fp);
    }
}

pub(crate) unsafe extern "C" fn filled(to: u64, _with: u64, bytes: u64, caller: u64, sp: u64, fp: u64) {
    unsafe { touched_range(to, bytes, LIBRARY | WRITE, caller, sp, fp) };
}

/// The accessed length depends on the bytes: up to the first that differs, which has to be searched for.
pub(crate) unsafe extern "C" fn compared(one: u64, other: u64, bytes: u64, caller: u64, sp: u64, fp: u64) {
    if !meets(one, bytes) && !meets(other, bytes) {
        return;
    }
    let read =
        |i: u64| unsafe { (((one + i) as *const u8).read_volatile(), ((other + i) as *const u8).read_volatile()) };
    let mut same = 0;
    while same < bytes {
        same += 1;
        let (a, b) = read(same - 1);
        if a != b {
            break;
        }
    }
    unsafe {
        touched_range(one, same, LIBRARY, caller, sp, fp);
        touched_range(other, same, LIBRARY, caller, sp, fp);
    }
}

library!(memcpy, MOVE, copied);
library!(memmove, MOVE, copied);
library!(mempcpy, PCPY, copied);
library!(__mempcpy, PCPY, copied);
library!(memset, SET, filled);
library!(memcmp, CMP, compared);
library!(bcmp, BCMP, compared);
library!(__memcpy_chk, MOVE_CHK, copied);
library!(__memmove_chk, MOVE_CHK, copied);
library!(__mempcpy_chk, PCPY_CHK, copied);
library!(__memset_chk, SET_CHK, filled);

/// The same for clang, which calls other names in instrumented code.
pub(crate) unsafe extern "C" fn copied_here(to: u64, from: u64, bytes: u64, caller: u64, sp: u64, fp: u64) {
    unsafe {
        touched_range(from, bytes, 0, caller, sp, fp);
        touched_range(to, bytes, WRITE, caller, sp, fp);
    }
}

pub(crate) unsafe extern "C" fn filled_here(to: u64, _with: u64, bytes: u64, caller: u64, sp: u64, fp: u64) {
    unsafe { touched_range(to, bytes, WRITE, caller, sp, fp) };
}

library!(__tsan_memcpy, MOVE, copied_here);
library!(__tsan_memmove, MOVE, copied_here);
library!(__tsan_memset, SET, filled_here);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::watched;

    type Copy = unsafe extern "C" fn(*mut u8, *const u8, usize) -> *mut u8;
    type Fill = unsafe extern "C" fn(*mut u8, i32, usize) -> *mut u8;
    type Compare = unsafe extern "C" fn(*const u8, *const u8, usize) -> i32;

    #[test]
    fn what_they_do_they_still_do() {
        let entry = |f: unsafe extern "C" fn()| f;
        let copy: Copy = unsafe { std::mem::transmute(entry(memcpy)) };
        let after: Copy = unsafe { std::mem::transmute(entry(mempcpy)) };
        let fill: Fill = unsafe { std::mem::transmute(entry(memset)) };
        let compare: Compare = unsafe { std::mem::transmute(entry(memcmp)) };
        let same: Compare = unsafe { std::mem::transmute(entry(bcmp)) };
        for in_flight in [false, true] {
            let from: Vec<u8> = (0..100).collect();
            let mut to = vec![0u8; 100];
            let (source, target) = (from.as_ptr(), to.as_mut_ptr());
            let (low, high) = if in_flight { (target as u64 + 10, target as u64 + 20) } else { (u64::MAX, 0) };
            let (results, seen) = watched(low, high, || unsafe {
                let first = copy(target, source, 100) == target;
                let second = after(target.add(20), source, 5) == target.add(25);
                // Overlapping, upwards.
                copy(target.add(50), target.add(48), 40);
                let third = fill(target, 0x1ff, 12) == target;
                [first, second, third, compare(source, target, 100) < 0, same(target.add(30), source.add(30), 4) == 0]
            });
            assert_eq!(results, [true; 5]);
            let mut wanted: Vec<u8> = (0..100).collect();
            wanted.copy_within(0..5, 20);
            wanted.copy_within(48..88, 50);
            wanted[..12].fill(255);
            assert_eq!(to, wanted);
            let at = target as u64;
            let told = [(at, 100, LIBRARY | WRITE), (at, 12, LIBRARY | WRITE)];
            assert_eq!(seen, if in_flight { &told[..] } else { &[] });
        }
    }
}
