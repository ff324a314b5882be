//! Multiplications and additions of x86-64.
//!
//! The loops are assembly: a compiler might join scalar chains into vectors, split wide registers, or keep chains in memory.

use std::arch::asm;
use std::arch::x86_64::{__m128, __m128d, __m256, __m256d, __m512, __m512d};

use super::kernel::{DOUBLE, DOUBLE_FMA, Kernel, Registers, Run, SINGLE, SINGLE_FMA, multiplied};

/// Every x86-64 has SSE2. Each level includes those before.
const SSE2: u64 = 0;
const AVX: u64 = 1;
const FMA: u64 = 2;
const AVX512: u64 = 3;

/// The level of this processor, if its system saves the registers.
pub fn level() -> u64 {
    let has = [is_x86_feature_detected!("avx"), is_x86_feature_detected!("fma"), is_x86_feature_detected!("avx512f")];
    has.iter().take_while(|has| **has).count() as u64
}

/// One step of a chain. Of two operands, the first is also the result.
macro_rules! two_operands {
    ($of:literal, $chain:literal) => {
        concat!("mul", $of, " {", $chain, "}, {factor}\n add", $of, " {", $chain, "}, {summand}")
    };
}
macro_rules! three_operands {
    ($of:literal, $chain:literal) => {
        concat!(
            "vmul",
            $of,
            " {",
            $chain,
            "}, {",
            $chain,
            "}, {factor}\n",
            "vadd",
            $of,
            " {",
            $chain,
            "}, {",
            $chain,
            "}, {summand}"
        )
    };
}
macro_rules! fused {
    ($of:literal, $chain:literal) => {
        concat!("vfmadd213", $of, " {", $chain, "}, {factor}, {summand}")
    };
}

/// A function that makes steps of chains in registers of type `$register`, which hold numbers of type `$number`.
macro_rules! steps {
    ($name:ident, $features:literal, $number:ty, $register:ty, $class:ident, $step:ident, $of:literal, $chains:tt) => {
        #[target_feature(enable = $features)]
        fn $name(registers: &mut Registers<$number>, steps: u64) {
            steps!(@body registers, steps, $register, $class, $step, $of, $chains);
        }
    };
    (@body $registers:ident, $steps:ident, $register:ty, $class:ident, $step:ident, $of:literal, [$($chain:literal)+]) => {
        if $steps == 0 {
            return;
        }
        // SAFETY: the numbers are as many as the registers of the widest kernel hold, on a boundary of the widest register.
        let (chains, factor, summand) = unsafe {
            (
                &mut *$registers.chains.as_mut_ptr().cast::<[$register; [$($chain),+].len()]>(),
                *$registers.factor.as_ptr().cast::<$register>(),
                *$registers.summand.as_ptr().cast::<$register>(),
            )
        };
        // SAFETY: computes in registers alone, and ends as `steps` is not 0.
        unsafe {
            asm!(
                ".p2align 5",
                "2:",
                $($step!($of, $chain),)+
                "dec {steps}",
                "jnz 2b",
                $(inout($class) chains[$chain],)+
                factor = in($class) factor,
                summand = in($class) summand,
                steps = inout(reg) $steps => _,
                options(nomem, nostack),
            );
        }
    };
}

steps!(double_64, "sse2", f64, f64, xmm_reg, two_operands, "sd", [0 1 2 3 4 5 6 7 8 9 10 11]);
steps!(double_128, "sse2", f64, __m128d, xmm_reg, two_operands, "pd", [0 1 2 3 4 5 6 7 8 9 10 11]);
steps!(double_256, "avx", f64, __m256d, ymm_reg, three_operands, "pd", [0 1 2 3 4 5 6 7 8 9 10 11]);
steps!(double_fma_64, "fma", f64, f64, xmm_reg, fused, "sd", [0 1 2 3 4 5 6 7 8 9 10 11]);
steps!(double_fma_128, "fma", f64, __m128d, xmm_reg, fused, "pd", [0 1 2 3 4 5 6 7 8 9 10 11]);
steps!(double_fma_256, "fma", f64, __m256d, ymm_reg, fused, "pd", [0 1 2 3 4 5 6 7 8 9 10 11]);
steps!(double_fma_512, "avx512f", f64, __m512d, zmm_reg, fused, "pd", [0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15]);
steps!(single_32, "sse2", f32, f32, xmm_reg, two_operands, "ss", [0 1 2 3 4 5 6 7 8 9 10 11]);
steps!(single_128, "sse2", f32, __m128, xmm_reg, two_operands, "ps", [0 1 2 3 4 5 6 7 8 9 10 11]);
steps!(single_256, "avx", f32, __m256, ymm_reg, three_operands, "ps", [0 1 2 3 4 5 6 7 8 9 10 11]);
steps!(single_fma_32, "fma", f32, f32, xmm_reg, fused, "ss", [0 1 2 3 4 5 6 7 8 9 10 11]);
steps!(single_fma_128, "fma", f32, __m128, xmm_reg, fused, "ps", [0 1 2 3 4 5 6 7 8 9 10 11]);
steps!(single_fma_256, "fma", f32, __m256, ymm_reg, fused, "ps", [0 1 2 3 4 5 6 7 8 9 10 11]);
steps!(single_fma_512, "avx512f", f32, __m512, zmm_reg, fused, "ps", [0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15]);

const fn kernel(series: &'static str, bits: u64, needs: u64, run: Run) -> Kernel {
    let chains = if bits == 512 { 16 } else { 12 };
    Kernel { series, bits, needs, chains, run, step: multiplied }
}

pub const KERNELS: &[Kernel] = &[
    kernel(DOUBLE, 64, SSE2, Run::Double(double_64)),
    kernel(DOUBLE, 128, SSE2, Run::Double(double_128)),
    kernel(DOUBLE, 256, AVX, Run::Double(double_256)),
    kernel(DOUBLE_FMA, 64, FMA, Run::Double(double_fma_64)),
    kernel(DOUBLE_FMA, 128, FMA, Run::Double(double_fma_128)),
    kernel(DOUBLE_FMA, 256, FMA, Run::Double(double_fma_256)),
    kernel(DOUBLE_FMA, 512, AVX512, Run::Double(double_fma_512)),
    kernel(SINGLE, 32, SSE2, Run::Single(single_32)),
    kernel(SINGLE, 128, SSE2, Run::Single(single_128)),
    kernel(SINGLE, 256, AVX, Run::Single(single_256)),
    kernel(SINGLE_FMA, 32, FMA, Run::Single(single_fma_32)),
    kernel(SINGLE_FMA, 128, FMA, Run::Single(single_fma_128)),
    kernel(SINGLE_FMA, 256, FMA, Run::Single(single_fma_256)),
    kernel(SINGLE_FMA, 512, AVX512, Run::Single(single_fma_512)),
];
