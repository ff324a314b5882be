//! `MPI_Pack` and `MPI_Unpack`.

use mpiscope_abi::id;
use mpiscope_trace::check::event::{Body, Data, MOST_CONTENT};

use crate::check::CallContext;
use crate::check::arguments::number;

/// Where a pending call that packs or unpacks begins.
#[derive(Default)]
pub struct Packing {
    position: i64,
}

impl Packing {
    /// For the next call.
    #[inline]
    pub fn clear(&mut self) {
        *self = Packing::default();
    }
}

/// Before `MPI_Pack` and `MPI_Unpack`.
pub fn packing(s: &mut CallContext<'_>) {
    s.open.packing.position = number(s, "position").unwrap_or(0);
}

/// After `MPI_Pack` and `MPI_Unpack`.
pub fn packed(s: &mut CallContext<'_>) {
    let packs = s.view.plan.base == id::Pack;
    let (buffer, count) = if packs { ("outbuf", "incount") } else { ("inbuf", "outcount") };
    let plan = s.view.plan;
    let buffer = plan.named(buffer).map(|p| s.view.buffer(p)).filter(|b| b.address != 0 && !b.special);
    let (from, to) = (s.open.packing.position, number(s, "position").unwrap_or(0));
    let (Some(buffer), Some(bytes)) = (buffer, to.checked_sub(from).filter(|&n| n > 0 && from >= 0)) else { return };
    let count = number(s, count).unwrap_or(0).max(0) as u64;
    let datatype = plan.named("datatype").and_then(|p| s.view.handle(p)).map_or(0, |h| s.view.process.types.id(h));
    let address = buffer.address + from as u64;
    let n = (bytes as usize).min(MOST_CONTENT);
    // SAFETY: the MPI has just written or read as many bytes there.
    let content = unsafe { std::slice::from_raw_parts(address as *const u8, n) }.to_vec();
    s.emit(0, Body::Packed { packs, bytes: bytes as u64, data: Data { address, count, datatype }, content });
}
