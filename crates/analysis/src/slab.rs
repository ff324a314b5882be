//! Lists with holes that are used again.

use std::collections::VecDeque;

/// Puts a value where one was given back, or at the end; where it is.
pub(crate) fn put<T>(list: &mut Vec<T>, free: &mut Vec<u32>, value: T) -> u32 {
    match free.pop() {
        Some(at) => {
            list[at as usize] = value;
            at
        }
        None => {
            list.push(value);
            list.len() as u32 - 1
        }
    }
}

/// The same with the hole that was given back first: what is put in one after the other is found one after the other,
/// also when it is taken out much later, when none of it is in the cache any more.
pub(crate) fn put_in_turn<T>(list: &mut Vec<T>, free: &mut VecDeque<u32>, value: T) -> u32 {
    match free.pop_front() {
        Some(at) => {
            list[at as usize] = value;
            at
        }
        None => {
            list.push(value);
            list.len() as u32 - 1
        }
    }
}

/// Says that a value will be needed soon: it is fetched meanwhile.
#[inline(always)]
pub(crate) fn prefetch<T>(value: Option<&T>) {
    #[cfg(target_arch = "x86_64")]
    if let Some(value) = value {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch changes nothing and cannot fail; the address is that of a value besides.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(value).cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}
