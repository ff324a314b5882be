//! Multiplications and additions of AArch64, which always has NEON with fused multiply-adds. SVE is not measured: stable Rust has no registers of it.
//!
//! The loops are assembly: a compiler might join scalar chains into vectors, or keep chains in memory.

use std::arch::aarch64::{float32x4_t, float64x2_t};
use std::arch::asm;

use super::kernel::{DOUBLE, DOUBLE_FMA, Kernel, Registers, Run, SINGLE, SINGLE_FMA, multiplied};

/// Every processor has all of it.
pub fn level() -> u64 {
    0
}

/// One step of a chain. `$of`: which part of a register.
macro_rules! scalar {
    ($of:literal, $chain:literal) => {
        concat!(
            "fmul {",
            $chain,
            $of,
            "}, {",
            $chain,
            $of,
            "}, {factor",
            $of,
            "}\n",
            "fadd {",
            $chain,
            $of,
            "}, {",
            $chain,
            $of,
            "}, {summand",
            $of,
            "}"
        )
    };
}
macro_rules! vector {
    ($of:literal, $chain:literal) => {
        concat!(
            "fmul {",
            $chain,
            ":v}.",
            $of,
            ", {",
            $chain,
            ":v}.",
            $of,
            ", {factor:v}.",
            $of,
            "\n",
            "fadd {",
            $chain,
            ":v}.",
            $of,
            ", {",
            $chain,
            ":v}.",
            $of,
            ", {summand:v}.",
            $of
        )
    };
}
macro_rules! fused_scalar {
    ($of:literal, $chain:literal) => {
        concat!("fmadd {", $chain, $of, "}, {", $chain, $of, "}, {factor", $of, "}, {summand", $of, "}")
    };
}
/// It adds a product to the chain.
macro_rules! fused_vector {
    ($of:literal, $chain:literal) => {
        concat!("fmla {", $chain, ":v}.", $of, ", {factor:v}.", $of, ", {summand:v}.", $of)
    };
}

fn summed(x: f64, factor: f64, summand: f64) -> f64 {
    x + factor * summand
}

/// A function that makes steps of chains in registers of type `$register`, which hold numbers of type `$number`.
macro_rules! steps {
    ($name:ident, $number:ty, $register:ty, $step:ident, $of:literal) => {
        steps!(@each $name, $number, $register, $step, $of, [0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15]);
    };
    (@each $name:ident, $number:ty, $register:ty, $step:ident, $of:literal, [$($chain:literal)+]) => {
        #[target_feature(enable = "neon")]
        fn $name(registers: &mut Registers<$number>, steps: u64) {
            if steps == 0 {
                return;
            }
            // SAFETY: there are at least as many numbers, on a boundary of the widest register.
            let (chains, factor, summand) = unsafe {
                (
                    &mut *registers.chains.as_mut_ptr().cast::<[$register; CHAINS]>(),
                    *registers.factor.as_ptr().cast::<$register>(),
                    *registers.summand.as_ptr().cast::<$register>(),
                )
            };
            // SAFETY: computes in registers alone, and ends as `steps` is not 0.
            unsafe {
                asm!(
                    ".p2align 5",
                    "2:",
                    $($step!($of, $chain),)+
                    "subs {steps}, {steps}, #1",
                    "b.ne 2b",
                    $(inout(vreg) chains[$chain],)+
                    factor = in(vreg) factor,
                    summand = in(vreg) summand,
                    steps = inout(reg) steps => _,
                    options(nomem, nostack),
                );
            }
        }
    };
}

/// Four units with a latency of four.
const CHAINS: usize = 16;

steps!(double_64, f64, f64, scalar, ":d");
steps!(double_128, f64, float64x2_t, vector, "2d");
steps!(double_fma_64, f64, f64, fused_scalar, ":d");
steps!(double_fma_128, f64, float64x2_t, fused_vector, "2d");
steps!(single_32, f32, f32, scalar, ":s");
steps!(single_128, f32, float32x4_t, vector, "4s");
steps!(single_fma_32, f32, f32, fused_scalar, ":s");
steps!(single_fma_128, f32, float32x4_t, fused_vector, "4s");

const fn kernel(series: &'static str, bits: u64, run: Run, step: fn(f64, f64, f64) -> f64) -> Kernel {
    Kernel { series, bits, needs: 0, chains: CHAINS, run, step }
}

pub const KERNELS: &[Kernel] = &[
    kernel(DOUBLE, 64, Run::Double(double_64), multiplied),
    kernel(DOUBLE, 128, Run::Double(double_128), multiplied),
    kernel(DOUBLE_FMA, 64, Run::Double(double_fma_64), multiplied),
    kernel(DOUBLE_FMA, 128, Run::Double(double_fma_128), summed),
    kernel(SINGLE, 32, Run::Single(single_32), multiplied),
    kernel(SINGLE, 128, Run::Single(single_128), multiplied),
    kernel(SINGLE_FMA, 32, Run::Single(single_fma_32), multiplied),
    kernel(SINGLE_FMA, 128, Run::Single(single_fma_128), summed),
];
