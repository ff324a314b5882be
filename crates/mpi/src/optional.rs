//! Calls that only some experiments make. They are looked up when they are needed: an MPI without them can be used for
//! everything else.

use std::ffi::{c_int, c_void};
use std::mem::ManuallyDrop;

use mpiscope_abi::Family;

use crate::{Comm, Mpi, MpiError, done, symbol};

/// `MPI_Wtime` of this process.
#[derive(Clone, Copy)]
pub struct Wtime(unsafe extern "C" fn() -> f64);

impl Wtime {
    /// Seconds since some moment.
    pub fn now(self) -> f64 {
        // SAFETY: no arguments.
        unsafe { (self.0)() }
    }
}

/// A window that this process has created, and its memory.
pub struct Window {
    handle: u64,
    /// Others may access it until the window is freed: it is not released before.
    memory: ManuallyDrop<Vec<u8>>,
}

/// What differs between the families, and only these calls need.
struct Names {
    /// `MPI_WTIME_IS_GLOBAL`.
    wtime_is_global: c_int,
    /// `MPI_INFO_NULL`.
    info_null: usize,
    /// `MPI_ERRORS_ARE_FATAL`, which is the one at first, and `MPI_ERRORS_RETURN`.
    error_handlers: [usize; 2],
}

impl Mpi {
    /// Looks up `MPI_Wtime`.
    ///
    /// # Errors
    ///
    /// [`MpiError::Lacks`] if the MPI has no such function.
    pub fn wtime(&self) -> Result<Wtime, MpiError> {
        // SAFETY: double MPI_Wtime(void)
        Ok(Wtime(unsafe { find("MPI_Wtime")? }))
    }

    /// `MPI_Wtick`: what the MPI says about the resolution of `MPI_Wtime`, s.
    ///
    /// # Errors
    ///
    /// [`MpiError::Lacks`] if the MPI has no such function.
    pub fn wtick(&self) -> Result<f64, MpiError> {
        // SAFETY: double MPI_Wtick(void)
        unsafe {
            let call: unsafe extern "C" fn() -> f64 = find("MPI_Wtick")?;
            Ok(call())
        }
    }

    /// Whether `MPI_Wtime` has the same origin in all processes, according to the attribute `MPI_WTIME_IS_GLOBAL`; `None` if the
    /// attribute is not set.
    ///
    /// # Errors
    ///
    /// If the MPI has no `MPI_Comm_get_attr`, or it returns an error code.
    pub fn wtime_is_global(&self) -> Result<Option<bool>, MpiError> {
        type Call = unsafe extern "C" fn(usize, c_int, *mut c_void, *mut c_int) -> c_int;
        let key = self.names().wtime_is_global;
        let (mut value, mut flag): (*const c_int, c_int) = (std::ptr::null(), 0);
        // SAFETY: an attribute that the MPI itself defines is the address of an int.
        unsafe {
            let call: Call = find("MPI_Comm_get_attr")?;
            let code = call(self.constants.comm_world, key, (&raw mut value).cast(), &mut flag);
            done("MPI_Comm_get_attr", code)?;
            Ok((flag != 0 && !value.is_null()).then(|| *value != 0))
        }
    }

    /// Whether this MPI has one-sided communication.
    pub fn has_windows(&self) -> bool {
        symbol(libc::RTLD_DEFAULT, "MPI_Win_create").is_some()
    }

    /// `MPI_Win_create` over a communicator with this memory; collective.
    ///
    /// # Errors
    ///
    /// If the MPI has no `MPI_Win_create`, or it returns an error code.
    pub fn window(&self, comm: Comm<'_>, mut memory: Vec<u8>) -> Result<Window, MpiError> {
        type Call = unsafe extern "C" fn(*mut u8, isize, c_int, usize, usize, *mut u64) -> c_int;
        let info = self.info_null();
        let mut handle = 0u64;
        // SAFETY: int MPI_Win_create(void *, MPI_Aint, int, MPI_Info, MPI_Comm, MPI_Win *). The memory stays where it is and is
        // not accessed while the window exists.
        unsafe {
            let call: Call = find("MPI_Win_create")?;
            let (start, bytes) = (memory.as_mut_ptr(), memory.len() as isize);
            done("MPI_Win_create", call(start, bytes, 1, info, comm.handle(), &mut handle))?;
        }
        Ok(Window { handle, memory: ManuallyDrop::new(memory) })
    }

    /// The same, where an error does not end the job but is returned.
    ///
    /// # Errors
    ///
    /// If the MPI lacks a function, or one returns an error code.
    pub fn try_window(&self, comm: Comm<'_>, memory: Vec<u8>) -> Result<Window, MpiError> {
        let [fatal, returned] = self.names().error_handlers;
        self.handle_errors(comm, returned)?;
        let window = self.window(comm, memory);
        self.handle_errors(comm, fatal)?;
        window
    }

    fn handle_errors(&self, comm: Comm<'_>, handler: usize) -> Result<(), MpiError> {
        // SAFETY: int MPI_Comm_set_errhandler(MPI_Comm, MPI_Errhandler), with a predefined handler.
        unsafe {
            let call: unsafe extern "C" fn(usize, usize) -> c_int = find("MPI_Comm_set_errhandler")?;
            done("MPI_Comm_set_errhandler", call(comm.handle(), handler))
        }
    }

    /// `MPI_Win_free`; collective. Returns the memory.
    ///
    /// # Errors
    ///
    /// If the MPI has no `MPI_Win_free`, or it returns an error code.
    pub fn free_window(&self, window: Window) -> Result<Vec<u8>, MpiError> {
        let mut handle = window.handle;
        // SAFETY: int MPI_Win_free(MPI_Win *)
        unsafe {
            let call: unsafe extern "C" fn(*mut u64) -> c_int = find("MPI_Win_free")?;
            done("MPI_Win_free", call(&mut handle))?;
        }
        Ok(ManuallyDrop::into_inner(window.memory))
    }

    /// `MPI_INFO_NULL`.
    pub(crate) fn info_null(&self) -> usize {
        self.names().info_null
    }

    fn names(&self) -> Names {
        // mpi.h of MPICH and of Open MPI; MPI-5.0 §20.3.
        let address = |name: &str| symbol(libc::RTLD_DEFAULT, name).unwrap_or(0);
        match self.constants.family {
            Family::Mpich => Names {
                wtime_is_global: 0x6440_0007,
                info_null: 0x1c00_0000,
                error_handlers: [0x5400_0000, 0x5400_0001],
            },
            Family::OpenMpi => Names {
                wtime_is_global: 3,
                info_null: address("ompi_mpi_info_null"),
                error_handlers: [address("ompi_mpi_errors_are_fatal"), address("ompi_mpi_errors_return")],
            },
            Family::Standard => Names { wtime_is_global: 504, info_null: 0x130, error_handlers: [0x141, 0x143] },
        }
    }
}

/// The address of a function that the process has: the library is in the global scope.
///
/// # Safety
/// `F` is the type of the function's pointer.
unsafe fn find<F: Copy>(name: &'static str) -> Result<F, MpiError> {
    const { assert!(size_of::<F>() == size_of::<usize>()) };
    let address = symbol(libc::RTLD_DEFAULT, name).ok_or(MpiError::Lacks { name })?;
    // SAFETY: the caller's; a pointer to a function is as wide as an address.
    Ok(unsafe { std::mem::transmute_copy::<usize, F>(&address) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_process_does_not_have_is_an_error() {
        // SAFETY: not called.
        let missing = unsafe { find::<unsafe extern "C" fn() -> f64>("MPI_Wtime") };
        assert_eq!(missing.err().unwrap().to_string(), "this MPI has no MPI_Wtime");
        // SAFETY: int abs(int)
        let abs: unsafe extern "C" fn(c_int) -> c_int = unsafe { find("abs") }.unwrap();
        // SAFETY: as above.
        assert_eq!(unsafe { abs(-3) }, 3);
    }
}
