//! One-sided communication. Looked up when it is needed: an MPI without it can be used for everything else.

use mpiscope_abi::Family;
use mpiscope_abi::predefined::{DATATYPES, OPS};

use crate::calls::calls;
use crate::{Comm, Mpi, MpiError, Rank, done, symbol};

calls! {
    RmaCalls;
    Win_create(base: *mut u8, bytes: isize, unit: i32, info: usize, comm: usize, window: *mut usize);
    Win_allocate(bytes: isize, unit: i32, info: usize, comm: usize, base: *mut *mut u8, window: *mut usize);
    Win_allocate_shared(bytes: isize, unit: i32, info: usize, comm: usize, base: *mut *mut u8, window: *mut usize);
    Win_create_dynamic(info: usize, comm: usize, window: *mut usize);
    Win_attach(window: usize, base: *mut u8, bytes: isize);
    Win_shared_query(window: usize, rank: i32, bytes: *mut isize, unit: *mut i32, base: *mut *mut u8);
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
    Win_flush_all(window: usize);
    Win_sync(window: usize);
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

/// Where the memory of a window comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Memory {
    /// This process: `MPI_Win_create`.
    Create,
    /// The MPI: `MPI_Win_allocate`.
    Allocate,
    /// The MPI, shared by processes of a host: `MPI_Win_allocate_shared`.
    Shared,
    /// This process, attached to a window that was made without memory: `MPI_Win_create_dynamic`, `MPI_Win_attach`.
    Dynamic,
}

/// A window over a communicator, with the same number of bytes on each rank. It has to be freed by all ranks; nothing frees it by itself.
///
/// Operations use [`i64`] or bytes. Buffers of an operation must not be accessed before the synchronisation that completes it; so functions
/// that start one take addresses.
pub struct Rma<'a> {
    mpi: &'a Mpi,
    comm: Comm<'a>,
    rank: Rank,
    calls: RmaCalls,
    handle: usize,
    base: *mut u8,
    bytes: usize,
    /// The memory of a window that did not allocate it.
    _memory: Vec<u64>,
    /// Where the memory of each rank begins, if places are addresses.
    bases: Option<Vec<isize>>,
    int: usize,
    sum: usize,
    shared_lock: i32,
    no_succeed: i32,
}

/// Ranks that access a window, or whose memory is accessed. It has to be freed by [`Rma::free_group`].
pub struct Group(usize);

impl Mpi {
    /// Makes a window; collective. An MPI that lacks one of the functions returns [`MpiError::Lacks`] on every rank.
    ///
    /// # Errors
    ///
    /// [`MpiError::Lacks`] if the MPI lacks one of the functions, `MPI_INT64_T` or `MPI_SUM`; if the function that makes the window or
    /// `MPI_Comm_rank` returns an error code.
    pub fn rma<'a>(&'a self, comm: Comm<'a>, memory: Memory, bytes: usize) -> Result<Rma<'a>, MpiError> {
        let find = |name: &str| symbol(libc::RTLD_DEFAULT, name);
        let calls = RmaCalls::find(find).map_err(|name| MpiError::Lacks { name })?;
        let (int, sum) = (self.predefined(&DATATYPES, "MPI_INT64_T")?, self.predefined(&OPS, "MPI_SUM")?);
        let (info, of, room) = (self.info_null(), comm.handle(), bytes as isize);
        let is_own = matches!(memory, Memory::Create | Memory::Dynamic);
        let mut own = vec![0u64; if is_own { bytes.div_ceil(8) } else { 0 }];
        let (mut handle, mut base) = (0, own.as_mut_ptr().cast());
        // SAFETY: the memory lives as long as the window; the addresses are writable.
        unsafe {
            match memory {
                Memory::Create => done("MPI_Win_create", (calls.Win_create)(base, room, 1, info, of, &mut handle))?,
                Memory::Allocate => {
                    done("MPI_Win_allocate", (calls.Win_allocate)(room, 1, info, of, &mut base, &mut handle))?;
                }
                Memory::Shared => {
                    let code = (calls.Win_allocate_shared)(room, 1, info, of, &mut base, &mut handle);
                    done("MPI_Win_allocate_shared", code)?;
                }
                Memory::Dynamic => {
                    done("MPI_Win_create_dynamic", (calls.Win_create_dynamic)(info, of, &mut handle))?;
                    done("MPI_Win_attach", (calls.Win_attach)(handle, base, room))?;
                }
            }
        }
        // `MPI_LOCK_SHARED` and `MPI_MODE_NOSUCCEED` of mpi.h of MPICH and of Open MPI; MPI-5.0 §20.3.
        let (shared_lock, no_succeed) = match self.constants.family {
            Family::Mpich => (235, 16384),
            Family::OpenMpi => (2, 16),
            Family::Standard => (302, 16384),
        };
        let rank = comm.rank()?;
        let bases = (memory == Memory::Dynamic).then(|| bases(comm, rank, base)).transpose()?;
        Ok(Rma {
            mpi: self,
            comm,
            rank,
            calls,
            handle,
            base,
            bytes,
            _memory: own,
            bases,
            int,
            sum,
            shared_lock,
            no_succeed,
        })
    }
}

/// Where the memory of each rank begins; collective. An address is the displacement, MPI-5.0 §12.2.5.
fn bases(comm: Comm, rank: Rank, own: *const u8) -> Result<Vec<isize>, MpiError> {
    let of_root = |root: Rank| {
        let mut bytes = if root == rank { own as isize } else { 0 }.to_ne_bytes();
        comm.bcast(&mut bytes, root)?;
        Ok(isize::from_ne_bytes(bytes))
    };
    (0..comm.size()?).map(of_root).collect()
}

impl Rma<'_> {
    /// Frees the window; collective.
    ///
    /// # Errors
    ///
    /// If `MPI_Win_free` returns an error code.
    pub fn free(mut self) -> Result<(), MpiError> {
        // SAFETY: it was made above.
        done("MPI_Win_free", unsafe { (self.calls.Win_free)(&mut self.handle) })
    }

    /// A group of distinct ranks of the communicator.
    ///
    /// # Errors
    ///
    /// If `MPI_Comm_group`, `MPI_Group_incl` or `MPI_Group_free` returns an error code.
    pub fn group(&self, ranks: &[Rank]) -> Result<Group, MpiError> {
        let (mut all, mut some) = (0, 0);
        // SAFETY: the addresses are writable, the array has that many elements.
        unsafe {
            done("MPI_Comm_group", (self.calls.Comm_group)(self.comm.handle(), &mut all))?;
            let code = (self.calls.Group_incl)(all, ranks.len() as i32, ranks.as_ptr(), &mut some);
            done("MPI_Group_incl", code)?;
            done("MPI_Group_free", (self.calls.Group_free)(&mut all))?;
        }
        Ok(Group(some))
    }

    /// Frees a group of [`Rma::group`].
    ///
    /// # Errors
    ///
    /// If `MPI_Group_free` returns an error code.
    pub fn free_group(&self, mut group: Group) -> Result<(), MpiError> {
        // SAFETY: it was made above.
        done("MPI_Group_free", unsafe { (self.calls.Group_free)(&mut group.0) })
    }

    /// Where the memory of another rank begins in this process, if the window is of [`Memory::Shared`].
    ///
    /// # Errors
    ///
    /// If `MPI_Win_shared_query` returns an error code.
    pub fn memory_of(&self, rank: Rank) -> Result<*const u8, MpiError> {
        let (mut bytes, mut unit, mut base) = (0, 0, std::ptr::null_mut());
        // SAFETY: the addresses are writable.
        let code = unsafe { (self.calls.Win_shared_query)(self.handle, rank, &mut bytes, &mut unit, &mut base) };
        done("MPI_Win_shared_query", code)?;
        Ok(base)
    }

    /// Copies bytes to this rank's memory of the window, as an access under a lock.
    ///
    /// # Errors
    ///
    /// If `MPI_Win_lock` or `MPI_Win_unlock` returns an error code.
    ///
    /// # Panics
    /// If there is no room for them.
    pub fn store(&self, from: &[u8], at: usize) -> Result<(), MpiError> {
        self.check(at, from.len());
        // SAFETY: within the memory, while this rank has it locked.
        self.locked(|base| unsafe { std::ptr::copy_nonoverlapping(from.as_ptr(), base.add(at), from.len()) })
    }

    /// Copies bytes of this rank's memory of the window, as an access under a lock.
    ///
    /// # Errors
    ///
    /// If `MPI_Win_lock` or `MPI_Win_unlock` returns an error code.
    ///
    /// # Panics
    /// If there are fewer.
    pub fn load(&self, into: &mut [u8], at: usize) -> Result<(), MpiError> {
        self.check(at, into.len());
        // SAFETY: within the memory, while this rank has it locked.
        self.locked(|base| unsafe { std::ptr::copy_nonoverlapping(base.add(at), into.as_mut_ptr(), into.len()) })
    }

    fn locked(&self, access: impl FnOnce(*mut u8)) -> Result<(), MpiError> {
        self.lock(self.rank)?;
        access(self.base);
        self.unlock(self.rank)
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

    /// Exposes the memory to some ranks, and begins to access that of others.
    ///
    /// # Errors
    ///
    /// If `MPI_Win_post` or `MPI_Win_start` returns an error code.
    pub fn post_start(&self, exposed_to: &Group, accessed: &Group) -> Result<(), MpiError> {
        // SAFETY: the window and the groups were made above.
        unsafe {
            done("MPI_Win_post", (self.calls.Win_post)(exposed_to.0, 0, self.handle))?;
            done("MPI_Win_start", (self.calls.Win_start)(accessed.0, 0, self.handle))
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

    /// A shared lock of a rank's memory.
    ///
    /// # Errors
    ///
    /// If `MPI_Win_lock` returns an error code.
    pub fn lock(&self, rank: Rank) -> Result<(), MpiError> {
        // SAFETY: the window was made above.
        done("MPI_Win_lock", unsafe { (self.calls.Win_lock)(self.shared_lock, rank, 0, self.handle) })
    }

    /// Ends the lock of a rank's memory.
    ///
    /// # Errors
    ///
    /// If `MPI_Win_unlock` returns an error code.
    pub fn unlock(&self, rank: Rank) -> Result<(), MpiError> {
        // SAFETY: the window was made above.
        done("MPI_Win_unlock", unsafe { (self.calls.Win_unlock)(rank, self.handle) })
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

    /// Completes the operations with a rank.
    ///
    /// # Errors
    ///
    /// If `MPI_Win_flush` returns an error code.
    pub fn flush(&self, rank: Rank) -> Result<(), MpiError> {
        // SAFETY: the window was made above.
        done("MPI_Win_flush", unsafe { (self.calls.Win_flush)(rank, self.handle) })
    }

    /// Completes the operations with all ranks.
    ///
    /// # Errors
    ///
    /// If `MPI_Win_flush_all` returns an error code.
    pub fn flush_all(&self) -> Result<(), MpiError> {
        // SAFETY: the window was made above.
        done("MPI_Win_flush_all", unsafe { (self.calls.Win_flush_all)(self.handle) })
    }

    /// Orders loads and stores of this process and accesses of others, under [`Rma::lock_all`].
    ///
    /// # Errors
    ///
    /// If `MPI_Win_sync` returns an error code.
    pub fn sync(&self) -> Result<(), MpiError> {
        // SAFETY: the window was made above.
        done("MPI_Win_sync", unsafe { (self.calls.Win_sync)(self.handle) })
    }

    /// Puts bytes into a rank's memory.
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
    pub unsafe fn put(&self, from: *const u8, bytes: usize, (rank, at): (Rank, usize)) -> Result<(), MpiError> {
        let (count, byte, at) = (bytes as i32, self.mpi.constants.byte, self.place(rank, at, bytes));
        // SAFETY: the caller's; the place is within the target's memory.
        let code = unsafe { (self.calls.Put)(from, count, byte, rank, at, count, byte, self.handle) };
        done("MPI_Put", code)
    }

    /// Gets bytes of a rank's memory.
    ///
    /// # Errors
    ///
    /// If `MPI_Get` returns an error code.
    ///
    /// # Safety
    /// The buffer is writable and not accessed until the operation is complete.
    pub unsafe fn get(&self, into: *mut u8, bytes: usize, (rank, at): (Rank, usize)) -> Result<(), MpiError> {
        let (count, byte, at) = (bytes as i32, self.mpi.constants.byte, self.place(rank, at, bytes));
        // SAFETY: as for `put`.
        let code = unsafe { (self.calls.Get)(into, count, byte, rank, at, count, byte, self.handle) };
        done("MPI_Get", code)
    }

    /// Adds so many bytes of [`i64`] to those of a rank.
    ///
    /// # Errors
    ///
    /// If `MPI_Accumulate` returns an error code.
    ///
    /// # Safety
    /// As for [`Rma::put`].
    pub unsafe fn accumulate(&self, from: *const u8, bytes: usize, (rank, at): (Rank, usize)) -> Result<(), MpiError> {
        let (count, int, at) = ((bytes / 8) as i32, self.int, self.place(rank, at, bytes));
        // SAFETY: as for `put`.
        let code = unsafe { (self.calls.Accumulate)(from, count, int, rank, at, count, int, self.sum, self.handle) };
        done("MPI_Accumulate", code)
    }

    /// Adds an [`i64`] to one of a rank, and fetches what was there before.
    ///
    /// # Errors
    ///
    /// If `MPI_Fetch_and_op` returns an error code.
    ///
    /// # Safety
    /// As for [`Rma::put`] and [`Rma::get`].
    pub unsafe fn fetch_and_add(
        &self,
        from: *const u8,
        into: *mut u8,
        (rank, at): (Rank, usize),
    ) -> Result<(), MpiError> {
        let at = self.place(rank, at, 8);
        // SAFETY: as for `put`.
        let code = unsafe { (self.calls.Fetch_and_op)(from, into, self.int, rank, at, self.sum, self.handle) };
        done("MPI_Fetch_and_op", code)
    }

    /// Replaces an [`i64`] of a rank if it is that of `compare`, and fetches what was there before.
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
        (rank, at): (Rank, usize),
    ) -> Result<(), MpiError> {
        let at = self.place(rank, at, 8);
        // SAFETY: as for `put`.
        let code = unsafe { (self.calls.Compare_and_swap)(from, compare, into, self.int, rank, at, self.handle) };
        done("MPI_Compare_and_swap", code)
    }

    fn check(&self, at: usize, bytes: usize) {
        assert!(at + bytes <= self.bytes, "a place is outside of the window");
    }

    /// The displacement of a place in a rank's memory.
    fn place(&self, rank: Rank, at: usize, bytes: usize) -> isize {
        self.check(at, bytes);
        self.bases.as_ref().map_or(0, |bases| bases[rank as usize]) + at as isize
    }
}
