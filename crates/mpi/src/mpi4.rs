//! What MPI 4 has added: partitioned messages, and persistent collective operations. Looked up when needed.

use crate::calls::calls;
use crate::{Comm, Mpi, MpiError, Persistent, Rank, Tag, done, symbol};

calls! {
    PartitionedCalls;
    Psend_init(
        buffer: *const u8,
        partitions: i32,
        count: i64,
        datatype: usize,
        dest: i32,
        tag: i32,
        comm: usize,
        info: usize,
        request: *mut u8
    );
    Precv_init(
        buffer: *mut u8,
        partitions: i32,
        count: i64,
        datatype: usize,
        source: i32,
        tag: i32,
        comm: usize,
        info: usize,
        request: *mut u8
    );
    Pready(partition: i32, request: usize);
}

calls! {
    NeighborCalls;
    Neighbor_alltoallv_init(
        out: *const u8,
        out_counts: *const i32,
        out_places: *const i32,
        out_type: usize,
        into: *mut u8,
        in_counts: *const i32,
        in_places: *const i32,
        in_type: usize,
        comm: usize,
        info: usize,
        request: *mut u8
    );
}

/// A part of a message that is sent, for the thread that marks it as ready.
#[derive(Clone, Copy)]
pub struct Part {
    call: unsafe extern "C" fn(i32, usize) -> i32,
    request: usize,
    partition: i32,
}

impl Part {
    /// `MPI_Pready`. Threads may call it at once, for different parts, if MPI was initialized for several threads.
    ///
    /// # Safety
    /// The message was started, and this part of it is not yet ready.
    ///
    /// # Errors
    ///
    /// If `MPI_Pready` returns an error code.
    pub unsafe fn ready(self) -> Result<(), MpiError> {
        // SAFETY: the caller's.
        done("MPI_Pready", unsafe { (self.call)(self.partition, self.request) })
    }
}

/// Messages whose sender marks one part after the other as ready. Its requests are persistent, and have to be freed by [`Partitioned::free`].
pub struct Partitioned<'a> {
    mpi: &'a Mpi,
    calls: PartitionedCalls,
    requests: Persistent,
    /// Those that send, as indices, with their partitions.
    sends: Vec<(usize, i32)>,
}

impl Mpi {
    /// Room for `room` partitioned messages.
    ///
    /// # Errors
    ///
    /// [`MpiError::Lacks`] if the MPI has no partitioned messages.
    pub fn partitioned(&self, room: usize) -> Result<Partitioned<'_>, MpiError> {
        let find = |name: &str| symbol(libc::RTLD_DEFAULT, name);
        let calls = PartitionedCalls::find(find).map_err(|name| MpiError::Lacks { name })?;
        Ok(Partitioned { mpi: self, calls, requests: self.persistent(room), sends: Vec::new() })
    }
}

impl Partitioned<'_> {
    /// Adds a message that is sent in `partitions` parts of `bytes` bytes.
    ///
    /// # Safety
    /// The buffer is readable until the requests are freed, and unchanged in [`Partitioned::run`].
    ///
    /// # Errors
    ///
    /// If `MPI_Psend_init` returns an error code.
    ///
    /// # Panics
    ///
    /// If there is no room for the request.
    pub unsafe fn send(
        &mut self,
        comm: Comm,
        (buffer, partitions, bytes): (*const u8, i32, usize),
        to: Rank,
        tag: Tag,
    ) -> Result<(), MpiError> {
        let (byte, info) = (self.mpi.constants.byte, self.mpi.info_null());
        self.sends.push((self.requests.0.count(), partitions));
        let (count, request) = (bytes as i64, self.requests.0.next());
        // SAFETY: the caller's; the request has room.
        let code =
            unsafe { (self.calls.Psend_init)(buffer, partitions, count, byte, to, tag, comm.handle(), info, request) };
        done("MPI_Psend_init", code)
    }

    /// Adds a message that is received in `partitions` parts of `bytes` bytes.
    ///
    /// # Safety
    /// The buffer is writable until the requests are freed, and not accessed otherwise in [`Partitioned::run`].
    ///
    /// # Errors
    ///
    /// If `MPI_Precv_init` returns an error code.
    ///
    /// # Panics
    ///
    /// If there is no room for the request.
    pub unsafe fn receive(
        &mut self,
        comm: Comm,
        (buffer, partitions, bytes): (*mut u8, i32, usize),
        from: Rank,
        tag: Tag,
    ) -> Result<(), MpiError> {
        let (byte, info) = (self.mpi.constants.byte, self.mpi.info_null());
        let (count, request) = (bytes as i64, self.requests.0.next());
        // SAFETY: the caller's; the request has room.
        let code = unsafe {
            (self.calls.Precv_init)(buffer, partitions, count, byte, from, tag, comm.handle(), info, request)
        };
        done("MPI_Precv_init", code)
    }

    /// Starts all messages, marks all their parts as ready, and waits for them.
    ///
    /// # Errors
    ///
    /// If `MPI_Startall`, `MPI_Pready` or `MPI_Waitall` returns an error code.
    pub fn run(&mut self) -> Result<(), MpiError> {
        self.start()?;
        for part in self.parts() {
            // SAFETY: a part of a message that was started just now.
            unsafe { part.ready() }?;
        }
        self.wait()
    }

    /// Starts all messages. Those that are sent leave when all their parts are ready.
    ///
    /// # Errors
    ///
    /// If `MPI_Startall` returns an error code.
    pub fn start(&mut self) -> Result<(), MpiError> {
        self.mpi.start(&mut self.requests)
    }

    /// Waits for all messages.
    ///
    /// # Errors
    ///
    /// If `MPI_Waitall` returns an error code.
    pub fn wait(&mut self) -> Result<(), MpiError> {
        self.mpi.wait(&mut self.requests)
    }

    /// The parts of all messages that are sent, in the order in which they were added.
    pub fn parts(&mut self) -> impl Iterator<Item = Part> + use<'_> {
        let (call, requests) = (self.calls.Pready, &mut self.requests.0);
        self.sends.iter().flat_map(move |&(at, partitions)| {
            let request = requests.handle(at);
            (0..partitions).map(move |partition| Part { call, request, partition })
        })
    }

    /// Frees the requests.
    ///
    /// # Errors
    ///
    /// If `MPI_Request_free` returns an error code.
    pub fn free(self) -> Result<(), MpiError> {
        self.mpi.free(self.requests)
    }
}

impl Comm<'_> {
    /// [`Comm::neighbor_alltoallv`] as a persistent operation; collective.
    ///
    /// # Safety
    /// The buffers have room for all blocks, and the arrays have an element for each neighbour. All of them stay until the request is freed; buffers are
    /// not accessed while it is active.
    ///
    /// # Errors
    ///
    /// [`MpiError::Lacks`] if the MPI has no `MPI_Neighbor_alltoallv_init`; if that returns an error code.
    ///
    /// # Panics
    ///
    /// If the list has no room for the request.
    pub unsafe fn neighbor_alltoallv_init(
        &self,
        (out, out_counts, out_places): (*const u8, &[i32], &[i32]),
        (into, in_counts, in_places): (*mut u8, &[i32], &[i32]),
        requests: &mut Persistent,
    ) -> Result<(), MpiError> {
        let find = |name: &str| symbol(libc::RTLD_DEFAULT, name);
        let calls = NeighborCalls::find(find).map_err(|name| MpiError::Lacks { name })?;
        let (byte, info) = (self.mpi().constants.byte, self.mpi().info_null());
        // SAFETY: the caller's; the request has room.
        let code = unsafe {
            (calls.Neighbor_alltoallv_init)(
                out,
                out_counts.as_ptr(),
                out_places.as_ptr(),
                byte,
                into,
                in_counts.as_ptr(),
                in_places.as_ptr(),
                byte,
                self.handle(),
                info,
                requests.0.next(),
            )
        };
        done("MPI_Neighbor_alltoallv_init", code)
    }
}
