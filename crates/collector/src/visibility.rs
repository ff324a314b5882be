//! Showing the symbols that were hidden until the MPI was known.
//!
//! Programs and mpi4py test `&MPI_Recv_c != NULL` through weak references to learn what the MPI has.
//! A preload that exports every name answers yes for all. So names newer than MPI-3.1, and those that
//! are macros in some MPIs (`MPI_Comm_c2f`), are exported in disguise: under another name with the same GNU hash. A lookup of the real name compares
//! strings and does not match. Once the MPI is known, each symbol that it has gets its real
//! name by one aligned store to `st_name`, and slots that the loader had bound before are redirected.
//!
//! Rejected: versioned hidden symbols (rustc owns the version script), indirect functions
//! (glibc warns when a library that is relocated before the preload uses one), rewriting the
//! hash table (other threads may be looking symbols up).

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};

use crate::config::Config;
use crate::elf::{self, Object};
use crate::generated::SYMBOLS;
use crate::{chained_tools, hooks, mpi, places, process};

/// Runs when the library is mapped. In a process that is to be recorded and has an MPI from the start,
/// hidden symbols are shown at once, so that a first call of one (`MPI_Session_init`) is not missed.
/// Everywhere else it only looks, at most.
extern "C" fn at_load() {
    // SAFETY: reads the environment before the program can change it.
    if unsafe { libc::getenv(c"MPISCOPE_OUT".as_ptr()) }.is_null() {
        return;
    }
    // Before the places, which may change it, and before the first call.
    process::set_paused(Config::starts_paused());
    let objects = elf::objects();
    chained_tools::at_load(&objects);
    show(&objects);
    places::at_load();
}

/// Shows them at the first MPI call, unless that was done at load time.
pub fn show_once() {
    if !SHOWN.load(Ordering::Relaxed) {
        show(&elf::objects());
    }
}

static SHOWN: AtomicBool = AtomicBool::new(false);

#[used]
#[unsafe(link_section = ".init_array")]
static AT_LOAD: extern "C" fn() = at_load;

/// Shows every hidden symbol that an MPI of the process has.
///
/// No MPI function is called here: at load time its own constructors may not have run.
fn show(objects: &[Object]) {
    let libraries = mpi::libraries(objects);
    let own_range = mpi::own_range();
    let Some(own) = objects.iter().find(|o| o.range == own_range).filter(|_| !libraries.is_empty()) else { return };
    SHOWN.store(true, Ordering::Relaxed);
    hooks::fill(objects, own);
    let mut entries: Vec<(*mut u32, u32, &'static str, usize)> = Vec::new();
    for symbol in SYMBOLS.iter().filter(|s| s.hidden) {
        let name = symbol.name();
        if libraries.iter().all(|l| l.defines(name).is_none()) {
            continue;
        }
        // Not found when it was shown before: its name is the real one now.
        let disguise = disguise(name);
        let Some(entry) = own.find(&disguise) else { continue };
        // The real name lies in this library's read-only data, after its string table and within
        // 4 GiB of it.
        let Ok(offset) = u32::try_from(symbol.name_address().wrapping_sub(own.strings())) else { continue };
        // SAFETY: an entry of our own symbol table.
        let stub = own.base + unsafe { (*entry).st_value } as usize;
        // SAFETY: as above; `st_name` is its first field and four-byte aligned.
        entries.push((unsafe { &raw mut (*entry.cast_mut()).st_name }, offset, name, stub));
    }
    let Some(first) = entries.iter().map(|e| e.0 as usize).min() else { return };
    let last = entries.iter().map(|e| e.0 as usize).max().unwrap_or(first);
    let protections = elf::Protections::read();
    let shown = protections.with_writable(first, last + 4 - first, || {
        for (name, offset, ..) in &entries {
            // SAFETY: writable now; other threads see the old or the new name.
            unsafe { AtomicU32::from_ptr(*name) }.store(*offset, Ordering::Release);
        }
    });
    if !shown {
        return;
    }
    entries.sort_by_key(|e| e.2);
    redirect(objects, &libraries, own, &protections, |name| {
        entries.binary_search_by_key(&name, |e| e.2).ok().map(|i| entries[i].3)
    });
}

/// Whether the library exports `name`, shown or not.
pub fn knows(own: &Object, name: &str) -> bool {
    own.find(name).is_some() || own.find(&disguise(name)).is_some()
}

/// Points slots that are bound to an MPI, or not bound yet, to our stubs.
fn redirect(
    objects: &[Object],
    libraries: &[&Object],
    own: &Object,
    protections: &elf::Protections,
    stub: impl Fn(&str) -> Option<usize>,
) {
    let parts = mpi::parts(objects);
    let (front, behind) = objects.split_at(objects.iter().position(|o| o.range == own.range).unwrap_or(0));
    for object in objects {
        if object.range == own.range || parts.iter().any(|p| p.range == object.range) {
            continue;
        }
        let mut slots: Vec<(*mut usize, usize)> = Vec::new();
        object.slots(|slot, name| {
            let Some(target) = stub(name) else { return };
            // SAFETY: a slot the loader has filled.
            let now = unsafe { slot.read() };
            // Bound to the MPI itself or to a tool behind us, or lazily into the object's own PLT. A null slot is a weak
            // reference the program has seen as absent; it stays so.
            let others = libraries.iter().copied().chain(behind.iter().filter(|o| o.range != own.range));
            let bound = others.into_iter().any(|o| o.defines(name) == Some(now));
            let lazy = (object.range.0..object.range.1).contains(&now);
            // Another tool stands before us and will be bound: it hands the call on to us.
            let theirs = lazy && front.iter().any(|o| o.defines(name).is_some());
            if bound || (lazy && !theirs) {
                slots.push((slot, target));
            }
        });
        slots.sort_unstable();
        for page in slots.chunk_by(|a, b| a.0 as usize >> 12 == b.0 as usize >> 12) {
            protections.with_writable(page[0].0 as usize, 8, || {
                for &(slot, target) in page {
                    // SAFETY: writable now, aligned; the loader writes it the same way.
                    unsafe { AtomicUsize::from_ptr(slot) }.store(target, Ordering::Release);
                }
            });
        }
    }
}

/// Must be what `crates/xtask` exports: second and third character traded, same hash.
fn disguise(name: &str) -> String {
    let mut bytes = name.as_bytes().to_vec();
    bytes[1] -= 1;
    bytes[2] += 33;
    String::from_utf8(bytes).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn disguises_hash_alike() {
        for symbol in SYMBOLS.iter().filter(|s| s.hidden) {
            let name = symbol.name();
            assert_eq!(elf::gnu_hash(&disguise(name)), elf::gnu_hash(name), "{name}");
        }
    }
}
