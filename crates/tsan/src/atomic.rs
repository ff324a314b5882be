//! Atomic operations, which the compiler leaves to the runtime.
//!
//! All are sequentially consistent except stores, which would be more expensive: they are only if requested.

use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering, compiler_fence, fence};

use crate::WRITE;
use crate::gate::gate;

/// `memory_order_seq_cst` of C; other bits are hints.
const SEQ_CST: i32 = 5;
const ORDERS: i32 = 0xf;

fn is_strict(order: i32) -> bool {
    order & ORDERS == SEQ_CST
}

/// Names and functions of one width.
macro_rules! atomics {
    ($module:ident, $word:ty, $atomic:ty, $bytes:literal: $load:ident $store:ident $exchange:ident
     $add:ident $sub:ident $and:ident $or:ident $xor:ident $nand:ident $strong:ident $weak:ident $val:ident) => {
        mod $module {
            use super::*;

            // SAFETY, for all: the program's operation on its own memory.
            unsafe fn at<'a>(address: *mut $word) -> &'a $atomic {
                unsafe { <$atomic>::from_ptr(address) }
            }
            pub unsafe extern "C" fn load(address: *mut $word, _order: i32) -> $word {
                unsafe { at(address) }.load(Ordering::SeqCst)
            }
            pub unsafe extern "C" fn store(address: *mut $word, value: $word, order: i32) {
                let order = if is_strict(order) { Ordering::SeqCst } else { Ordering::Release };
                unsafe { at(address) }.store(value, order);
            }
            pub unsafe extern "C" fn exchange(address: *mut $word, value: $word, _order: i32) -> $word {
                unsafe { at(address) }.swap(value, Ordering::SeqCst)
            }
            pub unsafe extern "C" fn add(address: *mut $word, value: $word, _order: i32) -> $word {
                unsafe { at(address) }.fetch_add(value, Ordering::SeqCst)
            }
            pub unsafe extern "C" fn sub(address: *mut $word, value: $word, _order: i32) -> $word {
                unsafe { at(address) }.fetch_sub(value, Ordering::SeqCst)
            }
            pub unsafe extern "C" fn and(address: *mut $word, value: $word, _order: i32) -> $word {
                unsafe { at(address) }.fetch_and(value, Ordering::SeqCst)
            }
            pub unsafe extern "C" fn or(address: *mut $word, value: $word, _order: i32) -> $word {
                unsafe { at(address) }.fetch_or(value, Ordering::SeqCst)
            }
            pub unsafe extern "C" fn xor(address: *mut $word, value: $word, _order: i32) -> $word {
                unsafe { at(address) }.fetch_xor(value, Ordering::SeqCst)
            }
            pub unsafe extern "C" fn nand(address: *mut $word, value: $word, _order: i32) -> $word {
                unsafe { at(address) }.fetch_nand(value, Ordering::SeqCst)
            }
            pub unsafe extern "C" fn compare_exchange(
                address: *mut $word,
                expected: *mut $word,
                value: $word,
                _order: i32,
                _failed: i32,
            ) -> i32 {
                let wanted = unsafe { *expected };
                match unsafe { at(address) }.compare_exchange(wanted, value, Ordering::SeqCst, Ordering::SeqCst) {
                    Ok(_) => 1,
                    Err(found) => {
                        unsafe { *expected = found };
                        0
                    }
                }
            }
            pub unsafe extern "C" fn compare_exchange_val(
                address: *mut $word,
                expected: $word,
                value: $word,
                _order: i32,
                _failed: i32,
            ) -> $word {
                let order = Ordering::SeqCst;
                unsafe { at(address) }.compare_exchange(expected, value, order, order).unwrap_or_else(|found| found)
            }
        }
        gate!($load, $bytes, 0, then $module::load);
        gate!($store, $bytes, WRITE, then $module::store);
        gate!($exchange, $bytes, WRITE, then $module::exchange);
        gate!($add, $bytes, WRITE, then $module::add);
        gate!($sub, $bytes, WRITE, then $module::sub);
        gate!($and, $bytes, WRITE, then $module::and);
        gate!($or, $bytes, WRITE, then $module::or);
        gate!($xor, $bytes, WRITE, then $module::xor);
        gate!($nand, $bytes, WRITE, then $module::nand);
        gate!($strong, $bytes, WRITE, then $module::compare_exchange);
        gate!($weak, $bytes, WRITE, then $module::compare_exchange);
        gate!($val, $bytes, WRITE, then $module::compare_exchange_val);
    };
}

atomics!(of8, u8, AtomicU8, 1: __tsan_atomic8_load __tsan_atomic8_store __tsan_atomic8_exchange
    __tsan_atomic8_fetch_add __tsan_atomic8_fetch_sub __tsan_atomic8_fetch_and __tsan_atomic8_fetch_or
    __tsan_atomic8_fetch_xor __tsan_atomic8_fetch_nand __tsan_atomic8_compare_exchange_strong
    __tsan_atomic8_compare_exchange_weak __tsan_atomic8_compare_exchange_val);
atomics!(of16, u16, AtomicU16, 2: __tsan_atomic16_load __tsan_atomic16_store __tsan_atomic16_exchange
    __tsan_atomic16_fetch_add __tsan_atomic16_fetch_sub __tsan_atomic16_fetch_and __tsan_atomic16_fetch_or
    __tsan_atomic16_fetch_xor __tsan_atomic16_fetch_nand __tsan_atomic16_compare_exchange_strong
    __tsan_atomic16_compare_exchange_weak __tsan_atomic16_compare_exchange_val);
atomics!(of32, u32, AtomicU32, 4: __tsan_atomic32_load __tsan_atomic32_store __tsan_atomic32_exchange
    __tsan_atomic32_fetch_add __tsan_atomic32_fetch_sub __tsan_atomic32_fetch_and __tsan_atomic32_fetch_or
    __tsan_atomic32_fetch_xor __tsan_atomic32_fetch_nand __tsan_atomic32_compare_exchange_strong
    __tsan_atomic32_compare_exchange_weak __tsan_atomic32_compare_exchange_val);
atomics!(of64, u64, AtomicU64, 8: __tsan_atomic64_load __tsan_atomic64_store __tsan_atomic64_exchange
    __tsan_atomic64_fetch_add __tsan_atomic64_fetch_sub __tsan_atomic64_fetch_and __tsan_atomic64_fetch_or
    __tsan_atomic64_fetch_xor __tsan_atomic64_fetch_nand __tsan_atomic64_compare_exchange_strong
    __tsan_atomic64_compare_exchange_weak __tsan_atomic64_compare_exchange_val);
atomics!(of128, u128, AtomicU128, 16: __tsan_atomic128_load __tsan_atomic128_store __tsan_atomic128_exchange
    __tsan_atomic128_fetch_add __tsan_atomic128_fetch_sub __tsan_atomic128_fetch_and __tsan_atomic128_fetch_or
    __tsan_atomic128_fetch_xor __tsan_atomic128_fetch_nand __tsan_atomic128_compare_exchange_strong
    __tsan_atomic128_compare_exchange_weak __tsan_atomic128_compare_exchange_val);

/// The interface of the standard library's atomics, which do not have this width.
#[repr(C, align(16))]
struct AtomicU128(std::cell::UnsafeCell<u128>);

impl AtomicU128 {
    unsafe fn from_ptr<'a>(address: *mut u128) -> &'a AtomicU128 {
        unsafe { &*address.cast() }
    }
    /// Returns the previous value; stores `new` if that was `old`.
    fn trade(&self, old: u128, new: u128) -> u128 {
        // SAFETY: aligned, as the program has promised to its compiler.
        unsafe { trade(self.0.get(), old, new) }
    }
    fn update(&self, change: impl Fn(u128) -> u128) -> u128 {
        let mut old = self.trade(0, 0);
        loop {
            match self.trade(old, change(old)) {
                found if found == old => return old,
                found => old = found,
            }
        }
    }
    fn load(&self, _order: Ordering) -> u128 {
        self.trade(0, 0)
    }
    fn store(&self, value: u128, _order: Ordering) {
        self.update(|_| value);
    }
    fn swap(&self, value: u128, _order: Ordering) -> u128 {
        self.update(|_| value)
    }
    fn fetch_add(&self, value: u128, _order: Ordering) -> u128 {
        self.update(|old| old.wrapping_add(value))
    }
    fn fetch_sub(&self, value: u128, _order: Ordering) -> u128 {
        self.update(|old| old.wrapping_sub(value))
    }
    fn fetch_and(&self, value: u128, _order: Ordering) -> u128 {
        self.update(|old| old & value)
    }
    fn fetch_or(&self, value: u128, _order: Ordering) -> u128 {
        self.update(|old| old | value)
    }
    fn fetch_xor(&self, value: u128, _order: Ordering) -> u128 {
        self.update(|old| old ^ value)
    }
    fn fetch_nand(&self, value: u128, _order: Ordering) -> u128 {
        self.update(|old| !(old & value))
    }
    fn compare_exchange(&self, old: u128, new: u128, _: Ordering, _: Ordering) -> Result<u128, u128> {
        let found = self.trade(old, new);
        if found == old { Ok(found) } else { Err(found) }
    }
}

#[cfg(target_arch = "x86_64")]
unsafe fn trade(at: *mut u128, old: u128, new: u128) -> u128 {
    let (mut low, mut high) = (old as u64, (old >> 64) as u64);
    // rbx belongs to the compiler. In assembly, since the standard library's has to be compiled for processors that have it, and
    // would call another library elsewhere.
    unsafe {
        core::arch::asm!(
            "xchg rbx, rsi",
            "lock cmpxchg16b [rdi]",
            "mov rbx, rsi",
            in("rdi") at,
            inout("rsi") new as u64 => _,
            in("rcx") (new >> 64) as u64,
            inout("rax") low,
            inout("rdx") high,
            options(nostack),
        );
    }
    u128::from(low) | u128::from(high) << 64
}

#[cfg(target_arch = "aarch64")]
unsafe fn trade(at: *mut u128, old: u128, new: u128) -> u128 {
    let (old_low, old_high, new_low, new_high) = (old as u64, (old >> 64) as u64, new as u64, (new >> 64) as u64);
    let (mut low, mut high): (u64, u64);
    // What is there is written back where it is not `old`: two words are read together only if that succeeds.
    unsafe {
        core::arch::asm!(
            "2:",
            "ldaxp {low}, {high}, [{at}]",
            "cmp {low}, {old_low}",
            "ccmp {high}, {old_high}, #0, eq",
            "csel {to_low}, {new_low}, {low}, eq",
            "csel {to_high}, {new_high}, {high}, eq",
            "stlxp {failed:w}, {to_low}, {to_high}, [{at}]",
            "cbnz {failed:w}, 2b",
            at = in(reg) at,
            low = out(reg) low,
            high = out(reg) high,
            old_low = in(reg) old_low,
            old_high = in(reg) old_high,
            new_low = in(reg) new_low,
            new_high = in(reg) new_high,
            to_low = out(reg) _,
            to_high = out(reg) _,
            failed = out(reg) _,
            options(nostack),
        );
    }
    u128::from(low) | u128::from(high) << 64
}

#[unsafe(no_mangle)]
pub extern "C" fn __tsan_atomic_thread_fence(_order: i32) {
    fence(Ordering::SeqCst);
}

#[unsafe(no_mangle)]
pub extern "C" fn __tsan_atomic_signal_fence(_order: i32) {
    compiler_fence(Ordering::SeqCst);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::watched;

    /// Through the entries, as the program calls them.
    macro_rules! as_entry {
        ($entry:ident: $kind:ty) => {
            unsafe { std::mem::transmute::<unsafe extern "C" fn(), $kind>($entry) }
        };
    }

    macro_rules! width {
        ($test:ident, $word:ty, $load:ident, $store:ident, $exchange:ident, $add:ident, $sub:ident, $and:ident, $or:ident,
         $xor:ident, $nand:ident, $strong:ident, $weak:ident, $val:ident) => {
            #[test]
            fn $test() {
                type Change = unsafe extern "C" fn(*mut $word, $word, i32) -> $word;
                type Compare = unsafe extern "C" fn(*mut $word, *mut $word, $word, i32, i32) -> i32;
                type Value = unsafe extern "C" fn(*mut $word, $word, $word, i32, i32) -> $word;
                let load = as_entry!($load: unsafe extern "C" fn(*mut $word, i32) -> $word);
                let store = as_entry!($store: unsafe extern "C" fn(*mut $word, $word, i32));
                let all = [
                    as_entry!($exchange: Change),
                    as_entry!($add: Change),
                    as_entry!($sub: Change),
                    as_entry!($and: Change),
                    as_entry!($or: Change),
                    as_entry!($xor: Change),
                    as_entry!($nand: Change),
                ];
                let compare = [as_entry!($strong: Compare), as_entry!($weak: Compare)];
                let value = as_entry!($val: Value);
                // All bits take part.
                let (a, b) = (<$word>::MAX / 7 * 5, <$word>::MAX / 3);
                let wanted = [b, a.wrapping_add(b), a.wrapping_sub(b), a & b, a | b, a ^ b, !(a & b)];
                #[repr(align(16))]
                struct Aligned($word);
                let mut place = Aligned(0);
                let at = &raw mut place.0;
                let run = || unsafe {
                    for (change, wanted) in all.iter().zip(wanted) {
                        store(at, a, 3);
                        assert_eq!(change(at, b, 5), a);
                        assert_eq!(load(at, 0), wanted);
                    }
                    store(at, a, 5);
                    for compare in compare {
                        let mut expected = b;
                        assert_eq!((compare(at, &mut expected, b, 5, 5), expected, load(at, 2)), (0, a, a));
                        assert_eq!((compare(at, &mut expected, b, 5, 5), expected, load(at, 2)), (1, a, b));
                        store(at, a, 5);
                    }
                    assert_eq!((value(at, b, b, 5, 5), load(at, 5)), (a, a));
                    assert_eq!((value(at, a, b, 5, 5), load(at, 5)), (a, b));
                };
                // Arguments survive the telling.
                let ((), seen) = watched(at as u64, at as u64 + 1, run);
                assert_eq!(seen.len(), 7 * 3 + 1 + 2 * 5 + 4);
                assert!(seen.iter().all(|one| (one.0, one.1) == (at as u64, size_of::<$word>() as u64)));
                let ((), seen) = watched(1, 2, run);
                assert_eq!(seen, []);
            }
        };
    }

    width!(
        bytes,
        u8,
        __tsan_atomic8_load,
        __tsan_atomic8_store,
        __tsan_atomic8_exchange,
        __tsan_atomic8_fetch_add,
        __tsan_atomic8_fetch_sub,
        __tsan_atomic8_fetch_and,
        __tsan_atomic8_fetch_or,
        __tsan_atomic8_fetch_xor,
        __tsan_atomic8_fetch_nand,
        __tsan_atomic8_compare_exchange_strong,
        __tsan_atomic8_compare_exchange_weak,
        __tsan_atomic8_compare_exchange_val
    );
    width!(
        halves,
        u16,
        __tsan_atomic16_load,
        __tsan_atomic16_store,
        __tsan_atomic16_exchange,
        __tsan_atomic16_fetch_add,
        __tsan_atomic16_fetch_sub,
        __tsan_atomic16_fetch_and,
        __tsan_atomic16_fetch_or,
        __tsan_atomic16_fetch_xor,
        __tsan_atomic16_fetch_nand,
        __tsan_atomic16_compare_exchange_strong,
        __tsan_atomic16_compare_exchange_weak,
        __tsan_atomic16_compare_exchange_val
    );
    width!(
        words,
        u32,
        __tsan_atomic32_load,
        __tsan_atomic32_store,
        __tsan_atomic32_exchange,
        __tsan_atomic32_fetch_add,
        __tsan_atomic32_fetch_sub,
        __tsan_atomic32_fetch_and,
        __tsan_atomic32_fetch_or,
        __tsan_atomic32_fetch_xor,
        __tsan_atomic32_fetch_nand,
        __tsan_atomic32_compare_exchange_strong,
        __tsan_atomic32_compare_exchange_weak,
        __tsan_atomic32_compare_exchange_val
    );
    width!(
        longs,
        u64,
        __tsan_atomic64_load,
        __tsan_atomic64_store,
        __tsan_atomic64_exchange,
        __tsan_atomic64_fetch_add,
        __tsan_atomic64_fetch_sub,
        __tsan_atomic64_fetch_and,
        __tsan_atomic64_fetch_or,
        __tsan_atomic64_fetch_xor,
        __tsan_atomic64_fetch_nand,
        __tsan_atomic64_compare_exchange_strong,
        __tsan_atomic64_compare_exchange_weak,
        __tsan_atomic64_compare_exchange_val
    );
    width!(
        pairs,
        u128,
        __tsan_atomic128_load,
        __tsan_atomic128_store,
        __tsan_atomic128_exchange,
        __tsan_atomic128_fetch_add,
        __tsan_atomic128_fetch_sub,
        __tsan_atomic128_fetch_and,
        __tsan_atomic128_fetch_or,
        __tsan_atomic128_fetch_xor,
        __tsan_atomic128_fetch_nand,
        __tsan_atomic128_compare_exchange_strong,
        __tsan_atomic128_compare_exchange_weak,
        __tsan_atomic128_compare_exchange_val
    );

    #[test]
    fn many_threads_add_to_pairs() {
        let add = as_entry!(__tsan_atomic128_fetch_add: unsafe extern "C" fn(*mut u128, u128, i32) -> u128);
        let sum = AtomicU128(0u128.into());
        let at = sum.0.get() as usize;
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..20_000).for_each(|_| unsafe { _ = add(at as *mut u128, (1 << 64) + 1, 5) }));
            }
        });
        assert_eq!(sum.load(Ordering::SeqCst), (80_000 << 64) + 80_000);
    }
}
