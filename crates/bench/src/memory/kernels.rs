//! The loops whose rate is measured: read, and the four of STREAM.
//!
//! Bytes are counted as STREAM does: what the loop's source reads and writes, without the reads that a cache makes before it
//! writes a line (write-allocate). `copy` is the C library's `memcpy`, as compilers make of STREAM's loop; above a size it
//! writes past the caches. The others are loops that the compiler turns into vectors, with AVX2 where the processor has it: the
//! executable itself is compiled for every x86-64.

use std::hint::black_box;

/// A loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kernel {
    /// `sum += a[i]`
    Read,
    /// `c[i] = a[i]`
    Copy,
    /// `c[i] = s · a[i]`
    Scale,
    /// `c[i] = a[i] + b[i]`
    Add,
    /// `c[i] = a[i] + s · b[i]`
    Triad,
}

pub const KERNELS: [Kernel; 5] = [Kernel::Read, Kernel::Copy, Kernel::Scale, Kernel::Add, Kernel::Triad];

/// `s`, and the values of `a` and `b`: all results are exact.
const FACTOR: f64 = 3.0;
const A: f64 = 1.0;
const B: f64 = 2.0;

impl Kernel {
    /// Stable name.
    pub fn name(self) -> &'static str {
        match self {
            Kernel::Read => "read",
            Kernel::Copy => "copy",
            Kernel::Scale => "scale",
            Kernel::Add => "add",
            Kernel::Triad => "triad",
        }
    }

    /// Arrays that it uses, which share the working set.
    fn arrays(self) -> usize {
        match self {
            Kernel::Read => 1,
            Kernel::Copy | Kernel::Scale => 2,
            Kernel::Add | Kernel::Triad => 3,
        }
    }

    /// What an element of `c` is afterwards.
    fn result(self) -> f64 {
        match self {
            Kernel::Read | Kernel::Copy => A,
            Kernel::Scale => FACTOR * A,
            Kernel::Add => A + B,
            Kernel::Triad => A + FACTOR * B,
        }
    }
}

/// A working set, divided into the arrays of a kernel.
pub struct Arrays<'a> {
    kernel: Kernel,
    a: &'a mut [f64],
    b: &'a mut [f64],
    c: &'a mut [f64],
    /// Whether loops use AVX2.
    is_wide: bool,
}

impl<'a> Arrays<'a> {
    /// Divides the working set, of which a rest of at most two elements is not used, and fills it.
    pub fn new(kernel: Kernel, working_set: &'a mut [f64]) -> Arrays<'a> {
        let arrays = Arrays::as_it_is(kernel, working_set);
        arrays.a.fill(A);
        arrays.b.fill(B);
        arrays.c.fill(0.0);
        arrays
    }

    /// Divides the working set, whatever is in it.
    pub fn as_it_is(kernel: Kernel, working_set: &'a mut [f64]) -> Arrays<'a> {
        let len = working_set.len() / kernel.arrays();
        let (a, rest) = working_set.split_at_mut(len);
        let (c, rest) = rest.split_at_mut(len.min(rest.len()));
        let (b, _) = rest.split_at_mut(len.min(rest.len()));
        Arrays { kernel, a, b, c, is_wide: is_wide() }
    }

    /// Goes through the arrays so many times.
    pub fn run(&mut self, passes: u64) {
        for _ in 0..passes {
            // The compiler must assume that each pass uses other memory and that its results are used.
            let (a, b, c) = (black_box(&*self.a), black_box(&*self.b), black_box(&mut *self.c));
            match (self.kernel, self.is_wide) {
                (Kernel::Copy, _) => c.copy_from_slice(a),
                #[cfg(target_arch = "x86_64")]
                // SAFETY: the processor has AVX2.
                (kernel, true) => unsafe { wide::pass(kernel, a, b, c) },
                (kernel, _) => narrow::pass(kernel, a, b, c),
            }
        }
        black_box(&mut *self.c);
    }

    /// The first wrong element after a pass, by its index.
    pub fn first_wrong(&mut self) -> Option<usize> {
        let (kernel, is_wide) = (self.kernel, self.is_wide);
        if kernel == Kernel::Read {
            // Adding ones is exact.
            let sum = if is_wide { sum::<WIDE_LANES>(self.a) } else { sum::<NARROW_LANES>(self.a) };
            return (sum != self.a.len() as f64 * A).then_some(0);
        }
        self.c.iter().position(|&value| value != kernel.result())
    }
}

/// Whether this processor has vectors of 256 bits.
fn is_wide() -> bool {
    #[cfg(target_arch = "x86_64")]
    return std::arch::is_x86_feature_detected!("avx2");
    #[cfg(not(target_arch = "x86_64"))]
    false
}

/// Independent sums: enough to hide the latency of an addition, few enough for the registers.
const NARROW_LANES: usize = 16;
const WIDE_LANES: usize = 32;

/// Loops for every processor of the architecture.
mod narrow {
    use super::{Kernel, NARROW_LANES, body};

    #[inline(never)]
    pub fn pass(kernel: Kernel, a: &[f64], b: &[f64], c: &mut [f64]) {
        body::<NARROW_LANES>(kernel, a, b, c);
    }
}

/// The same loops, compiled for AVX2.
#[cfg(target_arch = "x86_64")]
mod wide {
    use super::{Kernel, WIDE_LANES, body};

    #[inline(never)]
    #[target_feature(enable = "avx2")]
    pub fn pass(kernel: Kernel, a: &[f64], b: &[f64], c: &mut [f64]) {
        body::<WIDE_LANES>(kernel, a, b, c);
    }
}

/// One pass. Inlined, so that it is compiled for the processor of its caller.
#[inline(always)]
fn body<const LANES: usize>(kernel: Kernel, a: &[f64], b: &[f64], c: &mut [f64]) {
    match kernel {
        Kernel::Read => {
            black_box(sum::<LANES>(a));
        }
        Kernel::Copy => c.copy_from_slice(a),
        Kernel::Scale => c.iter_mut().zip(a).for_each(|(c, a)| *c = FACTOR * a),
        Kernel::Add => c.iter_mut().zip(a).zip(b).for_each(|((c, a), b)| *c = a + b),
        Kernel::Triad => c.iter_mut().zip(a).zip(b).for_each(|((c, a), b)| *c = a + FACTOR * b),
    }
}

#[inline(always)]
fn sum<const LANES: usize>(a: &[f64]) -> f64 {
    let mut sums = [0.0; LANES];
    let chunks = a.chunks_exact(LANES);
    let rest: f64 = chunks.remainder().iter().sum();
    for chunk in chunks {
        sums.iter_mut().zip(chunk).for_each(|(sum, value)| *sum += value);
    }
    rest + sums.iter().sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;

    #[test]
    fn every_kernel_computes_what_it_says() {
        for kernel in KERNELS {
            // Also lengths that are no multiple of a vector.
            for len in [3, 96, 768, 1001] {
                for is_wide in [false, is_wide()] {
                    let mut working_set = vec![7.0; len];
                    let mut arrays = Arrays::new(kernel, &mut working_set);
                    arrays.is_wide = is_wide;
                    assert_eq!(arrays.first_wrong().is_some(), kernel != Kernel::Read, "{kernel:?} before a pass");
                    arrays.run(2);
                    assert_eq!(arrays.first_wrong(), None, "{kernel:?} {len}");
                    assert!(arrays.a.iter().all(|&value| value == A));
                }
            }
        }
    }

    #[test]
    fn a_wrong_element_is_found() {
        let mut working_set = vec![0.0; 300];
        let mut arrays = Arrays::new(Kernel::Triad, &mut working_set);
        arrays.run(1);
        arrays.c[41] = 0.5;
        assert_eq!(arrays.first_wrong(), Some(41));
        let mut arrays = Arrays::new(Kernel::Read, &mut working_set);
        arrays.a[1] = 0.5;
        assert_eq!(arrays.first_wrong(), Some(0));
    }

    #[test]
    fn passes_are_not_removed() {
        for kernel in KERNELS {
            let mut working_set = vec![0.0; 30_000];
            let mut arrays = Arrays::new(kernel, &mut working_set);
            let mut best = [f64::INFINITY; 2];
            for _ in 0..10 {
                for (best, passes) in best.iter_mut().zip([10, 100]) {
                    let start = Instant::now();
                    arrays.run(passes);
                    *best = best.min(start.elapsed().as_secs_f64());
                }
            }
            assert!(best[1] > 3.0 * best[0], "{kernel:?}: {best:?}");
        }
    }
}
