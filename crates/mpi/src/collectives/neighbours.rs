//! Operations with the neighbours of a graph.

use super::{Collectives, count};
use crate::calls::calls;
use crate::{Comm, MpiError, done};

calls! {
    Calls;
    Neighbor_allgather(
        from: *const f64,
        out: i32,
        out_type: usize,
        into: *mut f64,
        in_: i32,
        in_type: usize,
        comm: usize
    );
    Neighbor_alltoall(
        from: *const f64,
        out: i32,
        out_type: usize,
        into: *mut f64,
        in_: i32,
        in_type: usize,
        comm: usize
    );
    Ineighbor_allgather(
        from: *const f64,
        out: i32,
        out_type: usize,
        into: *mut f64,
        in_: i32,
        in_type: usize,
        comm: usize,
        request: *mut usize
    );
    Ineighbor_alltoall(
        from: *const f64,
        out: i32,
        out_type: usize,
        into: *mut f64,
        in_: i32,
        in_type: usize,
        comm: usize,
        request: *mut usize
    );
}

/// Each rank has as many sources as destinations: `degree`. The communicator is of [`Comm::graph`].
impl Collectives<'_> {
    /// Sends a block to each destination, the same one, and receives one from each source.
    ///
    /// # Errors
    ///
    /// If `MPI_Neighbor_allgather` returns an error code, or there are more than 2³¹ − 1 elements.
    pub fn neighbor_allgather(
        &self,
        (graph, degree): (Comm, usize),
        from: &[f64],
        into: &mut [f64],
    ) -> Result<(), MpiError> {
        let ((out, into, count), double) = (one_block(degree, from, into)?, self.double);
        // SAFETY: there is room for a block of each source, and the buffers are distinct.
        let code =
            unsafe { (self.of_neighbours.Neighbor_allgather)(out, count, double, into, count, double, graph.handle()) };
        done("MPI_Neighbor_allgather", code)
    }

    /// Sends each destination its block of `block` elements, and receives one from each source.
    ///
    /// # Errors
    ///
    /// If `MPI_Neighbor_alltoall` returns an error code, or there are more than 2³¹ − 1 elements.
    pub fn neighbor_alltoall(
        &self,
        (graph, degree): (Comm, usize),
        block: usize,
        from: &[f64],
        into: &mut [f64],
    ) -> Result<(), MpiError> {
        let ((out, into, count), double) = (own_blocks(degree, block, from, into)?, self.double);
        // SAFETY: there is a block for each neighbour in both buffers, which are distinct.
        let code =
            unsafe { (self.of_neighbours.Neighbor_alltoall)(out, count, double, into, count, double, graph.handle()) };
        done("MPI_Neighbor_alltoall", code)
    }

    /// [`Collectives::neighbor_allgather`] by `MPI_Ineighbor_allgather`.
    ///
    /// # Errors
    ///
    /// If `MPI_Ineighbor_allgather` or `MPI_Wait` returns an error code, or there are more than 2³¹ − 1 elements.
    pub fn ineighbor_allgather(
        &self,
        (graph, degree): (Comm, usize),
        from: &[f64],
        into: &mut [f64],
    ) -> Result<(), MpiError> {
        let ((out, into, count), double) = (one_block(degree, from, into)?, self.double);
        // SAFETY: as for the blocking operation; the buffers are borrowed until it is complete.
        self.wait("MPI_Ineighbor_allgather", |request| unsafe {
            let call = self.of_neighbours.Ineighbor_allgather;
            call(out, count, double, into, count, double, graph.handle(), request)
        })
    }

    /// [`Collectives::neighbor_alltoall`] by `MPI_Ineighbor_alltoall`.
    ///
    /// # Errors
    ///
    /// If `MPI_Ineighbor_alltoall` or `MPI_Wait` returns an error code, or there are more than 2³¹ − 1 elements.
    pub fn ineighbor_alltoall(
        &self,
        (graph, degree): (Comm, usize),
        block: usize,
        from: &[f64],
        into: &mut [f64],
    ) -> Result<(), MpiError> {
        let ((out, into, count), double) = (own_blocks(degree, block, from, into)?, self.double);
        // SAFETY: as for the blocking operation; the buffers are borrowed until it is complete.
        self.wait("MPI_Ineighbor_alltoall", |request| unsafe {
            let call = self.of_neighbours.Ineighbor_alltoall;
            call(out, count, double, into, count, double, graph.handle(), request)
        })
    }
}

/// The addresses and the number of elements, where each neighbour gets the same block.
fn one_block(degree: usize, from: &[f64], into: &mut [f64]) -> Result<(*const f64, *mut f64, i32), MpiError> {
    assert!(into.len() >= from.len() * degree);
    Ok((from.as_ptr(), into.as_mut_ptr(), count(from.len())?))
}

/// The same where each neighbour gets a block of its own.
fn own_blocks(
    degree: usize,
    block: usize,
    from: &[f64],
    into: &mut [f64],
) -> Result<(*const f64, *mut f64, i32), MpiError> {
    assert!(from.len().min(into.len()) >= block * degree);
    Ok((from.as_ptr(), into.as_mut_ptr(), count(block)?))
}
