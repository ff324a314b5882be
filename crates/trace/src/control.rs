//! Changing the control word of a rank file while its program runs.
//!
//! The only thing that anybody but the recorder may write, see [`Control`]: one bit, by an atomic operation on
//! the same page of memory that the program has mapped, so it takes effect at the next call.

use std::fs::OpenOptions;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::layout::{Control, Header, MAGIC, PAGE, VERSION, gate};
use crate::reader::ReadError;

/// Pauses the recording of the process that writes `path`, or lets it go on; the control word as it was before.
///
/// # Errors
///
/// If the file cannot be opened, is not a rank file, or is of a version without remote control.
pub fn set_paused(path: &Path, paused: bool) -> Result<u32, ReadError> {
    let file = OpenOptions::new().read(true).write(true).open(path)?;
    let length = file.metadata()?.len();
    if length < PAGE as u64 {
        return Err(ReadError::Truncated(length));
    }
    // SAFETY: shared with its writer on purpose. Only the control word is written, and that atomically; a file that
    // is truncated meanwhile is no rank file of ours.
    let mut page = unsafe { memmap2::MmapOptions::new().len(PAGE).map_mut(&file)? };
    if page[..8] != MAGIC {
        return Err(ReadError::Foreign);
    }
    let version = u32::from_le_bytes([page[8], page[9], page[10], page[11]]);
    if version == 0 || version > VERSION {
        return Err(ReadError::Newer(version));
    }
    // Files from before there was a control word end their header earlier.
    let known = u32::from_le_bytes([page[12], page[13], page[14], page[15]]) as usize;
    let at = std::mem::offset_of!(Header, control) + std::mem::offset_of!(Control, gate);
    if known < at + size_of::<Control>() {
        return Err(io::Error::new(io::ErrorKind::Unsupported, "written by an mpiscope without remote control").into());
    }
    // SAFETY: within the page and aligned as the structure is.
    let word = unsafe { AtomicU32::from_ptr(page.as_mut_ptr().add(at).cast()) };
    Ok(match paused {
        true => word.fetch_or(gate::PAUSED_OUTSIDE, Ordering::AcqRel),
        false => word.fetch_and(!gate::PAUSED_OUTSIDE, Ordering::AcqRel),
    })
}
