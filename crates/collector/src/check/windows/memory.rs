//! The memory of a window: its address, and whether the program's own memory still exists.

use mpiscope_abi::id;
use mpiscope_trace::check::event::{Body, flag, memory};
use mpiscope_trace::check::rule;

use super::assertions::informed_of;
use super::epochs::Epochs;
use super::stores::Stores;
use super::touches::arm;
use super::{Window, own_rank};
use crate::check::lent_buffers::Lent;
use crate::check::view::Slot;
use crate::check::{CallContext, Checker, lent_buffers};

/// The memory of a window.
#[derive(Default)]
pub struct Extent {
    /// A dynamic window: memory is attached later, and displacements are addresses.
    is_dynamic: bool,
    /// A window of `MPI_Win_allocate_shared`.
    shares: bool,
    /// The program's own memory (`MPI_Win_create`, `MPI_Win_attach`), and the call site.
    lent: Vec<(Lent, u32)>,
    /// First address; 0 if unknown.
    address: u64,
    /// Memory that this process can access directly and others may access as well.
    parts: Vec<Part>,
    /// An attached piece has no bytes, or there are more pieces than are kept.
    has_empty: bool,
}

/// Memory of a window that the program can access directly.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    /// The rank to which it belongs, in the window's communicator.
    pub target: i32,
    pub address: u64,
    pub bytes: u64,
    /// The base of displacements; 0 for attached memory.
    pub from: u64,
}

/// Most pieces of one window: attached pieces, and shared memory of other processes.
const MOST_PARTS: usize = 64;

impl Extent {
    /// See the field.
    pub fn is_dynamic(&self) -> bool {
        self.is_dynamic
    }

    /// Memory that this process can access directly and others may access as well.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// Processes on its host may access it without MPI.
    pub fn is_shared(&self) -> bool {
        self.shares || self.parts.iter().any(|p| p.target != self.parts[0].target)
    }
}

/// A window was created.
pub fn made(s: &mut CallContext<'_>, handle: u64) {
    let id = s.view.process.windows.id(handle);
    if id == 0 {
        return;
    }
    let plan = s.view.plan;
    let number = |name: &str| plan.named(name).map(|p| s.view.int(p)).unwrap_or(0);
    let dynamic = plan.base == id::Win_create_dynamic;
    let shared = plan.base == id::Win_allocate_shared;
    let bytes = number("size").max(0) as u64;
    let address = base(s);
    let ordinal = s.checker.ordinals.next(s.head_comm, 0);
    let is_given = plan.base == id::Win_create && address != 0 && bytes > 0;
    let lent = is_given.then(|| (Lent::of(s, address, bytes), s.site)).into_iter().collect();
    let own = Part { target: own_rank(id), address, bytes, from: address };
    let extent = Extent {
        is_dynamic: dynamic,
        shares: shared,
        lent,
        address,
        parts: if dynamic || address == 0 || bytes == 0 { Vec::new() } else { vec![own] },
        has_empty: false,
    };
    // Others write shared memory without MPI.
    let stores = if dynamic || shared { Stores::default() } else { Stores::in_memory(address, bytes) };
    let window = Window { ordinal, epochs: Epochs::new(s.site), extent, stores, ..Window::default() };
    s.checker.windows.insert(id, window);
    if !dynamic && address != 0 && bytes > 0 {
        let what = if shared { memory::SHARED } else { memory::WHOLE };
        s.emit(0, Body::Memory { window: id, what, address, bytes });
    }
    arm(s, id);
    informed_of(s, id);
}

/// `MPI_Win_shared_query` has succeeded: the program can access the memory whose address it got.
pub fn queried(s: &mut CallContext<'_>) {
    let id = s.window();
    let plan = s.view.plan;
    let Some(size_at) = plan.named("size").and_then(|p| s.view.word(p)).filter(|&w| w != 0) else { return };
    let (address, target) = (base(s), plan.named("rank").map_or(-1, |p| s.view.int(p)));
    // MPI_PROC_NULL stands for the first who has some. SAFETY: the MPI has just written it, an address-sized integer in all languages.
    let (Ok(target), bytes) = (i32::try_from(target), unsafe { (size_at as *const i64).read_unaligned() }) else {
        return;
    };
    let bytes = u64::try_from(bytes).unwrap_or(0);
    if target < 0 || address == 0 || bytes == 0 || target == own_rank(id) {
        return;
    }
    let Some(w) = s.checker.windows.get_mut(&id) else { return };
    let parts = &mut w.extent.parts;
    if parts.len() < MOST_PARTS && !parts.iter().any(|p| p.target == target) {
        parts.push(Part { target, address, bytes, from: address });
        arm(s, id);
    }
}

/// The memory of the window that a call has created: its argument, or the address that the MPI returned.
fn base(s: &CallContext<'_>) -> u64 {
    let plan = s.view.plan;
    if let Some(param) = plan.named("base") {
        let buffer = s.view.buffer(param);
        return if buffer.special && !s.view.plan.descriptors { 0 } else { buffer.address };
    }
    let Some(place) = plan.named("baseptr").and_then(|p| s.view.word(p)).filter(|&w| w != 0) else { return 0 };
    // SAFETY: the MPI has just written it, an address in all languages.
    unsafe { (place as *const u64).read_unaligned() }
}

/// `MPI_Win_attach` and `MPI_Win_detach` have succeeded.
pub fn attached(s: &mut CallContext<'_>, is_attached: bool) {
    let window = s.window();
    let plan = s.view.plan;
    let Some(buffer) = plan.named("base").map(|p| s.view.buffer(p)) else { return };
    let bytes = if is_attached { plan.named("size").map_or(0, |p| s.view.int(p)).max(0) as u64 } else { 0 };
    let what = if is_attached { memory::ATTACHED } else { memory::DETACHED };
    let lent = (is_attached && bytes > 0).then(|| (Lent::of(s, buffer.address, bytes), s.site));
    if let Some(Window { extent: w, .. }) = s.checker.windows.get_mut(&window) {
        w.lent.retain(|(one, _)| is_attached || one.address != buffer.address);
        w.lent.extend(lent.filter(|_| w.lent.len() < MOST_PARTS));
        w.parts.retain(|p| is_attached || p.address != buffer.address);
        if is_attached && bytes > 0 && w.parts.len() < MOST_PARTS {
            w.parts.push(Part { target: own_rank(window), address: buffer.address, bytes, from: 0 });
        } else if is_attached {
            w.has_empty = true;
        }
    }
    s.emit(0, Body::Memory { window, what, address: buffer.address, bytes });
    arm(s, window);
}

/// Before `MPI_Win_detach`: its argument must be memory that was attached.
pub fn detaches(s: &mut CallContext<'_>) {
    let window = s.window();
    let param = s.view.plan.named("base");
    let Some(address) = param.map(|p| s.view.buffer(p).address) else { return };
    given_back(s, window, Some(address));
    // Of many parts not all are kept, and those without bytes are not.
    let is_known = |w: &Extent| w.is_dynamic && w.parts.len() < MOST_PARTS && !w.has_empty;
    if s.checker
        .windows
        .get(&window)
        .map(|w| &w.extent)
        .is_some_and(|w| is_known(w) && w.parts.iter().all(|p| p.address != address))
    {
        s.find(rule::VALUE, param, [address as i64, 0, 0], "an attached address");
    }
}

/// The program's own memory of a window, all of it or what begins at an address, must not have been freed.
pub fn given_back(s: &mut CallContext<'_>, window: u32, only: Option<u64>) {
    let height = lent_buffers::height(s);
    let Checker { windows, memory, .. } = &mut *s.checker;
    // What is attached may be detached at any time: each piece is looked at then.
    let Some(w) = windows.get_mut(&window).filter(|w| only.is_some() || !w.is_dynamic()) else { return };
    // Reported once, so it leaves the list.
    let mut gone = Vec::new();
    w.extent.lent.retain(|&(ref one, site)| {
        let is_asked = only.is_none_or(|address| one.address == address);
        let why = is_asked.then(|| one.gone(memory, height)).flatten();
        gone.extend(why.map(|why| ([one.bytes as i64, 0, one.address as i64], why, site)));
        why.is_none()
    });
    for (values, why, site) in gone {
        s.find_from(
            rule::BUFFER_UNMAPPED,
            s.view.param(Slot::Window),
            values,
            &format!("memory of the window: {why}"),
            site,
        );
    }
}

/// A window is freed.
pub fn freeing(s: &mut CallContext<'_>) {
    let id = s.window();
    if let Some(text) = s.checker.windows.get(&id).and_then(|w| w.epochs.open()) {
        s.find(rule::EPOCH_OPEN, s.view.param(Slot::Window), [0; 3], text);
    }
    given_back(s, id, None);
    let Some(w) = s.checker.windows.remove(&id) else { return };
    s.open.windows.freed_ordinal = w.ordinal;
    s.checker.flights.unwatch(w.armed);
    if w.extent.address != 0 {
        s.emit(flag::MORE, Body::Memory { window: id, what: memory::DETACHED, address: w.extent.address, bytes: 0 });
    }
}
