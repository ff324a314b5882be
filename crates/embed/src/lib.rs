//! The collector inside the executable, for installers that install executables alone.
//!
//! `cargo install` is such a one, and cargo cannot make a package depend on another's shared library
//! (`docs/decisions/0006-carried-library.md`). Everywhere else this crate is one word: `None`.

include!(concat!(env!("OUT_DIR"), "/carried.rs"));

/// The libraries, byte by byte.
pub struct Carried {
    /// `libmpiscope.so`.
    pub bytes: &'static [u8],
    /// `libmpiscope_tsan.so`.
    pub runtime: &'static [u8],
    /// `libmpiscope_yield.so`.
    pub yielding: &'static [u8],
    /// `libmpiscope_openmp.so`.
    pub openmp: &'static [u8],
    /// Sixteen hexadecimal digits, made from the bytes of all.
    pub fingerprint: &'static str,
}
