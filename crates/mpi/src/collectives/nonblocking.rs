//! The same operations in their non-blocking forms, each followed at once by `MPI_Wait`.

use super::{Collectives, count};
use crate::calls::calls;
use crate::{MpiError, Rank, done};

calls! {
    Calls;
    Ibarrier(comm: usize, request: *mut usize);
    Ibcast(buffer: *mut f64, count: i32, datatype: usize, root: i32, comm: usize, request: *mut usize);
    Ireduce(
        from: *const f64,
        into: *mut f64,
        count: i32,
        datatype: usize,
        op: usize,
        root: i32,
        comm: usize,
        request: *mut usize
    );
    Iallreduce(
        from: *const f64,
        into: *mut f64,
        count: i32,
        datatype: usize,
        op: usize,
        comm: usize,
        request: *mut usize
    );
    Ireduce_scatter_block(
        from: *const f64,
        into: *mut f64,
        count: i32,
        datatype: usize,
        op: usize,
        comm: usize,
        request: *mut usize
    );
    Iscan(
        from: *const f64,
        into: *mut f64,
        count: i32,
        datatype: usize,
        op: usize,
        comm: usize,
        request: *mut usize
    );
    Iexscan(
        from: *const f64,
        into: *mut f64,
        count: i32,
        datatype: usize,
        op: usize,
        comm: usize,
        request: *mut usize
    );
    Igather(
        from: *const f64,
        out: i32,
        out_type: usize,
        into: *mut f64,
        in_: i32,
        in_type: usize,
        root: i32,
        comm: usize,
        request: *mut usize
    );
    Iscatter(
        from: *const f64,
        out: i32,
        out_type: usize,
        into: *mut f64,
        in_: i32,
        in_type: usize,
        root: i32,
        comm: usize,
        request: *mut usize
    );
    Iallgather(
        from: *const f64,
        out: i32,
        out_type: usize,
        into: *mut f64,
        in_: i32,
        in_type: usize,
        comm: usize,
        request: *mut usize
    );
    Ialltoall(
        from: *const f64,
        out: i32,
        out_type: usize,
        into: *mut f64,
        in_: i32,
        in_type: usize,
        comm: usize,
        request: *mut usize
    );
    Wait(request: *mut usize, status: usize);
}

/// All functions panic as the blocking ones do.
impl Collectives<'_> {
    pub(super) fn wait(&self, name: &'static str, start: impl FnOnce(*mut usize) -> i32) -> Result<(), MpiError> {
        // An MPI with 32-bit handles uses the low half.
        let mut request = 0;
        done(name, start(&mut request))?;
        // SAFETY: the request was started just now.
        done("MPI_Wait", unsafe { (self.nonblocking.Wait)(&mut request, self.of.mpi().constants.status_ignore) })
    }

    /// [`Collectives::barrier`] by `MPI_Ibarrier`.
    ///
    /// # Errors
    ///
    /// If `MPI_Ibarrier` or `MPI_Wait` returns an error code.
    pub fn ibarrier(&self) -> Result<(), MpiError> {
        // SAFETY: as for the blocking operation; the buffers are borrowed until it is complete.
        self.wait("MPI_Ibarrier", |request| unsafe { (self.nonblocking.Ibarrier)(self.comm, request) })
    }

    /// [`Collectives::bcast`] by `MPI_Ibcast`.
    ///
    /// # Errors
    ///
    /// If `MPI_Ibcast` or `MPI_Wait` returns an error code, or there are more than 2³¹ − 1 elements.
    pub fn ibcast(&self, data: &mut [f64], root: Rank) -> Result<(), MpiError> {
        let (data, count) = (data.as_mut_ptr(), count(data.len())?);
        // SAFETY: as for the blocking operation; the buffers are borrowed until it is complete.
        self.wait("MPI_Ibcast", |request| unsafe {
            (self.nonblocking.Ibcast)(data, count, self.double, root, self.comm, request)
        })
    }

    /// [`Collectives::reduce`] by `MPI_Ireduce`.
    ///
    /// # Errors
    ///
    /// If `MPI_Ireduce` or `MPI_Wait` returns an error code, or there are more than 2³¹ − 1 elements.
    pub fn ireduce(&self, from: &[f64], into: &mut [f64], root: Rank) -> Result<(), MpiError> {
        let (out, into, count) = self.sum_of(from, into)?;
        // SAFETY: as for the blocking operation; the buffers are borrowed until it is complete.
        self.wait("MPI_Ireduce", |request| unsafe {
            (self.nonblocking.Ireduce)(out, into, count, self.double, self.sum, root, self.comm, request)
        })
    }

    /// [`Collectives::allreduce`] by `MPI_Iallreduce`.
    ///
    /// # Errors
    ///
    /// If `MPI_Iallreduce` or `MPI_Wait` returns an error code, or there are more than 2³¹ − 1 elements.
    pub fn iallreduce(&self, from: &[f64], into: &mut [f64]) -> Result<(), MpiError> {
        let (out, into, count) = self.sum_of(from, into)?;
        // SAFETY: as for the blocking operation; the buffers are borrowed until it is complete.
        self.wait("MPI_Iallreduce", |request| unsafe {
            (self.nonblocking.Iallreduce)(out, into, count, self.double, self.sum, self.comm, request)
        })
    }

    /// [`Collectives::scan`] by `MPI_Iscan`.
    ///
    /// # Errors
    ///
    /// If `MPI_Iscan` or `MPI_Wait` returns an error code, or there are more than 2³¹ − 1 elements.
    pub fn iscan(&self, from: &[f64], into: &mut [f64]) -> Result<(), MpiError> {
        let (out, into, count) = self.sum_of(from, into)?;
        // SAFETY: as for the blocking operation; the buffers are borrowed until it is complete.
        self.wait("MPI_Iscan", |request| unsafe {
            (self.nonblocking.Iscan)(out, into, count, self.double, self.sum, self.comm, request)
        })
    }

    /// [`Collectives::reduce_scatter_block`] by `MPI_Ireduce_scatter_block`.
    ///
    /// # Errors
    ///
    /// If `MPI_Ireduce_scatter_block` or `MPI_Wait` returns an error code, or there are more than 2³¹ − 1 elements.
    pub fn ireduce_scatter_block(&self, from: &[f64], into: &mut [f64]) -> Result<(), MpiError> {
        let (out, into, count) = self.block_of(from, into)?;
        // SAFETY: as for the blocking operation; the buffers are borrowed until it is complete.
        self.wait("MPI_Ireduce_scatter_block", |request| unsafe {
            (self.nonblocking.Ireduce_scatter_block)(out, into, count, self.double, self.sum, self.comm, request)
        })
    }

    /// [`Collectives::exscan`] by `MPI_Iexscan`.
    ///
    /// # Errors
    ///
    /// If `MPI_Iexscan` or `MPI_Wait` returns an error code, or there are more than 2³¹ − 1 elements.
    pub fn iexscan(&self, from: &[f64], into: &mut [f64]) -> Result<(), MpiError> {
        let (out, into, count) = self.sum_of(from, into)?;
        // SAFETY: as for the blocking operation; the buffers are borrowed until it is complete.
        self.wait("MPI_Iexscan", |request| unsafe {
            (self.nonblocking.Iexscan)(out, into, count, self.double, self.sum, self.comm, request)
        })
    }

    /// [`Collectives::gather`] by `MPI_Igather`.
    ///
    /// # Errors
    ///
    /// If `MPI_Igather` or `MPI_Wait` returns an error code, or there are more than 2³¹ − 1 elements.
    pub fn igather(&self, from: &[f64], into: &mut [f64], root: Rank) -> Result<(), MpiError> {
        let ((out, into, count), double) = (self.blocks_of(from, into)?, self.double);
        // SAFETY: as for the blocking operation; the buffers are borrowed until it is complete.
        self.wait("MPI_Igather", |request| unsafe {
            (self.nonblocking.Igather)(out, count, double, into, count, double, root, self.comm, request)
        })
    }

    /// [`Collectives::scatter`] by `MPI_Iscatter`.
    ///
    /// # Errors
    ///
    /// If `MPI_Iscatter` or `MPI_Wait` returns an error code, or there are more than 2³¹ − 1 elements.
    pub fn iscatter(&self, from: &[f64], into: &mut [f64], root: Rank) -> Result<(), MpiError> {
        let ((out, into, count), double) = (self.block_of(from, into)?, self.double);
        // SAFETY: as for the blocking operation; the buffers are borrowed until it is complete.
        self.wait("MPI_Iscatter", |request| unsafe {
            (self.nonblocking.Iscatter)(out, count, double, into, count, double, root, self.comm, request)
        })
    }

    /// [`Collectives::allgather`] by `MPI_Iallgather`.
    ///
    /// # Errors
    ///
    /// If `MPI_Iallgather` or `MPI_Wait` returns an error code, or there are more than 2³¹ − 1 elements.
    pub fn iallgather(&self, from: &[f64], into: &mut [f64]) -> Result<(), MpiError> {
        let ((out, into, count), double) = (self.blocks_of(from, into)?, self.double);
        // SAFETY: as for the blocking operation; the buffers are borrowed until it is complete.
        self.wait("MPI_Iallgather", |request| unsafe {
            (self.nonblocking.Iallgather)(out, count, double, into, count, double, self.comm, request)
        })
    }

    /// [`Collectives::alltoall`] by `MPI_Ialltoall`.
    ///
    /// # Errors
    ///
    /// If `MPI_Ialltoall` or `MPI_Wait` returns an error code, or there are more than 2³¹ − 1 elements.
    pub fn ialltoall(&self, block: usize, from: &[f64], into: &mut [f64]) -> Result<(), MpiError> {
        let ((out, into, count), double) = (self.exchange_of(block, from, into)?, self.double);
        // SAFETY: as for the blocking operation; the buffers are borrowed until it is complete.
        self.wait("MPI_Ialltoall", |request| unsafe {
            (self.nonblocking.Ialltoall)(out, count, double, into, count, double, self.comm, request)
        })
    }
}
