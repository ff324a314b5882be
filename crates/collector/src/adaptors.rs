//! Annotations that programs have already, for other tools, taken as they are.

mod caliper;
mod kokkos;
mod nvtx;
