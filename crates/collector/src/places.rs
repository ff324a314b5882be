//! Places in the program's code where recording resumes or pauses (`--on`, `--off`).
//!
//! The places were resolved and checked by mpiscope ([`mpiscope_codescan`]). They are patched when this library is loaded: then
//! everything is mapped, no code of the program has run, and there is one thread. Processes without these options do nothing.
//!
//! For each place that the user gave, a stub sets a byte of the rank file when it is reached (`Header::reached`), or of a
//! substitute before the file exists.
//!
//! A page of the program is writable while it is patched and executable before and after, never both. Stubs are written into a
//! separate page, which is then made executable and read-only.

use std::collections::BTreeMap;
use std::ffi::{OsStr, c_int, c_void};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use mpiscope_codescan::{MARK_BYTES, MOST_BYTES, Places, Spot, Switch, ends_in_call, jump_to, stub, sum};
use mpiscope_trace::layout::{MAX_PLACES, REACHED_BEHIND_CONTROL, gate};

use crate::elf::{self, Object, Protections};
use crate::process;

/// Code cannot jump further than this; a little less, so that a whole module is within reach of its stubs.
const REACH: usize = (1 << 31) - (64 << 20);
const PAGE: usize = 4096;
/// Space for a stub: about eighty bytes and the displaced instructions, which may grow; marks come in addition.
const STUB_BYTES: usize = 256;

/// Patches that failed, for the user and for the rank file.
static UNPATCHED: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Places that the user requested and that are in this process, by number, as `on function:solve`.
static THERE: Mutex<Vec<(usize, String)>> = Mutex::new(Vec::new());

/// Places of this process: their numbers in `Header::reached`, and the user's text.
pub fn there() -> Vec<(usize, String)> {
    THERE.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

/// Sentences about places that could not be patched.
pub fn unpatched() -> Vec<String> {
    UNPATCHED.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

fn note_unpatched(text: String) {
    let mut unpatched = UNPATCHED.lock().unwrap_or_else(PoisonError::into_inner);
    if !unpatched.contains(&text) {
        unpatched.push(text);
    }
}

/// Patches the places in `MPISCOPE_PLACES`.
pub fn at_load() {
    let Some(text) = std::env::var_os("MPISCOPE_PLACES").filter(|text| !text.is_empty()) else { return };
    if !cfg!(target_arch = "x86_64") {
        return note_unpatched("places are supported only on x86-64".into());
    }
    // A panic is a defect of ours; it must not end in the loader.
    let _ = std::panic::catch_unwind(|| {
        let (places, wrong) = Places::parse(text.to_str().unwrap_or("?"));
        if !wrong.is_empty() {
            note_unpatched(format!("{} part(s) of MPISCOPE_PLACES are invalid", wrong.len()));
        }
        let fates = set(&places);
        let is_patched = |spot: &Spot, fate: &Fate| spot.on && *fate == Fate::Patched;
        if places.paused && places.spots.iter().zip(&fates).any(|(spot, fate)| is_patched(spot, fate)) {
            process::set_paused(true);
        }
        announce(&places, &fates, wrong.is_empty());
    });
}

/// The result for a spot in this process.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    /// Its file is not mapped: it cannot be reached.
    Absent,
    /// It may be reached unnoticed.
    Unpatched,
    Patched,
}

/// Stores the texts of this process's places, and for which it is unknown whether they are reached.
fn announce(places: &Places, fates: &[Fate], is_complete: bool) {
    let mut there = THERE.lock().unwrap_or_else(PoisonError::into_inner);
    for (number, asked) in places.asked.iter().enumerate() {
        let own = places.spots.iter().zip(fates).filter(|(spot, _)| spot.of.contains(&number));
        let own: Vec<Fate> = own.map(|(_, fate)| *fate).filter(|fate| *fate != Fate::Absent).collect();
        if own.is_empty() {
            continue;
        }
        if !is_complete || own.contains(&Fate::Unpatched) {
            process::not_known_whether_reached(number);
        }
        there.push((number, format!("{} {}", if asked.on { "on" } else { "off" }, asked.text)));
    }
}

/// A place in this process.
struct Patch<'a> {
    /// Number of its spot.
    index: usize,
    spot: &'a Spot,
    object: &'a Object,
    /// Its address.
    at: usize,
    /// The instructions that it displaces.
    code: Vec<u8>,
}

/// Patches `places`; returns the result for each spot.
fn set(places: &Places) -> Vec<Fate> {
    let mut fates = vec![Fate::Unpatched; places.spots.len()];
    let objects = elf::objects();
    let mut files: BTreeMap<&[u8], Option<&Object>> = BTreeMap::new();
    let mut patches: BTreeMap<usize, Vec<Patch<'_>>> = BTreeMap::new();
    for (index, spot) in places.spots.iter().enumerate() {
        let object = files.entry(&spot.path).or_insert_with(|| find(&objects, &spot.path));
        // A launcher or a shell between mpiscope and the program does not map it. Nobody hears of what is said here
        // unless the process calls MPI.
        let Some(object) = object else {
            note_unpatched(format!("{}: not loaded when the program started", shown(&spot.path)));
            fates[index] = Fate::Absent;
            continue;
        };
        // While a page is written nobody may execute it, and this does execute the C library.
        if (object.range.0..object.range.1).contains(&(libc::mprotect as *const () as usize)) {
            note_unpatched(format!("{}: mpiscope itself uses this library", shown(&spot.path)));
            continue;
        }
        match pristine(index, spot, object) {
            Some(patch) if ends_in_call(&patch.code) && has_shadow_stack() => {
                note_unpatched(format!(
                    "{}+{:#x}: a call cannot be moved while shadow stacks are active",
                    shown(&spot.path),
                    spot.address
                ));
            }
            Some(patch) => patches.entry(object.base).or_default().push(patch),
            None => note_unpatched(format!("{}: the code has changed since it was examined", shown(&spot.path))),
        }
    }
    for patches in patches.values_mut() {
        patches.sort_by_key(|patch| patch.at);
        // A jump must not displace another.
        let mut end = 0;
        patches.retain(|patch| {
            let fits = patch.at >= end;
            if fits {
                end = patch.at + patch.code.len();
            } else {
                note_unpatched(format!(
                    "{}+{:#x}: too close to the previous place",
                    shown(&patch.spot.path),
                    patch.spot.address
                ));
            }
            fits
        });
        let protections = Protections::read();
        match apply(patches, &protections) {
            Ok(()) => patches.iter().for_each(|patch| fates[patch.index] = Fate::Patched),
            Err(why) => note_unpatched(why),
        }
    }
    fates
}

/// Whether the kernel checks that returns match calls (shadow stack).
fn has_shadow_stack() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    status.lines().any(|line| line.starts_with("x86_Thread_features:") && line.contains("shstk"))
}

fn shown(path: &[u8]) -> String {
    String::from_utf8_lossy(path).into_owned()
}

/// The mapped object of the file `path`, whatever name the loader has for it.
fn find<'a>(objects: &'a [Object], path: &[u8]) -> Option<&'a Object> {
    let identity = |path: &Path| std::fs::metadata(path).ok().map(|meta| (meta.dev(), meta.ino()));
    let wanted = identity(Path::new(OsStr::from_bytes(path)))?;
    objects.iter().enumerate().find_map(|(i, object)| {
        let path = match (i, object.path.is_empty()) {
            (0, _) => "/proc/self/exe",
            // The vDSO.
            (_, true) => return None,
            (_, false) => &object.path,
        };
        (identity(Path::new(path)) == Some(wanted)).then_some(object)
    })
}

/// The place, if its function is the same in memory as in the file.
fn pristine<'a>(index: usize, spot: &'a Spot, object: &'a Object) -> Option<Patch<'a>> {
    let bytes = |from: u64, to: u64| {
        let at = object.base.wrapping_add(usize::try_from(from).ok()?);
        object.mapped(at)?.get(..usize::try_from(to.checked_sub(from)?).ok()?)
    };
    let function = bytes(spot.function.0, spot.function.1)?;
    let code = bytes(spot.address, spot.address + spot.length as u64)?.to_vec();
    let at = object.base.wrapping_add(spot.address as usize);
    (sum(function) == spot.sum).then_some(Patch { index, spot, object, at, code })
}

/// Patches places of one object: either all of them, or none, with the reason.
fn apply(patches: &[Patch<'_>], protections: &Protections) -> Result<(), String> {
    let Some(object) = patches.first().map(|patch| patch.object) else { return Ok(()) };
    let name = match object.path.is_empty() {
        true => "the program",
        false => object.path.as_str(),
    };
    let marks: Vec<Vec<i32>> = patches.iter().map(|patch| marks(patch.spot)).collect();
    let room = STUB_BYTES + MARK_BYTES * marks.iter().map(Vec::len).max().unwrap_or(0);
    let bytes = (patches.len() * room).next_multiple_of(PAGE);
    let stubs = map_near(object.range, bytes, protections)
        .ok_or_else(|| format!("{name}: no free memory within reach of a jump"))?;
    let unmap = |why: String| {
        // SAFETY: mapped above; no jump leads there.
        unsafe { libc::munmap(stubs as *mut c_void, bytes) };
        Err(why)
    };
    let mut jumps = Vec::new();
    for (i, (patch, marks)) in patches.iter().zip(&marks).enumerate() {
        let at = stubs + i * room;
        let switch = Switch { slot: process::control_slot(), bit: gate::PAUSED as u8, set: !patch.spot.on, marks };
        let made = stub(switch, &patch.code, patch.at as u64, at as u64);
        let jump = jump_to(patch.at as u64, at as u64);
        let (Some(made), Some(jump)) = (made.filter(|made| made.len() <= room), jump) else {
            return unmap(format!("{name}+{:#x}: its instructions cannot be moved", patch.spot.address));
        };
        // SAFETY: within the new mapping.
        unsafe { std::ptr::copy_nonoverlapping(made.as_ptr(), at as *mut u8, made.len()) };
        jumps.push((patch, jump));
    }
    // SAFETY: our own mapping.
    if unsafe { libc::mprotect(stubs as *mut c_void, bytes, libc::PROT_READ | libc::PROT_EXEC) } != 0 {
        return unmap(format!("{name}: the system does not allow adding code"));
    }
    let mut done = Vec::new();
    for (patch, jump) in jumps {
        // Behind the jump: instructions that stop who gets there.
        let mut new = [0xcc; MOST_BYTES];
        new[..jump.len()].copy_from_slice(&jump);
        if !write(patch.at, &new[..patch.code.len()], protections) {
            let undone = done.iter().rev().all(|patch: &&Patch<'_>| write(patch.at, &patch.code, protections));
            let why = format!("{name}: the system does not allow changing its code");
            // The stubs stay where a jump may still lead to them.
            return if undone { unmap(why) } else { Err(why) };
        }
        done.push(patch);
    }
    Ok(())
}

/// The bytes that record that a spot's places were reached, as offsets from the control word. Empty for places beyond the array.
fn marks(spot: &Spot) -> Vec<i32> {
    let numbers = spot.of.iter().filter(|&&number| number < MAX_PLACES);
    numbers.map(|&number| (REACHED_BEHIND_CONTROL + number) as i32).collect()
}

/// Overwrites code; changes nothing if the system forbids it.
fn write(at: usize, bytes: &[u8], protections: &Protections) -> bool {
    let begin = at & !(PAGE - 1);
    let length = (at + bytes.len()).next_multiple_of(PAGE) - begin;
    let (Some(before), Some(last)) = (protections.protection_at(at), protections.protection_at(begin + length - 1))
    else {
        return false;
    };
    if before & libc::PROT_EXEC == 0 || before != last {
        return false;
    }
    let protect = |to: c_int| {
        // SAFETY: pages of code in which no thread is: this one executes the loader's and this library's.
        unsafe { libc::mprotect(begin as *mut c_void, length, to) == 0 }
    };
    // SAFETY: mapped and readable.
    let old = unsafe { std::slice::from_raw_parts(begin as *const u8, length) }.to_vec();
    if !protect(libc::PROT_READ | libc::PROT_WRITE) {
        return false;
    }
    // SAFETY: writable now.
    unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), at as *mut u8, bytes.len()) };
    if protect(before) {
        return true;
    }
    // Some systems (SELinux's execmod) do not let a changed page of a file be executed again. An anonymous page with
    // the same bytes may be; without this the program could not go on.
    // SAFETY: takes the place of pages whose bytes it gets, before anybody executes them.
    unsafe {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED;
        let new = libc::mmap(begin as *mut c_void, length, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0);
        if new != libc::MAP_FAILED {
            std::ptr::copy_nonoverlapping(old.as_ptr(), begin as *mut u8, length);
        }
    }
    protect(before);
    false
}

/// New memory from which code can jump to `range` and back.
fn map_near(range: (usize, usize), bytes: usize, protections: &Protections) -> Option<usize> {
    // Below the object first: the program's heap grows above it.
    let lowest = range.1.saturating_sub(REACH).max(1 << 16);
    let highest = range.0.checked_add(REACH)?;
    let below = protections.gaps().filter(|gap| gap.0 < range.0).collect::<Vec<_>>();
    let below = below.into_iter().rev().map(|gap| gap.1.min(range.0).saturating_sub(bytes + PAGE) & !(PAGE - 1));
    let above = protections.gaps().filter(|gap| gap.0 >= range.1).map(|gap| {
        // At its end, away from what may grow into its beginning.
        gap.1.min(highest).saturating_sub(bytes + PAGE) & !(PAGE - 1)
    });
    let fits = |at: usize| {
        let free = protections.gaps().any(|gap| gap.0 <= at && at.saturating_add(bytes) <= gap.1);
        at >= lowest && at.saturating_add(bytes) <= highest && free
    };
    below.chain(above).filter(|&at| fits(at)).take(64).find(|&at| {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED_NOREPLACE;
        // SAFETY: new memory; the flag keeps what is there. A kernel that does not know it takes the address as a hint.
        let got = unsafe { libc::mmap(at as *mut c_void, bytes, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0) };
        if got != libc::MAP_FAILED && got as usize != at {
            // SAFETY: just mapped.
            unsafe { libc::munmap(got, bytes) };
        }
        got as usize == at
    })
}
