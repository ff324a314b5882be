//! Lists whose free places are reused.

use std::collections::VecDeque;

/// Puts a value into a free place, or at the end; returns its place.
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

/// The same, with the place that was freed first: values that are put in one after another are found one after another,
/// also when they are taken out much later, when none of them is in the cache any more.
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

/// Prefetches a value that will be needed soon.
#[inline(always)]
pub(crate) fn prefetch<T>(value: Option<&T>) {
    #[cfg(target_arch = "x86_64")]
    if let Some(value) = value {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch changes nothing and cannot fail; besides, the address is that of a value.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(value).cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}
