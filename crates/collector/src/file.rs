//! The rank file as memory.
//!
//! Space is reserved with `fallocate` before it is accessed: a store into a hole on a full file system would cause a SIGBUS in
//! the program. Without space the caller gets an error and loses records, but the program continues.

use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use mpiscope_trace::defs::{self, Definition};
use mpiscope_trace::layout::{DEFS_END, Header, MAGIC, PAGE, VERSION};

/// Step in which the definitions log is reserved.
const DEFS_STEP: u64 = 64 << 10;
/// So often a thread gives way to the one that extends the file: about a second.
const MOST_YIELDS: u32 = 1 << 20;

/// The open, mapped rank file of this process.
pub struct File {
    descriptor: i32,
    /// First page, mapped for good.
    pub header: *mut Header,
    length: AtomicU64,
    /// The thread that sets the length, 0 none.
    extending: AtomicU32,
    reserved_defs: AtomicU64,
}

// SAFETY: the header is written through atomics or under the process lock.
unsafe impl Send for File {}
unsafe impl Sync for File {}

/// A mapped part of the file.
#[derive(Clone, Copy)]
pub struct Region {
    /// Where it is mapped.
    pub at: *mut u8,
    /// Where it is in the file.
    pub offset: u64,
}

/// Descriptors of ours are at least so high, if there is room.
pub const HIGH: i32 = 512;

/// A high descriptor in place of a new one: programs close or reuse small ones they believe to know.
pub fn out_of_the_way(low: i32) -> i32 {
    // SAFETY: plain system calls; nobody else knows the descriptor.
    unsafe {
        let high = libc::fcntl(low, libc::F_DUPFD_CLOEXEC, HIGH);
        if high < 0 {
            return low;
        }
        libc::close(low);
        high
    }
}

impl File {
    /// Makes the file and maps header and definitions.
    pub fn create(path: &Path) -> Option<File> {
        let name = CString::new(path.as_os_str().as_bytes()).ok()?;
        // SAFETY: plain system calls; the descriptor is owned by the result.
        unsafe {
            let flags = libc::O_RDWR | libc::O_CREAT | libc::O_EXCL | libc::O_CLOEXEC | libc::O_NOFOLLOW;
            let low = libc::open(name.as_ptr(), flags, 0o600);
            if low < 0 {
                return None;
            }
            let descriptor = out_of_the_way(low);
            let file = File {
                descriptor,
                header: std::ptr::null_mut(),
                length: AtomicU64::new(DEFS_END),
                extending: AtomicU32::new(0),
                reserved_defs: AtomicU64::new(PAGE as u64),
            };
            if libc::ftruncate(descriptor, DEFS_END as i64) != 0 || !file.reserve(0, PAGE as u64) {
                libc::close(descriptor);
                libc::unlink(name.as_ptr());
                return None;
            }
            let header = file.map(0, DEFS_END)?.cast::<Header>();
            (*header).version = VERSION;
            (*header).header_bytes = size_of::<Header>() as u32;
            (*header).world_rank = -1;
            (*header).thread_level = -1;
            (*header).magic = MAGIC;
            Some(File { header, ..file })
        }
    }

    /// Adds `bytes` to the end of the file and maps them, without reserving space.
    pub fn extend(&self, bytes: u64) -> Option<Region> {
        let offset = self.in_turn(|| {
            let offset = self.length.load(Ordering::Relaxed);
            // SAFETY: system call on our descriptor.
            let done = unsafe { libc::ftruncate(self.descriptor, (offset + bytes) as i64) } == 0;
            self.length.store(offset + if done { bytes } else { 0 }, Ordering::Relaxed);
            done.then_some(offset)
        })?;
        Some(Region { at: self.map(offset, bytes)?, offset })
    }

    /// One thread after the other: of two that set the length at once, the one with the smaller end may come last, and would cut
    /// off what the other has mapped. No lock of the system's: who waits in vain loses records, and does not hang. That may be a
    /// signal handler over the very thread whose turn it is, or the only thread of a forked process.
    fn in_turn<T>(&self, work: impl FnOnce() -> Option<T>) -> Option<T> {
        // SAFETY: plain system call.
        let own = unsafe { libc::syscall(libc::SYS_gettid) } as u32;
        for _ in 0..MOST_YIELDS {
            match self.extending.compare_exchange(0, own, Ordering::Acquire, Ordering::Relaxed) {
                Ok(_) => {
                    let result = work();
                    self.extending.store(0, Ordering::Release);
                    return result;
                }
                Err(other) if other == own => return None,
                // SAFETY: as above.
                Err(_) => unsafe { libc::sched_yield() },
            };
        }
        None
    }

    /// Makes sure that `[offset, offset + bytes)` has space behind it. `false` when there is none.
    pub fn reserve(&self, offset: u64, bytes: u64) -> bool {
        // SAFETY: system calls on our descriptor.
        unsafe {
            loop {
                if libc::fallocate(self.descriptor, 0, offset as i64, bytes as i64) == 0 {
                    return true;
                }
                match *libc::__errno_location() {
                    libc::EINTR => continue,
                    // No fallocate here (NFS, some FUSE): writing is the reservation.
                    libc::EOPNOTSUPP | libc::ENOSYS => {
                        let zeros = [0u8; PAGE];
                        return (0..bytes.div_ceil(PAGE as u64)).all(|page| {
                            let at = offset + page * PAGE as u64;
                            libc::pwrite(self.descriptor, zeros.as_ptr().cast(), PAGE, at as i64) == PAGE as isize
                        });
                    }
                    _ => return false,
                }
            }
        }
    }

    fn map(&self, offset: u64, bytes: u64) -> Option<*mut u8> {
        // SAFETY: a fresh mapping of our file.
        let at = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                bytes as usize,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED,
                self.descriptor,
                offset as i64,
            )
        };
        (at != libc::MAP_FAILED).then_some(at.cast())
    }

    /// Appends a definition. Callers hold the process lock.
    pub fn define(&self, definition: &Definition) {
        let bytes = defs::encode(definition);
        // SAFETY: the header page is mapped and reserved; the log is written under the lock.
        unsafe {
            let length = (*self.header).defs_len;
            let begin = PAGE as u64 + length;
            let end = begin + bytes.len() as u64;
            if end > DEFS_END {
                (*self.header).defs_lost += 1;
                return;
            }
            let reserved = self.reserved_defs.load(Ordering::Relaxed);
            if end > reserved {
                let more = (end - reserved).next_multiple_of(DEFS_STEP).min(DEFS_END - reserved);
                if !self.reserve(reserved, more) {
                    (*self.header).defs_lost += 1;
                    return;
                }
                self.reserved_defs.store(reserved + more, Ordering::Relaxed);
            }
            let at = self.header.cast::<u8>().add(begin as usize);
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), at, bytes.len());
            AtomicU64::from_ptr(&raw mut (*self.header).defs_len).store(length + bytes.len() as u64, Ordering::Release);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;

    use super::*;

    #[test]
    fn who_is_interrupted_while_it_extends_loses_its_own_turn_only() {
        let path = std::env::temp_dir().join(format!("mpiscope-turn-{}.rank", std::process::id()));
        let file = File::create(&path).expect("room for a file");
        let within = file.in_turn(|| Some(file.extend(PAGE as u64).is_none()));
        assert_eq!(within, Some(true));
        assert!(file.extend(PAGE as u64).is_some_and(|region| region.offset == DEFS_END));
        // SAFETY: the descriptor is the file's own; mappings of a test may stay.
        unsafe { libc::close(file.descriptor) };
        std::fs::remove_file(&path).expect("the file");
    }

    #[test]
    fn threads_that_extend_at_once_keep_what_they_have() {
        const THREADS: u64 = 8;
        let path = std::env::temp_dir().join(format!("mpiscope-file-{}.rank", std::process::id()));
        for _ in 0..200 {
            let file = File::create(&path).expect("room for a file");
            let together = Barrier::new(THREADS as usize);
            std::thread::scope(|scope| {
                for thread in 1..=THREADS {
                    let (file, together) = (&file, &together);
                    scope.spawn(move || {
                        together.wait();
                        let region = file.extend(thread * PAGE as u64).expect("room for a region");
                        assert!(file.reserve(region.offset, thread * PAGE as u64));
                        for page in 0..thread as usize {
                            // SAFETY: mapped and reserved; a file that has shrunk is a SIGBUS.
                            unsafe { region.at.add(page * PAGE).write_volatile(thread as u8) };
                        }
                    });
                }
            });
            let bytes = std::fs::read(&path).expect("the file");
            let all = DEFS_END + (1..=THREADS).sum::<u64>() * PAGE as u64;
            assert_eq!(bytes.len() as u64, all);
            for thread in 1..=THREADS {
                let pages = bytes[DEFS_END as usize..].chunks(PAGE).filter(|page| u64::from(page[0]) == thread);
                assert_eq!(pages.count() as u64, thread);
            }
            // SAFETY: the descriptor is the file's own; mappings of a test may stay.
            unsafe { libc::close(file.descriptor) };
            std::fs::remove_file(&path).expect("the file");
        }
    }
}
