//! One-sided communication. Looked up when it is needed: an MPI without it can be used for everything else.

use mpiscope_abi::Family;
use mpiscope_abi::predefined::{DATATYPES, OPS};

use crate::calls::calls;
use crate::{Mpi, MpiError, Rank, done, symbol};

calls! {
    RmaCalls;
    Win_create(base: *mut u8, bytes: isize, unit: i32, info: usize, comm: usize, window: *mut usize);
    Win_allocate(bytes: isize, unit: i32, info: usize, comm: usize, base: *mut *mut u8, window: *mut usize);
    Win_free(window: *mut usize);
    Win_fence(assertion: i32, window: usize);
    Win_post(group: usize, assertion: i32, window: usize);
    Win_start(group: usize, assertion: i32, window: usize);
    Win_complete(window: usize);
    Win_wait(window: usize);
    Win_lock(kind: i32, rank: i32, assertion: i32, window: usize);
    Win_unlock(rank: i32, window: usize);
    Win_lock_all(assertion: i32, window: usize);
    Win_unlock_all(window: usize);
    Win_flush(rank: i32, window: usize);
    Put(from: *const u8, count: i32, datatype: usize, rank: i32, at: isize, room: i32, room_type: usize, window: usize);
    Get(into: *mut u8, count: i32, datatype: usize, rank: i32, at: isize, room: i32, room_type: usize, window: usize);
    Accumulate(
        from: *const u8,
        count: i32,
        datatype: usize,
        rank: i32,
        at: isize,
        room: i32,
        room_type: usize,
        op: usize,
        window: usize
    );
    Fetch_and_op(
        from: *const u8,
        into: *mut u8,
        datatype: usize,
        rank: i32,
        at: isize,
        op: usize,
        window: usize
    );
    Compare_and_swap(
        from: *const u8,
        compare: *const u8,
        into: *mut u8,
        datatype: usize,
        rank: i32,
        at: isize,
        window: usize
    );
    Comm_group(comm: usize, group: *mut usize);
    Group_incl(group: usize, count: i32, ranks: *const i32, new: *mut usize);
    Group_free(group: *mut usize);
}

/// A window over `MPI_COMM_WORLD`, with the same number of bytes on each rank. It has to be freed by all ranks; nothing frees it by itself.
///
/// Operations are with `target`, and the rank `origin` does the same with this one. They use [`i64`] or bytes. Buffers of an operation must not be
/// accessed before the synchronisation that completes it; so functions that start one take addresses.
pub struct Rma<'a> {
    mpi: &'a Mpi,
    calls: RmaCalls,
    handle: usize,
    base: *mut u8,
    bytes: usize,
    /// The memory of a window that did not allocate it.
    _memory: Vec<u64>,
    target: Rank,
    /// The ranks that access this one's memory, and those whose memory it accesses.
    exposed_to: usize,
    accessed: usize,
    int: usize,
    sum: usize,
    shared_lock: i32,
    no_succeed: i32,
}

impl Mpi {
    /// `MPI_Win_create`, or `MPI_Win_allocate`; collective. An MPI that lacks one of the functions returns [`MpiError::Lacks`] on every rank.
    ///
    /// # Errors
    ///
    /// [`MpiError::Lacks`] if the MPI lacks one of the functions, `MPI_INT64_T` or `MPI_SUM`; if a function that makes the window or the groups returns an error code.
    pub fn rma(&self, is_allocated: bool, bytes: usize, (target, origin): (Rank, Rank)) -> Result<Rma<'_>, MpiError> {
        let find = |name: &str| symbol(libc::RTLD_DEFAULT, name);
        let calls = RmaCalls::find(find).map_err(|name| MpiError::Lacks { name })?;
        let (int, sum) = (self.predefined(&DATATYPES, "MPI_INT64_T")?, self.predefined(&OPS, "MPI_SUM")?);
        let (info, world) = (self.info_null(), self.constants.comm_world);
        let words = if is_allocated { 0 } else { bytes.div_ceil(8) };
        let mut memory = vec![0u64; words];
        let (mut handle, mut base) = (0, memory.as_mut_ptr().cast());
        // SAFETY: the memory lives as long as the window; the addresses are writable.
        unsafe {
            if is_allocated {
                let code = (calls.Win_allocate)(bytes as isize, 1, info, world, &mut base, &mut handle);
                done("MPI_Win_allocate", code)?;
            } else {
                done("MPI_Win_create", (calls.Win_create)(base, bytes as isize, 1, info, world, &mut handle))?;
            }
        }
        let group_of = |rank: Rank| -> Result<usize, MpiError> {
            let (mut all, mut one) = (0, 0);
            // SAFETY: the addresses are writable, the array has one element.
            unsafe {
                done("MPI_Comm_group", (calls.Comm_group)(world, &mut all))?;
                done("MPI_Group_incl", (calls.Group_incl)(all, 1, &rank, &mut one))?;
                done("MPI_Group_free", (calls.Group_free)(&mut all))?;
            }
            Ok(one)
        };
        let (exposed_to, accessed) = (group_of(origin)?, group_of(target)?);
        // `MPI_LOCK_SHARED` and `MPI_MODE_NOSUCCEED` of mpi.h of MPICH and of Open MPI; MPI-5.0 §20.3.
        let (shared_lock, no_succeed) = match self.constants.family {
            Family::Mpich => (235, 16384),
            Family::OpenMpi => (2, 16),
            Family::Standard => (302, 16384),
        };
        Ok(Rma {
            mpi: self,
            calls,
            handle,
            base,
            bytes,
            _memory: memory,
            target,
            exposed_to,
            accessed,
            int,
            sum,
            shared_lock,
            no_succeed,
        })
    }
}

impl Rma<'_> {
    /// Frees the window; collective.
    ///
    /// # Errors
    ///
    /// If `MPI_Group_free` or `MPI_Win_free` returns an error code.
    pub fn free(mut self) -> Result<(), MpiError> {
        // SAFETY: all were made above.
        unsafe {
            done("MPI_Group_free", (self.calls.Group_free)(&mut self.exposed_to))?;
            done("MPI_Group_free", (self.calls.Group_free)(&mut self.accessed))?;
            done("MPI_Win_free", (self.calls.Win_free)(&mut self.handle))
        }
    }

    /// Copies words to the begin of this rank's memory of the window, as an access under a lock.
    ///
    /// # Errors
    ///
    /// If `MPI_Comm_rank`, `MPI_Win_lock` or `MPI_Win_unlock` returns an error code.
    ///
    /// # Panics
    /// If there is no room for them.
    pub fn store(&mut self, from: &[u64]) -> Result<(), MpiError> {
        assert!(size_of_val(from) <= self.bytes);
        // SAFETY: within the memory, while this rank has it locked.
        self.locked(|base| unsafe { std::ptr::copy_nonoverlapping(from.as_ptr().cast(), base, size_of_val(from)) })
    }

    /// Copies words from the begin of this rank's memory of the window, as an access under a lock.
    ///
    /// # Errors
    ///
    /// If `MPI_Comm_rank`, `MPI_Win_lock` or `MPI_Win_unlock` returns an error code.
    ///
    /// # Panics
    /// If there are fewer.
    pub fn load(&self, into: &mut [u64]) -> Result<(), MpiError> {
        assert!(size_of_val(into) <= self.bytes);
        // SAFETY: within the memory, while this rank has it locked.
        self.locked(|base| unsafe { std::ptr::copy_nonoverlapping(base, into.as_mut_ptr().cast(), size_of_val(into)) })
    }

    fn locked(&self, access: impl FnOnce(*mut u8)) -> Result<(), MpiError> {
        let own = self.mpi.rank()?;
        // SAFETY: the window was made above.
        done("MPI_Win_lock", unsafe { (self.calls.Win_lock)(self.shared_lock, own, 0, self.handle) })?;
        access(self.base);
        // SAFETY: as above.
        done("MPI_Win_unlock", unsafe { (self.calls.Win_unlock)(own, self.handle) })
    }

    /// Ends the access epoch of all ranks, and begins another one, if this is not the `last` fence before another synchronisation.
    ///
    /// # Errors
    ///
    /// If `MPI_Win_fence` returns an error code.
    pub fn fence(&self, last: bool) -> Result<(), MpiError> {
        let assertion = if last { self.no_succeed } else { 0 };
        // SAFETY: the window was made above.
        done("MPI_Win_fence", unsafe { (self.calls.Win_fence)(assertion, self.handle) })
    }

    /// Exposes the memory to the origin, and begins to access that of the target.
    ///
    /// # Errors
    ///
    /// If `MPI_Win_post` or `MPI_Win_start` returns an error code.
    pub fn post_start(&self) -> Result<(), MpiError> {
        // SAFETY: the window and the groups were made above.
        unsafe {
            done("MPI_Win_post", (self.calls.Win_post)(self.exposed_to, 0, self.handle))?;
            done("MPI_Win_start", (self.calls.Win_start)(self.accessed, 0, self.handle))
        }
    }

    /// Ends what [`Rma::post_start`] has begun.
    ///
    /// # Errors
    ///
    /// If `MPI_Win_complete` or `MPI_Win_wait` returns an error code.
    pub fn complete_wait(&self) -> Result<(), MpiError> {
        // SAFETY: the window was made above.
        unsafe {
            done("MPI_Win_complete", (self.calls.Win_complete)(self.handle))?;
            done("MPI_Win_wait", (self.calls.Win_wait)(self.handle))
        }
    }

    /// A shared lock of the target's memory.
    ///
    /// # Errors
    ///
    /// If `MPI_Win_lock` returns an error code.
    pub fn lock(&self) -> Result<(), MpiError> {
        // SAFETY: the window was made above.
        done("MPI_Win_lock", unsafe { (self.calls.Win_lock)(self.shared_lock, self.target, 0, self.handle) })
    }

    /// Ends the lock of the target's memory.
    ///
    /// # Errors
    ///
    /// If `MPI_Win_unlock` returns an error code.
    pub fn unlock(&self) -> Result<(), MpiError> {
        // SAFETY: the window was made above.
        done("MPI_Win_unlock", unsafe { (self.calls.Win_unlock)(self.target, self.handle) })
    }

    /// Locks the memory of all ranks, shared.
    ///
    /// # Errors
    ///
    /// If `MPI_Win_lock_all` returns an error code.
    pub fn lock_all(&self) -> Result<(), MpiError> {
        // SAFETY: the window was made above.
        done("MPI_Win_lock_all", unsafe { (self.calls.Win_lock_all)(0, self.handle) })
    }

    /// Ends [`Rma::lock_all`].
    ///
    /// # Errors
    ///
    /// If `MPI_Win_unlock_all` returns an error code.
    pub fn unlock_all(&self) -> Result<(), MpiError> {
        // SAFETY: the window was made above.
        done("MPI_Win_unlock_all", unsafe { (self.calls.Win_unlock_all)(self.handle) })
    }

    /// Completes the operations with the target.
    ///
    /// # Errors
    ///
    /// If `MPI_Win_flush` returns an error code.
    pub fn flush(&self) -> Result<(), MpiError> {
        // SAFETY: the window was made above.
        done("MPI_Win_flush", unsafe { (self.calls.Win_flush)(self.target, self.handle) })
    }

    /// Puts bytes into the target's memory.
    ///
    /// # Errors
    ///
    /// If `MPI_Put` returns an error code.
    ///
    /// # Safety
    /// The buffer is readable and unchanged until the operation is complete.
    ///
    /// # Panics
    /// If the place is outside of the window; so do all functions below.
    pub unsafe fn put(&self, from: *const u8, bytes: usize, at: usize) -> Result<(), MpiError> {
        let (count, byte, at) = (bytes as i32, self.mpi.constants.byte, self.place(at, bytes));
        // SAFETY: the caller's; the place is within the target's memory.
        let code = unsafe { (self.calls.Put)(from, count, byte, self.target, at, count, byte, self.handle) };
        done("MPI_Put", code)
    }

    /// Gets bytes of the target's memory.
    ///
    /// # Errors
    ///
    /// If `MPI_Get` returns an error code.
    ///
    /// # Safety
    /// The buffer is writable and not accessed until the operation is complete.
    pub unsafe fn get(&self, into: *mut u8, bytes: usize, at: usize) -> Result<(), MpiError> {
        let (count, byte, at) = (bytes as i32, self.mpi.constants.byte, self.place(at, bytes));
        // SAFETY: as for `put`.
        let code = unsafe { (self.calls.Get)(into, count, byte, self.target, at, count, byte, self.handle) };
        done("MPI_Get", code)
    }

    /// Adds so many bytes of [`i64`] to those of the target.
    ///
    /// # Errors
    ///
    /// If `MPI_Accumulate` returns an error code.
    ///
    /// # Safety
    /// As for [`Rma::put`].
    pub unsafe fn accumulate(&self, from: *const u8, bytes: usize, at: usize) -> Result<(), MpiError> {
        let (count, int, at) = ((bytes / 8) as i32, self.int, self.place(at, bytes));
        // SAFETY: as for `put`.
        let code =
            unsafe { (self.calls.Accumulate)(from, count, int, self.target, at, count, int, self.sum, self.handle) };
        done("MPI_Accumulate", code)
    }

    /// Adds an [`i64`] to one of the target, and fetches what was there before.
    ///
    /// # Errors
    ///
    /// If `MPI_Fetch_and_op` returns an error code.
    ///
    /// # Safety
    /// As for [`Rma::put`] and [`Rma::get`].
    pub unsafe fn fetch_and_add(&self, from: *const u8, into: *mut u8, at: usize) -> Result<(), MpiError> {
        let at = self.place(at, 8);
        // SAFETY: as for `put`.
        let code = unsafe { (self.calls.Fetch_and_op)(from, into, self.int, self.target, at, self.sum, self.handle) };
        done("MPI_Fetch_and_op", code)
    }

    /// Replaces an [`i64`] of the target if it is that of `compare`, and fetches what was there before.
    ///
    /// # Errors
    ///
    /// If `MPI_Compare_and_swap` returns an error code.
    ///
    /// # Safety
    /// As for [`Rma::put`] and [`Rma::get`].
    pub unsafe fn compare_and_swap(
        &self,
        from: *const u8,
        compare: *const u8,
        into: *mut u8,
        at: usize,
    ) -> Result<(), MpiError> {
        let at = self.place(at, 8);
        // SAFETY: as for `put`.
        let code =
            unsafe { (self.calls.Compare_and_swap)(from, compare, into, self.int, self.target, at, self.handle) };
        done("MPI_Compare_and_swap", code)
    }

    fn place(&self, at: usize, bytes: usize) -> isize {
        assert!(at + bytes <= self.bytes, "a place is outside of the window");
        at as isize
    }
}
