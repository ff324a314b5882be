//! Which of the program's own code touches a window while others may access it: a few words are watched.

use mpiscope_trace::check::event::{Body, touch};

use super::memory::Part;
use crate::check::CallContext;
use crate::check::inflight::instruction_access::{Kind, Touch};
use crate::config::Guard;
use crate::elf;

/// Words of a window that are watched: one of four watchpoints distinguishes writes from reads.
const MOST_WORDS: usize = 3;

/// Bytes of one. Larger ones have more of what nobody meant.
const WORD: u64 = 4;

/// A call begins: what the program itself has touched since the last one comes before it.
pub fn touched(s: &mut CallContext<'_>) {
    let mut noted: Vec<(u32, bool, Vec<Part>, Vec<Touch>)> = Vec::new();
    for (&id, w) in s.checker.windows.iter().filter(|(_, w)| !w.armed.is_nothing()) {
        let touches = s.checker.flights.noted(&w.armed);
        if !touches.is_empty() {
            noted.push((id, w.epochs.is_active(), w.extent.parts().to_vec(), touches));
        }
    }
    noted.sort_unstable_by_key(|n| n.0);
    for (window, is_active, parts, touches) in noted {
        for seen in touches {
            let begin = seen.bytes.0;
            let part = parts.iter().find(|p| (p.address..p.address + p.bytes).contains(&begin));
            // Other objects serve the MPI as well.
            let is_program =
                |pc: u64| elf::containing(pc.saturating_sub(1) as usize).is_some_and(|o| o.path.is_empty());
            let Some(part) = part.filter(|_| seen.frames.first().is_some_and(|&pc| is_program(pc))) else { continue };
            let site = s.view.process.site(&seen.frames);
            if site == 0 {
                continue;
            }
            let how = match known_kind(&seen) {
                Kind::Read => touch::LOADS,
                Kind::Write => touch::STORES,
                Kind::Either => touch::LOADS | touch::STORES,
            } | if is_active { touch::ACTIVE } else { 0 };
            let (at, bytes) = (begin - part.from, seen.bytes.1 - begin);
            s.emit(0, Body::Loaded { window, target: part.target, how, at, bytes, site });
        }
    }
}

/// Whether it has read or written: where no watchpoint shows it, its machine code does.
#[cfg(target_arch = "x86_64")]
fn known_kind(seen: &Touch) -> Kind {
    let from_code =
        || seen.frames.first().and_then(|&pc| crate::check::next_accesses::kind(pc)).unwrap_or(Kind::Either);
    if seen.kind == Kind::Either { from_code() } else { seen.kind }
}

/// The code of other processors is not read.
#[cfg(not(target_arch = "x86_64"))]
fn known_kind(seen: &Touch) -> Kind {
    seen.kind
}

/// The words of a window that are worth watching: what the code that comes next touches, where it changed before, and the first
/// and last ones.
fn words(parts: &[Part], changed: &[u64], ahead: &[u64]) -> Vec<(u64, u64)> {
    let own = parts.first().map_or(0, |p| p.address);
    let ends = |p: &Part| [p.address, p.address + WORD, (p.address + p.bytes).saturating_sub(WORD)];
    let changed = changed.iter().map(|&offset| own + offset);
    let firsts = parts.iter().map(|p| p.address);
    let all = ahead.iter().copied().chain(changed).chain(firsts).chain(parts.iter().flat_map(ends));
    let mut words = Vec::new();
    for at in all.map(|at| at / WORD * WORD) {
        let is_inside = parts.iter().any(|p| at >= p.address && at + WORD <= p.address + p.bytes);
        if is_inside && !words.contains(&(at, WORD)) && words.len() < MOST_WORDS {
            words.push((at, WORD));
        }
    }
    words
}

/// What the program's code touches after this call, of a window.
#[cfg(target_arch = "x86_64")]
fn ahead(s: &CallContext<'_>, parts: &[Part]) -> Vec<u64> {
    let memory: Vec<(u64, u64)> = parts.iter().take(MOST_WORDS).map(|p| (p.address, p.address + p.bytes)).collect();
    crate::check::next_accesses::touches(&s.view, &memory).iter().map(|touch| touch.address).collect()
}

/// What comes next is not read on other processors.
#[cfg(not(target_arch = "x86_64"))]
fn ahead(_: &CallContext<'_>, _: &[Part]) -> Vec<u64> {
    Vec::new()
}

/// Others may access the window's memory from now on: some words of it are on the watch, as those of buffers are.
pub fn arm(s: &mut CallContext<'_>, id: u32) {
    let guard = s.view.process.config.guard;
    let begun = (s.site, s.view.plan.function as u16);
    let Some(w) = s.checker.windows.get_mut(&id) else { return };
    let before = std::mem::take(&mut w.armed);
    s.checker.flights.unwatch(before);
    if guard == Guard::Off || !s.checker.flights.is_due(begun) {
        return;
    }
    let Some(w) = s.checker.windows.get(&id) else { return };
    let (parts, changed) = (w.extent.parts().to_vec(), w.stores.places().to_vec());
    let words = words(&parts, &changed, &ahead(s, &parts));
    let armed = s.checker.flights.watch(&words);
    if let Some(w) = s.checker.windows.get_mut(&id) {
        w.armed = armed;
    }
}
