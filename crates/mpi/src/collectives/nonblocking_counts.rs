//! Operations with a count for each rank in their non-blocking forms, each followed at once by `MPI_Wait`.

use super::{Collectives, Counts};
use crate::calls::calls;
use crate::{MpiError, Rank};

calls! {
    Calls;
    Igatherv(
        from: *const f64,
        out: i32,
        out_type: usize,
        into: *mut f64,
        in_: *const i32,
        in_places: *const i32,
        in_type: usize,
        root: i32,
        comm: usize,
        request: *mut usize
    );
    Iscatterv(
        from: *const f64,
        out: *const i32,
        out_places: *const i32,
        out_type: usize,
        into: *mut f64,
        in_: i32,
        in_type: usize,
        root: i32,
        comm: usize,
        request: *mut usize
    );
    Iallgatherv(
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
    Ialltoallv(
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
    Ialltoallw(
        from: *const f64,
        out: *const i32,
        out_places: *const i32,
        out_types: *const u64,
        into: *mut f64,
        in_: *const i32,
        in_places: *const i32,
        in_types: *const u64,
        comm: usize,
        request: *mut usize
    );
    Ireduce_scatter(
        from: *const f64,
        into: *mut f64,
        counts: *const i32,
        datatype: usize,
        op: usize,
        comm: usize,
        request: *mut usize
    );
}

/// All functions panic as the blocking ones do.
impl Collectives<'_> {
    /// [`Collectives::gatherv`] by `MPI_Igatherv`.
    ///
    /// # Errors
    ///
    /// If `MPI_Igatherv` or `MPI_Wait` returns an error code.
    pub fn igatherv(&self, counts: &Counts, from: &[f64], into: &mut [f64], root: Rank) -> Result<(), MpiError> {
        let ((out, into_at, count), double) = (self.blocks_of(from, into)?, self.double);
        let (sizes, places) = self.check(counts, into.len());
        // SAFETY: as for the blocking operation; buffers and arrays are borrowed until it is complete.
        self.wait("MPI_Igatherv", |request| unsafe {
            let call = self.nonblocking_counts.Igatherv;
            call(out, count, double, into_at, sizes, places, double, root, self.comm, request)
        })
    }

    /// [`Collectives::allgatherv`] by `MPI_Iallgatherv`.
    ///
    /// # Errors
    ///
    /// If `MPI_Iallgatherv` or `MPI_Wait` returns an error code.
    pub fn iallgatherv(&self, counts: &Counts, from: &[f64], into: &mut [f64]) -> Result<(), MpiError> {
        let ((out, into_at, count), double) = (self.blocks_of(from, into)?, self.double);
        let (sizes, places) = self.check(counts, into.len());
        // SAFETY: as for the blocking operation; buffers and arrays are borrowed until it is complete.
        self.wait("MPI_Iallgatherv", |request| unsafe {
            let call = self.nonblocking_counts.Iallgatherv;
            call(out, count, double, into_at, sizes, places, double, self.comm, request)
        })
    }

    /// [`Collectives::scatterv`] by `MPI_Iscatterv`.
    ///
    /// # Errors
    ///
    /// If `MPI_Iscatterv` or `MPI_Wait` returns an error code.
    pub fn iscatterv(&self, counts: &Counts, from: &[f64], into: &mut [f64], root: Rank) -> Result<(), MpiError> {
        let ((out, into, count), double) = (self.block_of(from, into)?, self.double);
        let (sizes, places) = self.check(counts, from.len());
        // SAFETY: as for the blocking operation; buffers and arrays are borrowed until it is complete.
        self.wait("MPI_Iscatterv", |request| unsafe {
            let call = self.nonblocking_counts.Iscatterv;
            call(out, sizes, places, double, into, count, double, root, self.comm, request)
        })
    }

    /// [`Collectives::alltoallv`] by `MPI_Ialltoallv`.
    ///
    /// # Errors
    ///
    /// If `MPI_Ialltoallv` or `MPI_Wait` returns an error code.
    pub fn ialltoallv(&self, counts: &Counts, from: &[f64], into: &mut [f64]) -> Result<(), MpiError> {
        let (sizes, places) = self.check(counts, from.len().min(into.len()));
        let (out, into, double) = (from.as_ptr(), into.as_mut_ptr(), self.double);
        // SAFETY: as for the blocking operation; buffers and arrays are borrowed until it is complete.
        self.wait("MPI_Ialltoallv", |request| unsafe {
            let call = self.nonblocking_counts.Ialltoallv;
            call(out, sizes, places, double, into, sizes, places, double, self.comm, request)
        })
    }

    /// [`Collectives::alltoallw`] by `MPI_Ialltoallw`.
    ///
    /// # Errors
    ///
    /// If `MPI_Ialltoallw` or `MPI_Wait` returns an error code, or a block begins after more than 2³¹ − 1 bytes.
    pub fn ialltoallw(&self, counts: &Counts, from: &[f64], into: &mut [f64]) -> Result<(), MpiError> {
        let (sizes, _) = self.check(counts, from.len().min(into.len()));
        let places = counts.places_in_bytes()?;
        let (out, into, types) = (from.as_ptr(), into.as_mut_ptr(), self.doubles.as_ptr());
        // SAFETY: as for the blocking operation; buffers and arrays are borrowed until it is complete.
        self.wait("MPI_Ialltoallw", |request| unsafe {
            let call = self.nonblocking_counts.Ialltoallw;
            call(out, sizes, places, types, into, sizes, places, types, self.comm, request)
        })
    }

    /// [`Collectives::reduce_scatter`] by `MPI_Ireduce_scatter`.
    ///
    /// # Errors
    ///
    /// If `MPI_Ireduce_scatter` or `MPI_Wait` returns an error code.
    pub fn ireduce_scatter(&self, counts: &Counts, from: &[f64], into: &mut [f64]) -> Result<(), MpiError> {
        let (out, into, _) = self.block_of(from, into)?;
        let (sizes, _) = self.check(counts, from.len());
        // SAFETY: as for the blocking operation; buffers and arrays are borrowed until it is complete.
        self.wait("MPI_Ireduce_scatter", |request| unsafe {
            let call = self.nonblocking_counts.Ireduce_scatter;
            call(out, into, sizes, self.double, self.sum, self.comm, request)
        })
    }
}
