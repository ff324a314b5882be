//! `call_cost LIBRARY`: what a call through this crate costs beyond one through a pointer to the same function, ns.
//!
//! `MPI_Send` should be preloaded with a function that returns at once (`bench/empty.c`). MPI is not initialized. Prints the medians of both
//! and of their differences, by rounds in turn.

use std::ffi::c_void;
use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use mpiscope_mpi::Mpi;

const CALLS: u32 = 2_000_000;
const ROUNDS: usize = 15;

type Send = unsafe extern "C" fn(*const c_void, i32, usize, i32, i32, usize) -> i32;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let library = std::env::args().nth(1).ok_or("give the MPI library")?;
    let mpi = Mpi::open(Path::new(&library))?;
    // SAFETY: the name ends in zero.
    let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"MPI_Send".as_ptr()) };
    if found.is_null() {
        return Err("no MPI_Send".into());
    }
    // SAFETY: this is the type of MPI_Send; handles have the size of a word, or its low half is read.
    let send = unsafe { std::mem::transmute::<*mut c_void, Send>(found) };
    let data = [0u8; 8];
    let (mut through, mut direct, mut added) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let begun = Instant::now();
        for _ in 0..CALLS {
            mpi.send(black_box(&data), 0, 0)?;
        }
        let with_ns = begun.elapsed().as_nanos() as f64 / f64::from(CALLS);
        let begun = Instant::now();
        for _ in 0..CALLS {
            // SAFETY: the preloaded function reads nothing.
            black_box(unsafe { send(black_box(&data).as_ptr().cast(), 8, 0, 0, 0, 0) });
        }
        let without_ns = begun.elapsed().as_nanos() as f64 / f64::from(CALLS);
        through.push(with_ns);
        direct.push(without_ns);
        added.push(with_ns - without_ns);
    }
    println!("{:.3} {:.3} {:.3}", median(&mut through), median(&mut direct), median(&mut added));
    Ok(())
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
