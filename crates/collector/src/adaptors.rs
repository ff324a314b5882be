//! Adaptors for annotations that programs already have for other tools.

mod caliper;
mod kokkos;
mod nvtx;
