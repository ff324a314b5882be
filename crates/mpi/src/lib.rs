//! Opens an MPI library at run time and calls it, so that one executable uses every MPI without a compiler.
//!
//! # Design constraints
//!
//! - No `mpi.h`: handles are machine words, constants come from the tables of `abi`. MPICH's handles are 32-bit integers, of
//!   which a callee reads the low half of the register.
//! - Calls go to the symbol that the *process* has for a name, not to that of the library: a collector or another tool that is
//!   preloaded comes first, as for a program that is linked with the MPI.
//! - A call costs what a call through a pointer costs: addresses are looked up once.
//! - This crate prints nothing. By default an MPI ends the process at an error; functions return the code of those that do not.

mod calls;
mod collectives;
mod comm;
mod datatypes;
mod mpi4;
mod optional;
mod requests;
mod rma;
mod variables;

use std::ffi::{CStr, CString, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use mpiscope_abi::{Constants, Family};

use calls::Calls;
pub use collectives::{Collectives, Counts};
pub use comm::Comm;
pub use datatypes::{Datatypes, ELEMENT, Layout};
pub use mpi4::{Part, Partitioned};
pub use optional::{Window, Wtime};
pub use requests::{Persistent, Requests};
pub use rma::{Group, Memory, Rma};

/// Why an MPI cannot be used.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each message says when it occurs, and names its fields")]
pub enum MpiError {
    #[error("cannot load {}: {why}", path.display())]
    Load { path: PathBuf, why: String },
    #[error("{} is not an MPI library: it does not define {name}", path.display())]
    Missing { path: PathBuf, name: &'static str },
    #[error("this MPI has no {name}")]
    Lacks { name: &'static str },
    #[error("{name} returned the error code {code}")]
    Failed { name: &'static str, code: i32 },
    #[error("a message of {bytes} bytes is longer than a count of MPI_BYTE can express")]
    TooLong { bytes: usize },
}

/// An MPI that is mapped into this process. Its functions for messages use `MPI_COMM_WORLD`.
pub struct Mpi {
    constants: Constants,
    calls: Calls,
}

/// Which threads of a process may call MPI.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ThreadLevel {
    /// The process has one thread.
    Single,
    /// The one that has initialized MPI.
    Funneled,
    /// One at a time.
    Serialized,
    /// Several at once.
    Multiple,
}

impl ThreadLevel {
    /// In ascending order.
    pub const ALL: [ThreadLevel; 4] =
        [ThreadLevel::Single, ThreadLevel::Funneled, ThreadLevel::Serialized, ThreadLevel::Multiple];
}

/// A rank in `MPI_COMM_WORLD`.
pub type Rank = i32;
/// A message tag.
pub type Tag = i32;

impl Mpi {
    /// Maps the library into this process. MPI is not initialized by this.
    ///
    /// # Errors
    ///
    /// If the library cannot be loaded, or lacks a function of MPI.
    pub fn open(path: &Path) -> Result<Mpi, MpiError> {
        let load = |why: String| MpiError::Load { path: path.into(), why };
        let name =
            CString::new(path.as_os_str().as_bytes()).map_err(|_| load("its path contains a zero byte".into()))?;
        // Global, as Open MPI 4's plugins look for its symbols in the global scope, and so that RTLD_DEFAULT finds the library
        // after what is preloaded.
        // SAFETY: the name ends in zero; an MPI's constructors run, which is what the caller wants.
        let handle = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_GLOBAL) };
        if handle.is_null() {
            return Err(load(loader_error()));
        }
        let in_library = |name: &str| symbol(handle, name);
        let missing = |name| MpiError::Missing { path: path.into(), name };
        if in_library("PMPI_Init").is_none() {
            return Err(missing("PMPI_Init"));
        }
        let family = Family::of(is_standard(&in_library), |name| in_library(name).is_some());
        let constants = Constants::of(family, |name| in_library(name).unwrap_or(0));
        let calls =
            Calls::find(|name| symbol(libc::RTLD_DEFAULT, name).or_else(|| in_library(name))).map_err(missing)?;
        Ok(Mpi { constants, calls })
    }

    /// `MPI_Init_thread` with this level of threads; the level that this MPI provides.
    ///
    /// # Errors
    ///
    /// If `MPI_Init_thread` returns an error code.
    pub fn init(&self, required: ThreadLevel) -> Result<ThreadLevel, MpiError> {
        let levels = self.constants.thread_levels;
        let mut provided = 0;
        // SAFETY: null arguments are allowed since MPI-2.
        let code = unsafe {
            let null = std::ptr::null_mut();
            (self.calls.Init_thread)(null, std::ptr::null_mut(), levels[required as usize], &mut provided)
        };
        done("MPI_Init_thread", code)?;
        // Levels ascend. What is not known is less than the next level.
        let known = ThreadLevel::ALL.into_iter().rev().find(|&level| levels[level as usize] <= provided);
        Ok(known.unwrap_or(ThreadLevel::Single))
    }

    /// Ends MPI in this process; collective.
    ///
    /// # Errors
    ///
    /// If `MPI_Finalize` returns an error code.
    pub fn finalize(&self) -> Result<(), MpiError> {
        // SAFETY: no arguments.
        done("MPI_Finalize", unsafe { (self.calls.Finalize)() })
    }

    /// Ends the job by `MPI_Abort` with this exit code.
    pub fn abort(&self, code: i32) {
        // SAFETY: the handle is of the library.
        unsafe { (self.calls.Abort)(self.constants.comm_world, code) };
    }

    /// `MPI_COMM_WORLD`.
    #[inline]
    pub fn world(&self) -> Comm<'_> {
        Comm::new(self, self.constants.comm_world)
    }

    /// Rank of this process in `MPI_COMM_WORLD`.
    ///
    /// # Errors
    ///
    /// If `MPI_Comm_rank` returns an error code.
    pub fn rank(&self) -> Result<Rank, MpiError> {
        self.world().rank()
    }

    /// Number of ranks in `MPI_COMM_WORLD`.
    ///
    /// # Errors
    ///
    /// If `MPI_Comm_size` returns an error code.
    pub fn size(&self) -> Result<i32, MpiError> {
        self.world().size()
    }

    /// The first line of `MPI_Get_library_version`.
    ///
    /// # Errors
    ///
    /// If `MPI_Get_library_version` returns an error code.
    pub fn version(&self) -> Result<String, MpiError> {
        // The longest MPI_MAX_LIBRARY_VERSION_STRING is MPICH's and the standard ABI's, 8192.
        let mut text = vec![0u8; 8193];
        let mut length = 0;
        // SAFETY: the buffer is as long as any MPI writes.
        let code = unsafe { (self.calls.Get_library_version)(text.as_mut_ptr(), &mut length) };
        done("MPI_Get_library_version", code)?;
        let end = text.iter().position(|&byte| byte == 0).unwrap_or(0);
        let text = String::from_utf8_lossy(&text[..end]);
        Ok(text.lines().next().unwrap_or("").trim().replace('\t', " "))
    }

    /// [`Comm::send`] on `MPI_COMM_WORLD`.
    ///
    /// # Errors
    ///
    /// If `MPI_Send` returns an error code, or a buffer is longer than 2³¹ − 1 bytes.
    #[inline]
    pub fn send(&self, buffer: &[u8], to: Rank, tag: Tag) -> Result<(), MpiError> {
        self.world().send(buffer, to, tag)
    }

    /// [`Comm::recv`] on `MPI_COMM_WORLD`.
    ///
    /// # Errors
    ///
    /// If `MPI_Recv` returns an error code, or a buffer is longer than 2³¹ − 1 bytes.
    #[inline]
    pub fn recv(&self, buffer: &mut [u8], from: Rank, tag: Tag) -> Result<(), MpiError> {
        self.world().recv(buffer, from, tag)
    }

    /// Sends to `peer` and receives from it at once, on `MPI_COMM_WORLD`.
    ///
    /// # Errors
    ///
    /// If `MPI_Sendrecv` returns an error code, or a buffer is longer than 2³¹ − 1 bytes.
    #[inline]
    pub fn sendrecv(&self, out: &[u8], into: &mut [u8], peer: Rank, tag: Tag) -> Result<(), MpiError> {
        self.world().sendrecv(out, Some(peer), into, Some(peer), tag)
    }

    /// Waits until all requests are complete, and removes them from the list.
    ///
    /// # Errors
    ///
    /// If `MPI_Waitall` returns an error code.
    pub fn waitall(&self, requests: &mut Requests) -> Result<(), MpiError> {
        let count = requests.count() as i32;
        let ignore = self.constants.statuses_ignore;
        // SAFETY: the array has that many requests.
        let code = unsafe { (self.calls.Waitall)(count, requests.first(), ignore) };
        requests.clear();
        done("MPI_Waitall", code)
    }

    /// Starts persistent requests and waits for them.
    ///
    /// # Errors
    ///
    /// If `MPI_Startall` or `MPI_Waitall` returns an error code.
    pub fn run(&self, requests: &mut Persistent) -> Result<(), MpiError> {
        self.start(requests)?;
        self.wait(requests)
    }

    fn start(&self, requests: &mut Persistent) -> Result<(), MpiError> {
        let (count, first) = (requests.0.count() as i32, requests.0.first());
        // SAFETY: the array has that many requests, none of which is active.
        done("MPI_Startall", unsafe { (self.calls.Startall)(count, first) })
    }

    fn wait(&self, requests: &mut Persistent) -> Result<(), MpiError> {
        let (count, first) = (requests.0.count() as i32, requests.0.first());
        // SAFETY: as above; a persistent request stays in its place.
        done("MPI_Waitall", unsafe { (self.calls.Waitall)(count, first, self.constants.statuses_ignore) })
    }

    /// Frees persistent requests.
    ///
    /// # Errors
    ///
    /// If `MPI_Request_free` returns an error code.
    pub fn free(&self, mut requests: Persistent) -> Result<(), MpiError> {
        for request in requests.all() {
            // SAFETY: an inactive request of this MPI.
            done("MPI_Request_free", unsafe { (self.calls.Request_free)(request) })?;
        }
        Ok(())
    }

    /// Whether the only request is complete; then it is removed.
    ///
    /// # Errors
    ///
    /// If `MPI_Test` returns an error code.
    pub fn test(&self, requests: &mut Requests) -> Result<bool, MpiError> {
        let mut flag = 0;
        // SAFETY: the array has a request.
        let code = unsafe { (self.calls.Test)(requests.first(), &mut flag, self.constants.status_ignore) };
        if flag != 0 {
            requests.clear();
        }
        done("MPI_Test", code).map(|()| flag != 0)
    }

    /// Whether one of the requests is complete. It stays in the list, as a null request, for which the answer is yes.
    ///
    /// # Errors
    ///
    /// If `MPI_Test` returns an error code.
    ///
    /// # Panics
    /// If there is no such request.
    pub fn test_at(&self, requests: &mut Requests, at: usize) -> Result<bool, MpiError> {
        let mut flag = 0;
        // SAFETY: a request of the array.
        let code = unsafe { (self.calls.Test)(requests.at(at), &mut flag, self.constants.status_ignore) };
        done("MPI_Test", code).map(|()| flag != 0)
    }

    /// Whether all requests are complete; then they are removed.
    ///
    /// # Errors
    ///
    /// If `MPI_Testall` returns an error code.
    pub fn testall(&self, requests: &mut Requests) -> Result<bool, MpiError> {
        let (count, ignore, mut flag) = (requests.count() as i32, self.constants.statuses_ignore, 0);
        // SAFETY: the array has that many requests.
        let code = unsafe { (self.calls.Testall)(count, requests.first(), &mut flag, ignore) };
        if flag != 0 {
            requests.clear();
        }
        done("MPI_Testall", code).map(|()| flag != 0)
    }

    /// Waits until all ranks of `MPI_COMM_WORLD` have called it.
    ///
    /// # Errors
    ///
    /// If `MPI_Barrier` returns an error code.
    pub fn barrier(&self) -> Result<(), MpiError> {
        self.world().barrier()
    }

    /// The rank from which a message with this tag has arrived; `None` if there is no such message yet.
    ///
    /// # Errors
    ///
    /// If `MPI_Iprobe` returns an error code.
    pub fn arrived(&self, tag: Tag) -> Result<Option<Rank>, MpiError> {
        let mut flag = 0;
        // Room for a status of any family, aligned.
        let mut status = [0u64; 8];
        let any = self.constants.any_source;
        // SAFETY: the status is longer than that of any family.
        let code = unsafe {
            (self.calls.Iprobe)(
                any,
                tag,
                self.constants.comm_world,
                &mut flag,
                status.as_mut_ptr().cast::<c_void>() as usize,
            )
        };
        done("MPI_Iprobe", code)?;
        let at = self.constants.status.source / 4;
        let source = (status[at / 2] >> (32 * (at % 2))) as u32 as i32;
        Ok((flag != 0).then_some(source))
    }

    /// The first of these functions that this MPI lacks.
    pub fn missing(&self, functions: &[&'static str]) -> Option<&'static str> {
        functions.iter().copied().find(|name| symbol(libc::RTLD_DEFAULT, name).is_none())
    }

    /// A list with room for `room` persistent requests of this MPI.
    pub fn persistent(&self, room: usize) -> Persistent {
        Persistent(self.requests(room))
    }

    /// A list with room for `room` requests of this MPI.
    pub fn requests(&self, room: usize) -> Requests {
        Requests::new(room, self.constants.int_handles)
    }
}

#[inline]
fn done(name: &'static str, code: i32) -> Result<(), MpiError> {
    if code == 0 { Ok(()) } else { failed(name, code) }
}

#[cold]
fn failed(name: &'static str, code: i32) -> Result<(), MpiError> {
    Err(MpiError::Failed { name, code })
}

fn symbol(handle: *mut c_void, name: &str) -> Option<usize> {
    let name = CString::new(name).ok()?;
    // SAFETY: the handle is the loader's, the name ends in zero.
    let found = unsafe { libc::dlsym(handle, name.as_ptr()) };
    (!found.is_null()).then_some(found as usize)
}

fn is_standard(in_library: &impl Fn(&str) -> Option<usize>) -> bool {
    let Some(address) = in_library("PMPI_Abi_get_version") else { return false };
    // SAFETY: int MPI_Abi_get_version(int *major, int *minor), callable at any time (MPI-5.0 §20.2). A library that is not of
    // the standard ABI returns −1.
    unsafe {
        let call: extern "C" fn(*mut i32, *mut i32) -> i32 = std::mem::transmute(address);
        let (mut major, mut minor) = (-1, -1);
        call(&mut major, &mut minor) == 0 && major >= 1
    }
}

fn loader_error() -> String {
    // SAFETY: the loader's text, valid until its next error.
    let text = unsafe { libc::dlerror() };
    if text.is_null() {
        return "unknown error of the dynamic loader".into();
    }
    // SAFETY: as above.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_mpi_is_refused() {
        let missing = Mpi::open(Path::new("/nonexistent/libmpi.so")).err().unwrap().to_string();
        assert!(missing.starts_with("cannot load /nonexistent/libmpi.so: "), "{missing}");
        let other = Mpi::open(Path::new("libc.so.6")).err().unwrap().to_string();
        assert_eq!(other, "libc.so.6 is not an MPI library: it does not define PMPI_Init");
    }
}
