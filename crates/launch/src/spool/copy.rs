//! Moves files: renames without overwriting, and copies sparse files efficiently.

use std::ffi::CString;
use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileExt;
use std::path::Path;

const CHUNK_BYTES: usize = 1 << 20;

/// Renames a file unless the target exists.
pub(super) fn rename_new(from: &Path, to: &Path) -> io::Result<()> {
    let (source, target) = (CString::new(from.as_os_str().as_bytes())?, CString::new(to.as_os_str().as_bytes())?);
    // SAFETY: both names end in zero.
    let code = unsafe {
        libc::renameat2(libc::AT_FDCWD, source.as_ptr(), libc::AT_FDCWD, target.as_ptr(), libc::RENAME_NOREPLACE)
    };
    if code == 0 {
        return Ok(());
    }
    let error = io::Error::last_os_error();
    match error.raw_os_error() {
        // NFS and others do not support it; a link is equivalent, if links are supported.
        Some(libc::EINVAL | libc::ENOSYS | libc::ENOTSUP) => match std::fs::hard_link(from, to) {
            Ok(()) => std::fs::remove_file(from),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(error),
            Err(_) if to.exists() => Err(io::ErrorKind::AlreadyExists.into()),
            Err(_) => std::fs::rename(from, to),
        },
        _ => Err(error),
    }
}

/// Whether two files have the same contents. Unreadable files count as different.
pub(super) fn alike(one: &Path, other: &Path) -> bool {
    let compare = || -> io::Result<bool> {
        let (one, other) = (File::open(one)?, File::open(other)?);
        let len = one.metadata()?.len();
        if other.metadata()?.len() != len {
            return Ok(false);
        }
        let (mut a, mut b) = (vec![0; CHUNK_BYTES], vec![0; CHUNK_BYTES]);
        let mut at = 0;
        while at < len {
            let want = CHUNK_BYTES.min((len - at) as usize);
            one.read_exact_at(&mut a[..want], at)?;
            other.read_exact_at(&mut b[..want], at)?;
            if a[..want] != b[..want] {
                return Ok(false);
            }
            at += want as u64;
        }
        Ok(true)
    };
    compare().unwrap_or(false)
}

/// Copies a file to a new one. A ring that was never filled consists mostly of holes, which cost neither time nor disk space.
///
/// # Errors
///
/// If the source cannot be read, or the target exists or cannot be written.
pub fn copy_sparse(from: &Path, to: &Path) -> io::Result<()> {
    let source = File::open(from)?;
    let target = File::create_new(to)?;
    let len = source.metadata()?.len();
    let mut chunk = vec![0; CHUNK_BYTES];
    let mut at = 0;
    while let Some((data, end)) = next_data(&source, at, len)? {
        at = data;
        while at < end {
            let want = CHUNK_BYTES.min((end - at) as usize);
            let got = source.read_at(&mut chunk[..want], at)?;
            if got == 0 {
                break;
            }
            target.write_all_at(&chunk[..got], at)?;
            at += got as u64;
        }
        at = at.max(end);
    }
    target.set_len(len)
}

/// Start and end of the next written range of a file; `None` if only holes follow.
pub(super) fn next_data(file: &File, from: u64, len: u64) -> io::Result<Option<(u64, u64)>> {
    if from >= len {
        return Ok(None);
    }
    let Some(data) = seek(file, from, libc::SEEK_DATA)? else { return Ok(None) };
    let end = seek(file, data, libc::SEEK_HOLE)?.unwrap_or(len).min(len);
    Ok(Some((data, end)))
}

/// The next data or hole from an offset; `None` if there is no more data.
fn seek(file: &File, from: u64, whence: i32) -> io::Result<Option<u64>> {
    // SAFETY: an open descriptor.
    let at = unsafe { libc::lseek(file.as_raw_fd(), from as libc::off_t, whence) };
    if at >= 0 {
        return Ok(Some(at as u64));
    }
    let error = io::Error::last_os_error();
    match error.raw_os_error() {
        Some(libc::ENXIO) => Ok(None),
        // No holes on this file system: everything counts as data.
        Some(libc::EINVAL) if whence == libc::SEEK_DATA => Ok(Some(from)),
        Some(libc::EINVAL) => Ok(None),
        _ => Err(error),
    }
}
