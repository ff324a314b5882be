//! A loop of multiplications and additions, and the numbers on which it computes.

use super::FLOP;

/// Most numbers of a loop: 16 chains of 16 numbers.
const MOST: usize = 256;
/// Most numbers of a register.
const WIDEST: usize = 16;

/// Series: the precision, and whether one instruction multiplies and adds.
pub const DOUBLE: &str = "double";
pub const DOUBLE_FMA: &str = "double-fma";
pub const SINGLE: &str = "single";
pub const SINGLE_FMA: &str = "single-fma";

/// What a loop begins with, and its results. On a boundary of 64 bytes, as the widest registers need it.
#[repr(C, align(64))]
pub struct Registers<T> {
    /// The numbers of the first chain, of the second, ….
    pub chains: [T; MOST],
    /// By what a step multiplies, in every place of a register.
    pub factor: [T; WIDEST],
    /// What a step adds.
    pub summand: [T; WIDEST],
}

/// A function that makes so many steps of each chain. The processor must have its instructions.
type Loop<T> = unsafe fn(&mut Registers<T>, u64);

/// The loop of a kernel.
#[derive(Clone, Copy)]
pub enum Run {
    Double(Loop<f64>),
    Single(Loop<f32>),
}

/// Registers of one width, and the instructions that compute in them.
#[derive(Clone, Copy)]
pub struct Kernel {
    pub series: &'static str,
    /// Width of a register.
    pub bits: u64,
    /// The level of the processor that has the instructions.
    pub needs: u64,
    /// Chains of operations that do not depend on each other: enough to hide the latency, few enough for the registers.
    pub chains: usize,
    pub run: Run,
    /// What a step makes of a number, by the factor and the summand.
    pub step: fn(f64, f64, f64) -> f64,
}

/// The step of a kernel that multiplies what is in its chains.
pub fn multiplied(x: f64, factor: f64, summand: f64) -> f64 {
    x * factor + summand
}

impl Kernel {
    /// Whether it computes in double precision.
    pub fn is_double(&self) -> bool {
        matches!(self.run, Run::Double(_))
    }

    /// Numbers of all chains.
    fn numbers(&self) -> usize {
        let bits = if self.is_double() { 64 } else { 32 };
        self.chains * (self.bits / bits) as usize
    }

    /// Steps of one operation, each of which multiplies and adds for every number.
    fn steps(&self) -> u64 {
        FLOP / (2 * self.numbers() as u64)
    }

    /// Makes so many operations of [`FLOP`] each.
    ///
    /// # Safety
    ///
    /// The processor has the level that the kernel needs.
    pub unsafe fn operate(&self, operations: u64) {
        // x becomes 1 - x and x again: after any number of steps neither denormal nor infinite.
        let start = |at: usize| 0.25 + (at as f64 + 0.618) / (2 * MOST) as f64;
        // SAFETY: by the caller.
        unsafe { self.made(start, -1.0, 1.0, operations * self.steps()) };
    }

    /// The index of the first number that is not what a few steps must make of it.
    ///
    /// # Safety
    ///
    /// The processor has the level that the kernel needs.
    pub unsafe fn first_wrong(&self) -> Option<usize> {
        // Whole numbers below 2^24 are exact in both precisions.
        let (start, factor, summand, steps) = (|at: usize| (at + 1) as f64, 3.0, 1.0, 9);
        // SAFETY: by the caller.
        let made = unsafe { self.made(start, factor, summand, steps) };
        let expected = |at: usize| (0..steps).fold(start(at), |x, _| (self.step)(x, factor, summand));
        (0..self.numbers()).find(|&at| made[at] != expected(at))
    }

    /// What steps make of the numbers.
    ///
    /// # Safety
    ///
    /// The processor has the level that the kernel needs.
    unsafe fn made(&self, start: impl Fn(usize) -> f64, factor: f64, summand: f64, steps: u64) -> [f64; MOST] {
        let chains: [f64; MOST] = std::array::from_fn(start);
        let (factor, summand) = ([factor; WIDEST], [summand; WIDEST]);
        match self.run {
            Run::Double(run) => {
                let mut registers = Registers { chains, factor, summand };
                // SAFETY: by the caller.
                unsafe { run(&mut registers, steps) };
                registers.chains
            }
            Run::Single(run) => {
                let single = |value: f64| value as f32;
                let mut registers =
                    Registers { chains: chains.map(single), factor: factor.map(single), summand: summand.map(single) };
                // SAFETY: by the caller.
                unsafe { run(&mut registers, steps) };
                registers.chains.map(f64::from)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::instructions::{KERNELS, level};
    use super::*;

    /// Those of this processor: the narrow ones are among them, which older processors use.
    fn usable() -> impl Iterator<Item = &'static Kernel> {
        KERNELS.iter().filter(|kernel| kernel.needs <= level())
    }

    #[test]
    fn every_kernel_computes_what_it_says() {
        assert!(usable().any(|kernel| kernel.needs == 0));
        for kernel in usable() {
            // SAFETY: the processor has its level.
            assert_eq!(unsafe { kernel.first_wrong() }, None, "{} of {} bits", kernel.series, kernel.bits);
        }
    }

    #[test]
    fn every_step_is_made() {
        for kernel in usable() {
            // One is added in each step, exactly in both precisions.
            for steps in [1, 2, 1000, kernel.steps()] {
                // SAFETY: the processor has its level.
                let made = unsafe { kernel.made(|at| at as f64, 1.0, 1.0, steps) };
                for (at, &value) in made.iter().enumerate() {
                    let added = if at < kernel.numbers() { steps } else { 0 };
                    assert_eq!(value, (at as u64 + added) as f64, "{} of {} bits", kernel.series, kernel.bits);
                }
            }
        }
    }

    #[test]
    fn an_operation_is_the_same_work_in_every_kernel() {
        for kernel in KERNELS {
            assert_eq!(kernel.steps() * kernel.numbers() as u64 * 2, FLOP, "{} of {} bits", kernel.series, kernel.bits);
            // Steps are made two at a time where an instruction demands it.
            assert_eq!(kernel.steps() % 2, 0);
            assert!(kernel.numbers() <= MOST);
        }
    }

    #[test]
    fn a_wrong_number_is_found() {
        let kernel = KERNELS[0];
        let wrong = Kernel { step: |x, factor, summand| (x + 1.0) * factor + summand, ..kernel };
        // SAFETY: every processor has the first kernel.
        assert_eq!(unsafe { wrong.first_wrong() }, Some(0));
    }

    #[test]
    fn numbers_stay_normal() {
        for kernel in usable() {
            let start = |at: usize| 0.25 + (at as f64 + 0.618) / (2 * MOST) as f64;
            // SAFETY: the processor has its level.
            let made = unsafe { kernel.made(start, -1.0, 1.0, 10 * kernel.steps()) };
            let is_normal = |value: &f64| value.is_normal();
            assert!(made.iter().all(is_normal), "{} of {} bits", kernel.series, kernel.bits);
        }
    }
}
