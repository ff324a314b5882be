//! Loads and stores.

use crate::WRITE;
use crate::gate::gate;

/// Entries by access. `read_write` is used only by clang; both compilers can distinguish volatile accesses.
macro_rules! accesses {
    ($($bytes:literal: $how:expr => $($name:ident)*;)*) => { $($(gate!($name, $bytes, $how);)*)* };
}

accesses! {
    1: 0 => __tsan_read1 __tsan_volatile_read1;
    2: 0 => __tsan_read2 __tsan_unaligned_read2 __tsan_volatile_read2 __tsan_unaligned_volatile_read2;
    4: 0 => __tsan_read4 __tsan_unaligned_read4 __tsan_volatile_read4 __tsan_unaligned_volatile_read4;
    8: 0 => __tsan_read8 __tsan_unaligned_read8 __tsan_volatile_read8 __tsan_unaligned_volatile_read8 __tsan_vptr_read;
    16: 0 => __tsan_read16 __tsan_unaligned_read16 __tsan_volatile_read16 __tsan_unaligned_volatile_read16;
    1: WRITE => __tsan_write1 __tsan_volatile_write1 __tsan_read_write1;
    2: WRITE => __tsan_write2 __tsan_unaligned_write2 __tsan_volatile_write2 __tsan_unaligned_volatile_write2
        __tsan_read_write2 __tsan_unaligned_read_write2;
    4: WRITE => __tsan_write4 __tsan_unaligned_write4 __tsan_volatile_write4 __tsan_unaligned_volatile_write4
        __tsan_read_write4 __tsan_unaligned_read_write4;
    8: WRITE => __tsan_write8 __tsan_unaligned_write8 __tsan_volatile_write8 __tsan_unaligned_volatile_write8
        __tsan_read_write8 __tsan_unaligned_read_write8 __tsan_vptr_update;
    16: WRITE => __tsan_write16 __tsan_unaligned_write16 __tsan_volatile_write16 __tsan_unaligned_volatile_write16
        __tsan_read_write16 __tsan_unaligned_read_write16;
}

macro_rules! places {
    ($($bytes:literal: $how:expr => $($name:ident)*;)*) => { $($(gate!($name, $bytes, $how, pc);)*)* };
}

places! {
    1: 0 => __tsan_read1_pc __tsan_external_read;
    2: 0 => __tsan_read2_pc;
    4: 0 => __tsan_read4_pc;
    8: 0 => __tsan_read8_pc;
    16: 0 => __tsan_read16_pc;
    1: WRITE => __tsan_write1_pc __tsan_external_write;
    2: WRITE => __tsan_write2_pc;
    4: WRITE => __tsan_write4_pc;
    8: WRITE => __tsan_write8_pc;
    16: WRITE => __tsan_write16_pc;
}

/// For a range whose length is an argument.
macro_rules! stretch {
    ($name:ident, $how:expr) => {
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(address: u64, bytes: u64, caller: u64) {
            unsafe { crate::touched_range(address, bytes, $how, caller, 0, 0) };
        }
    };
}

stretch!(__tsan_read_range_pc, 0);
stretch!(__tsan_write_range_pc, WRITE);

/// The same, with the caller as the place.
macro_rules! stretch_of_caller {
    ($name:ident, $how:expr) => {
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name() {
            #[cfg(target_arch = "x86_64")]
            core::arch::naked_asm!(
                "mov rcx, [rsp]",
                "lea r8, [rsp + 8]",
                "mov r9, rbp",
                "mov edx, {how}",
                "jmp {to}",
                how = const $how,
                to = sym crate::touched_range,
            );
            #[cfg(target_arch = "aarch64")]
            core::arch::naked_asm!(
                "mov w2, {how}",
                "mov x3, x30",
                "mov x4, sp",
                "mov x5, x29",
                "b {to}",
                how = const $how,
                to = sym crate::touched_range,
            );
        }
    };
}

stretch_of_caller!(__tsan_read_range, 0);
stretch_of_caller!(__tsan_write_range, WRITE);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::watched;

    #[test]
    fn an_access_is_told_when_it_meets_what_is_in_flight() {
        type Access = unsafe extern "C" fn(u64);
        type Range = unsafe extern "C" fn(u64, u64);
        type Place = unsafe extern "C" fn(u64, u64);
        let entry = |f: unsafe extern "C" fn()| unsafe { std::mem::transmute::<unsafe extern "C" fn(), Access>(f) };
        let range = |f: unsafe extern "C" fn()| unsafe { std::mem::transmute::<unsafe extern "C" fn(), Range>(f) };
        let (read1, write8) = (entry(__tsan_read1), entry(__tsan_write8));
        let (read16, read_range) = (entry(__tsan_unaligned_read16), range(__tsan_read_range));
        let write4_pc: Place = range(__tsan_write4_pc);
        // Nothing is read at these addresses.
        let ((), seen) = watched(1000, 1100, || unsafe {
            for at in [999, 1000, 1099, 1100] {
                read1(at);
            }
            for at in [992, 993, 1099, 1100] {
                write8(at);
            }
            read16(985);
            read_range(0, 1000);
            read_range(0, 1001);
            read_range(1050, 0);
            read_range(1099, 1 << 40);
            write4_pc(1098, 77);
            write4_pc(996, 77);
        });
        let wanted = [
            (1000, 1, 0),
            (1099, 1, 0),
            (993, 8, WRITE),
            (1099, 8, WRITE),
            (985, 16, 0),
            (0, 1001, 0),
            (1099, 1 << 40, 0),
            (1098, 4, WRITE),
        ];
        assert_eq!(seen, wanted);
    }

    #[test]
    fn nothing_is_told_while_nothing_is_in_flight() {
        let read8: unsafe extern "C" fn(u64) = unsafe { std::mem::transmute(__tsan_read8 as unsafe extern "C" fn()) };
        let ((), seen) = watched(u64::MAX, 0, || [0, 8, 1 << 40].into_iter().for_each(|at| unsafe { read8(at) }));
        assert_eq!(seen, []);
    }
}
