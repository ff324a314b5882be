//! Operations with the neighbours of a graph, with a count for each neighbour.

use super::{Collectives, Counts, count};
use crate::calls::calls;
use crate::{Comm, MpiError, done};

calls! {
    Calls;
    Neighbor_allgatherv(
        from: *const f64,
        out: i32,
        out_type: usize,
        into: *mut f64,
        in_: *const i32,
        in_places: *const i32,
        in_type: usize,
        comm: usize
    );
    Neighbor_alltoallv(
        from: *const f64,
        out: *const i32,
        out_places: *const i32,
        out_type: usize,
        into: *mut f64,
        in_: *const i32,
        in_places: *const i32,
        in_type: usize,
        comm: usize
    );
    Neighbor_alltoallw(
        from: *const f64,
        out: *const i32,
        out_places: *const isize,
        out_types: *const u64,
        into: *mut f64,
        in_: *const i32,
        in_places: *const isize,
        in_types: *const u64,
        comm: usize
    );
    Ineighbor_allgatherv(
        from: *const f64,
        out: i32,
        out_type: usize,
        into: *mut f64,
        in_: *const i32,
        in_places: *const i32,
        in_type: usize,
        comm: usize,
        request: *mut usize
    );
    Ineighbor_alltoallv(
        from: *const f64,
        out: *const i32,
        out_places: *const i32,
        out_type: usize,
        into: *mut f64,
        in_: *const i32,
        in_places: *const i32,
        in_type: usize,
        comm: usize,
        request: *mut usize
    );
    Ineighbor_alltoallw(
        from: *const f64,
        out: *const i32,
        out_places: *const isize,
        out_types: *const u64,
        into: *mut f64,
        in_: *const i32,
        in_places: *const isize,
        in_types: *const u64,
        comm: usize,
        request: *mut usize
    );
}

/// Counts are those of the neighbours, which are as many sources as destinations. The communicator is of [`Comm::graph`].
/// All functions panic if a buffer is shorter than what they read or write, or the counts are for another number of neighbours.
impl Collectives<'_> {
    /// [`Collectives::neighbor_allgather`] by `MPI_Neighbor_allgatherv`.
    ///
    /// # Errors
    ///
    /// If `MPI_Neighbor_allgatherv` returns an error code, or there are more than 2³¹ − 1 elements.
    pub fn neighbor_allgatherv(
        &self,
        (graph, degree): (Comm, usize),
        counts: &Counts,
        from: &[f64],
        into: &mut [f64],
    ) -> Result<(), MpiError> {
        let (out, own, double) = (from.as_ptr(), count(from.len())?, self.double);
        let (sizes, places) = counts.check(degree, into.len());
        let into = into.as_mut_ptr();
        // SAFETY: every block is within the buffers, which are distinct; the arrays have an element for each neighbour.
        let code = unsafe {
            (self.neighbour_counts.Neighbor_allgatherv)(out, own, double, into, sizes, places, double, graph.handle())
        };
        done("MPI_Neighbor_allgatherv", code)
    }

    /// [`Collectives::neighbor_alltoall`] by `MPI_Neighbor_alltoallv`.
    ///
    /// # Errors
    ///
    /// If `MPI_Neighbor_alltoallv` returns an error code.
    pub fn neighbor_alltoallv(
        &self,
        (graph, degree): (Comm, usize),
        counts: &Counts,
        from: &[f64],
        into: &mut [f64],
    ) -> Result<(), MpiError> {
        let (sizes, places) = counts.check(degree, from.len().min(into.len()));
        let (out, into, double) = (from.as_ptr(), into.as_mut_ptr(), self.double);
        // SAFETY: every block is within the buffers, which are distinct; the arrays have an element for each neighbour.
        let code = unsafe {
            (self.neighbour_counts.Neighbor_alltoallv)(
                out,
                sizes,
                places,
                double,
                into,
                sizes,
                places,
                double,
                graph.handle(),
            )
        };
        done("MPI_Neighbor_alltoallv", code)
    }

    /// [`Collectives::neighbor_alltoall`] by `MPI_Neighbor_alltoallw`, with the same datatype for all neighbours.
    ///
    /// # Errors
    ///
    /// If `MPI_Neighbor_alltoallw` returns an error code.
    pub fn neighbor_alltoallw(
        &self,
        (graph, degree): (Comm, usize),
        counts: &Counts,
        from: &[f64],
        into: &mut [f64],
    ) -> Result<(), MpiError> {
        let (sizes, _) = counts.check(degree, from.len().min(into.len()));
        let (places, types) = (counts.offsets(), self.doubles.as_ptr());
        let (out, into) = (from.as_ptr(), into.as_mut_ptr());
        // SAFETY: every block is within the buffers, which are distinct; the arrays have an element for each neighbour.
        let code = unsafe {
            (self.neighbour_counts.Neighbor_alltoallw)(
                out,
                sizes,
                places,
                types,
                into,
                sizes,
                places,
                types,
                graph.handle(),
            )
        };
        done("MPI_Neighbor_alltoallw", code)
    }

    /// [`Collectives::neighbor_allgatherv`] by `MPI_Ineighbor_allgatherv`.
    ///
    /// # Errors
    ///
    /// If `MPI_Ineighbor_allgatherv` or `MPI_Wait` returns an error code, or there are more than 2³¹ − 1 elements.
    pub fn ineighbor_allgatherv(
        &self,
        (graph, degree): (Comm, usize),
        counts: &Counts,
        from: &[f64],
        into: &mut [f64],
    ) -> Result<(), MpiError> {
        let (out, own, double) = (from.as_ptr(), count(from.len())?, self.double);
        let (sizes, places) = counts.check(degree, into.len());
        let into = into.as_mut_ptr();
        // SAFETY: as for the blocking operation; buffers and arrays are borrowed until it is complete.
        self.wait("MPI_Ineighbor_allgatherv", |request| unsafe {
            (self.neighbour_counts.Ineighbor_allgatherv)(
                out,
                own,
                double,
                into,
                sizes,
                places,
                double,
                graph.handle(),
                request,
            )
        })
    }

    /// [`Collectives::neighbor_alltoallv`] by `MPI_Ineighbor_alltoallv`.
    ///
    /// # Errors
    ///
    /// If `MPI_Ineighbor_alltoallv` or `MPI_Wait` returns an error code.
    pub fn ineighbor_alltoallv(
        &self,
        (graph, degree): (Comm, usize),
        counts: &Counts,
        from: &[f64],
        into: &mut [f64],
    ) -> Result<(), MpiError> {
        let (sizes, places) = counts.check(degree, from.len().min(into.len()));
        let (out, into, double) = (from.as_ptr(), into.as_mut_ptr(), self.double);
        // SAFETY: as for the blocking operation; buffers and arrays are borrowed until it is complete.
        self.wait("MPI_Ineighbor_alltoallv", |request| unsafe {
            (self.neighbour_counts.Ineighbor_alltoallv)(
                out,
                sizes,
                places,
                double,
                into,
                sizes,
                places,
                double,
                graph.handle(),
                request,
            )
        })
    }

    /// [`Collectives::neighbor_alltoallw`] by `MPI_Ineighbor_alltoallw`.
    ///
    /// # Errors
    ///
    /// If `MPI_Ineighbor_alltoallw` or `MPI_Wait` returns an error code.
    pub fn ineighbor_alltoallw(
        &self,
        (graph, degree): (Comm, usize),
        counts: &Counts,
        from: &[f64],
        into: &mut [f64],
    ) -> Result<(), MpiError> {
        let (sizes, _) = counts.check(degree, from.len().min(into.len()));
        let (places, types) = (counts.offsets(), self.doubles.as_ptr());
        let (out, into) = (from.as_ptr(), into.as_mut_ptr());
        // SAFETY: as for the blocking operation; buffers and arrays are borrowed until it is complete.
        self.wait("MPI_Ineighbor_alltoallw", |request| unsafe {
            (self.neighbour_counts.Ineighbor_alltoallw)(
                out,
                sizes,
                places,
                types,
                into,
                sizes,
                places,
                types,
                graph.handle(),
                request,
            )
        })
    }
}
