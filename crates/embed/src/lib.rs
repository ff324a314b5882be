//! The collector inside the executable, for installers that install only executables.
//!
//! `cargo install` is one of them, and cargo cannot make a package depend on another's shared library
//! (`docs/decisions/0006-carried-library.md`). Otherwise this crate only contains `None`.

include!(concat!(env!("OUT_DIR"), "/carried.rs"));

/// The libraries as bytes.
pub struct Carried {
    /// `libmpiscope.so`.
    pub bytes: &'static [u8],
    /// `libmpiscope_tsan.so`.
    pub runtime: &'static [u8],
    /// `libmpiscope_yield.so`.
    pub yielding: &'static [u8],
    /// `libmpiscope_openmp.so`.
    pub openmp: &'static [u8],
    /// Sixteen hexadecimal digits, computed from all the bytes.
    pub fingerprint: &'static str,
}
