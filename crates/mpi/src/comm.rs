//! Communicators, and what is called on them.

use crate::{Mpi, MpiError, Persistent, Rank, Requests, Tag, done};

/// A communicator. All its ranks must free it by [`Comm::free`], unless it is `MPI_COMM_WORLD`: dropping it does not.
#[derive(Clone, Copy)]
pub struct Comm<'a> {
    mpi: &'a Mpi,
    handle: usize,
}

impl<'a> Comm<'a> {
    #[inline]
    pub(crate) fn new(mpi: &'a Mpi, handle: usize) -> Comm<'a> {
        Comm { mpi, handle }
    }

    pub(crate) fn handle(&self) -> usize {
        self.handle
    }

    pub(crate) fn mpi(&self) -> &'a Mpi {
        self.mpi
    }

    /// Rank of this process in the communicator.
    ///
    /// # Errors
    ///
    /// If `MPI_Comm_rank` returns an error code.
    pub fn rank(&self) -> Result<Rank, MpiError> {
        let mut rank = 0;
        // SAFETY: `rank` is writable.
        done("MPI_Comm_rank", unsafe { (self.mpi.calls.Comm_rank)(self.handle, &mut rank) })?;
        Ok(rank)
    }

    /// Number of ranks.
    ///
    /// # Errors
    ///
    /// If `MPI_Comm_size` returns an error code.
    pub fn size(&self) -> Result<i32, MpiError> {
        let mut size = 0;
        // SAFETY: `size` is writable.
        done("MPI_Comm_size", unsafe { (self.mpi.calls.Comm_size)(self.handle, &mut size) })?;
        Ok(size)
    }

    /// The same ranks in a new communicator; collective.
    ///
    /// # Errors
    ///
    /// If `MPI_Comm_dup` returns an error code.
    pub fn dup(&self) -> Result<Comm<'a>, MpiError> {
        // SAFETY: the handle is writable; an MPI with 32-bit handles writes its low half.
        self.made("MPI_Comm_dup", |new| unsafe { (self.mpi.calls.Comm_dup)(self.handle, new) })
    }

    /// The ranks with the same colour, in the order of their keys, and with the same key in the order that they have here; collective.
    ///
    /// # Errors
    ///
    /// If `MPI_Comm_split` returns an error code.
    pub fn split(&self, color: i32, key: i32) -> Result<Comm<'a>, MpiError> {
        // SAFETY: as for `dup`.
        self.made("MPI_Comm_split", |new| unsafe { (self.mpi.calls.Comm_split)(self.handle, color, key, new) })
    }

    /// A Cartesian grid of the ranks, in an order that the MPI may choose; collective. Either all dimensions are periodic or none.
    /// The product of `dims` is the number of ranks.
    ///
    /// # Errors
    ///
    /// If `MPI_Cart_create` returns an error code.
    pub fn cart(&self, dims: &[i32], is_periodic: bool) -> Result<Comm<'a>, MpiError> {
        let periods = vec![i32::from(is_periodic); dims.len()];
        // SAFETY: both arrays have that many elements.
        self.made("MPI_Cart_create", |new| unsafe {
            (self.mpi.calls.Cart_create)(self.handle, dims.len() as i32, dims.as_ptr(), periods.as_ptr(), 1, new)
        })
    }

    /// The same ranks, with neighbours for [`Comm::neighbor_alltoallv`].
    ///
    /// # Errors
    ///
    /// If `MPI_Dist_graph_create_adjacent`, `MPI_Info_create` or `MPI_Info_free` returns an error code.
    pub fn graph(&self, sources: &[Rank], destinations: &[Rank]) -> Result<Comm<'a>, MpiError> {
        let mut info = 0;
        // SAFETY: the handle is writable. An empty info: the null one is another constant in each MPI.
        done("MPI_Info_create", unsafe { (self.mpi.calls.Info_create)(&mut info) })?;
        // An array is no null pointer even without elements.
        let ones = vec![1; sources.len().max(destinations.len()).max(1)];
        // SAFETY: the arrays are as long as their degrees.
        let made = self.made("MPI_Dist_graph_create_adjacent", |new| unsafe {
            (self.mpi.calls.Dist_graph_create_adjacent)(
                self.handle,
                sources.len() as i32,
                sources.as_ptr(),
                ones.as_ptr(),
                destinations.len() as i32,
                destinations.as_ptr(),
                ones.as_ptr(),
                info,
                0,
                new,
            )
        });
        // SAFETY: made above.
        done("MPI_Info_free", unsafe { (self.mpi.calls.Info_free)(&mut info) })?;
        made
    }

    /// Frees a communicator other than `MPI_COMM_WORLD`; collective.
    ///
    /// # Errors
    ///
    /// If `MPI_Comm_free` returns an error code.
    pub fn free(mut self) -> Result<(), MpiError> {
        // SAFETY: the handle is writable and was made by this MPI.
        done("MPI_Comm_free", unsafe { (self.mpi.calls.Comm_free)(&mut self.handle) })
    }

    fn made(&self, name: &'static str, make: impl FnOnce(*mut usize) -> i32) -> Result<Comm<'a>, MpiError> {
        let mut handle = 0;
        done(name, make(&mut handle))?;
        Ok(Comm { mpi: self.mpi, handle })
    }

    /// Sends a message of bytes, and returns when the buffer can be used again.
    ///
    /// # Errors
    ///
    /// If `MPI_Send` returns an error code, or a buffer is longer than 2³¹ − 1 bytes.
    #[inline]
    pub fn send(&self, buffer: &[u8], to: Rank, tag: Tag) -> Result<(), MpiError> {
        let (count, byte) = self.of_bytes(buffer.len())?;
        // SAFETY: the buffer is readable for its length.
        let code = unsafe { (self.mpi.calls.Send)(buffer.as_ptr(), count, byte, to, tag, self.handle) };
        done("MPI_Send", code)
    }

    /// Receives a message of at most the buffer's length.
    ///
    /// # Errors
    ///
    /// If `MPI_Recv` returns an error code, or a buffer is longer than 2³¹ − 1 bytes.
    #[inline]
    pub fn recv(&self, buffer: &mut [u8], from: Rank, tag: Tag) -> Result<(), MpiError> {
        let (count, byte) = self.of_bytes(buffer.len())?;
        let ignore = self.mpi.constants.status_ignore;
        // SAFETY: the buffer is writable for its length.
        let code = unsafe { (self.mpi.calls.Recv)(buffer.as_mut_ptr(), count, byte, from, tag, self.handle, ignore) };
        done("MPI_Recv", code)
    }

    /// Sends and receives at once; `None` is `MPI_PROC_NULL`.
    ///
    /// # Errors
    ///
    /// If `MPI_Sendrecv` returns an error code, or a buffer is longer than 2³¹ − 1 bytes.
    #[inline]
    pub fn sendrecv(
        &self,
        out: &[u8],
        to: Option<Rank>,
        into: &mut [u8],
        from: Option<Rank>,
        tag: Tag,
    ) -> Result<(), MpiError> {
        let (count, byte) = self.of_bytes(out.len())?;
        let (room, _) = self.of_bytes(into.len())?;
        let (proc_null, ignore) = (self.mpi.constants.proc_null, self.mpi.constants.status_ignore);
        let (to, from) = (to.unwrap_or(proc_null), from.unwrap_or(proc_null));
        // SAFETY: both buffers are valid for their lengths and distinct, as one is borrowed mutably.
        let code = unsafe {
            (self.mpi.calls.Sendrecv)(
                out.as_ptr(),
                count,
                byte,
                to,
                tag,
                into.as_mut_ptr(),
                room,
                byte,
                from,
                tag,
                self.handle,
                ignore,
            )
        };
        done("MPI_Sendrecv", code)
    }

    /// Starts a send and appends its request.
    ///
    /// # Safety
    /// The buffer is readable and unchanged until the request is complete.
    ///
    /// # Errors
    ///
    /// If `MPI_Isend` returns an error code, or the buffer is longer than 2³¹ − 1 bytes.
    ///
    /// # Panics
    ///
    /// If the list has no room for the request.
    pub unsafe fn isend(
        &self,
        buffer: *const u8,
        bytes: usize,
        to: Rank,
        tag: Tag,
        requests: &mut Requests,
    ) -> Result<(), MpiError> {
        let (count, byte) = self.of_bytes(bytes)?;
        // SAFETY: the caller's; the request has room.
        let code = unsafe { (self.mpi.calls.Isend)(buffer, count, byte, to, tag, self.handle, requests.next()) };
        done("MPI_Isend", code)
    }

    /// Starts a receive and appends its request.
    ///
    /// # Safety
    /// The buffer is writable and not accessed otherwise until the request is complete.
    ///
    /// # Errors
    ///
    /// If `MPI_Irecv` returns an error code, or the buffer is longer than 2³¹ − 1 bytes.
    ///
    /// # Panics
    ///
    /// If the list has no room for the request.
    pub unsafe fn irecv(
        &self,
        buffer: *mut u8,
        bytes: usize,
        from: Rank,
        tag: Tag,
        requests: &mut Requests,
    ) -> Result<(), MpiError> {
        let (count, byte) = self.of_bytes(bytes)?;
        // SAFETY: the caller's; the request has room.
        let code = unsafe { (self.mpi.calls.Irecv)(buffer, count, byte, from, tag, self.handle, requests.next()) };
        done("MPI_Irecv", code)
    }

    /// A persistent send.
    ///
    /// # Safety
    /// The buffer is readable until the request is freed, and unchanged while it is active.
    ///
    /// # Errors
    ///
    /// If `MPI_Send_init` returns an error code, or the buffer is longer than 2³¹ − 1 bytes.
    ///
    /// # Panics
    ///
    /// If the list has no room for the request.
    pub unsafe fn send_init(
        &self,
        buffer: *const u8,
        bytes: usize,
        to: Rank,
        tag: Tag,
        requests: &mut Persistent,
    ) -> Result<(), MpiError> {
        let (count, byte) = self.of_bytes(bytes)?;
        // SAFETY: the caller's; the request has room.
        let code = unsafe { (self.mpi.calls.Send_init)(buffer, count, byte, to, tag, self.handle, requests.0.next()) };
        done("MPI_Send_init", code)
    }

    /// A persistent receive.
    ///
    /// # Safety
    /// The buffer is writable until the request is freed, and not accessed otherwise while it is active.
    ///
    /// # Errors
    ///
    /// If `MPI_Recv_init` returns an error code, or the buffer is longer than 2³¹ − 1 bytes.
    ///
    /// # Panics
    ///
    /// If the list has no room for the request.
    pub unsafe fn recv_init(
        &self,
        buffer: *mut u8,
        bytes: usize,
        from: Rank,
        tag: Tag,
        requests: &mut Persistent,
    ) -> Result<(), MpiError> {
        let (count, byte) = self.of_bytes(bytes)?;
        // SAFETY: the caller's; the request has room.
        let code =
            unsafe { (self.mpi.calls.Recv_init)(buffer, count, byte, from, tag, self.handle, requests.0.next()) };
        done("MPI_Recv_init", code)
    }

    /// Waits until all ranks have called it.
    ///
    /// # Errors
    ///
    /// If `MPI_Barrier` returns an error code.
    pub fn barrier(&self) -> Result<(), MpiError> {
        // SAFETY: the handle is of the library.
        done("MPI_Barrier", unsafe { (self.mpi.calls.Barrier)(self.handle) })
    }

    /// Copies the root's bytes to all ranks.
    ///
    /// # Errors
    ///
    /// If `MPI_Bcast` returns an error code.
    pub fn bcast(&self, buffer: &mut [u8], root: Rank) -> Result<(), MpiError> {
        let (count, byte) = self.of_bytes(buffer.len())?;
        // SAFETY: the buffer is writable for its length.
        done("MPI_Bcast", unsafe { (self.mpi.calls.Bcast)(buffer.as_mut_ptr(), count, byte, root, self.handle) })
    }

    /// Sends to each destination and receives from each source of [`Comm::graph`]: how many bytes, and where in the buffers.
    ///
    /// # Panics
    /// If a place with its bytes is outside of its buffer.
    ///
    /// # Errors
    ///
    /// If `MPI_Neighbor_alltoallv` returns an error code.
    pub fn neighbor_alltoallv(
        &self,
        (out, out_counts, out_places): (&[u8], &[i32], &[i32]),
        (into, in_counts, in_places): (&mut [u8], &[i32], &[i32]),
    ) -> Result<(), MpiError> {
        let is_within = |counts: &[i32], places: &[i32], length: usize| {
            let ends =
                |(&count, &place): (&i32, &i32)| Some(usize::try_from(count).ok()? + usize::try_from(place).ok()?);
            counts.len() == places.len()
                && counts.iter().zip(places).all(|of| ends(of).is_some_and(|end| end <= length))
        };
        let is_valid = is_within(out_counts, out_places, out.len()) && is_within(in_counts, in_places, into.len());
        assert!(is_valid, "a place is outside of its buffer");
        let byte = self.mpi.constants.byte;
        // SAFETY: all places are within the buffers; the arrays are as long as the degrees of the graph, which is the caller's contract with
        // `graph`.
        let code = unsafe {
            (self.mpi.calls.Neighbor_alltoallv)(
                out.as_ptr(),
                out_counts.as_ptr(),
                out_places.as_ptr(),
                byte,
                into.as_mut_ptr(),
                in_counts.as_ptr(),
                in_places.as_ptr(),
                byte,
                self.handle,
            )
        };
        done("MPI_Neighbor_alltoallv", code)
    }

    #[inline]
    fn of_bytes(&self, bytes: usize) -> Result<(i32, usize), MpiError> {
        let count = i32::try_from(bytes).map_err(|_| MpiError::TooLong { bytes })?;
        Ok((count, self.mpi.constants.byte))
    }
}
