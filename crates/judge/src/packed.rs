//! What `MPI_Unpack` extracts from a message must be what `MPI_Pack` put there (MPI-5.0 §5.2).
//!
//! Pieces are identified by their addresses: packed at an address, sent from there as `MPI_PACKED`, received to another address and
//! unpacked there. The program may write into both buffers, so the bytes that are unpacked must begin like those that were
//! packed. Message and unpacking may be read in any order: each waits for the other.

use std::sync::Arc;

use mpiscope_trace::check::event::{Data, Head};
use rustc_hash::FxHashMap;

use crate::Confidence;
use crate::judge::Judge;
use crate::report::{CallRef, Draft};
use crate::signature::{Compared, Signature};

/// Pieces of a process, and of a message, that are remembered.
const MOST: usize = 1024;
/// Receives of a process that are remembered.
const MOST_RECEIVES: usize = 64;

/// Elements in a packed buffer.
#[derive(Clone)]
pub(crate) struct Piece {
    /// Where they begin: an address, in messages the byte.
    at: u64,
    bytes: u64,
    data: Signature,
    content: Vec<u8>,
    place: CallRef,
}

/// Pieces of a message.
pub(crate) type Pieces = Arc<[Piece]>;

/// A receive of `MPI_PACKED`.
struct Landing {
    receive: u32,
    from: u64,
    to: u64,
    /// What was packed, when its message is known.
    packed: Option<Pieces>,
    /// What was unpacked until then.
    unpacked: Vec<Piece>,
}

/// All of a run.
#[derive(Default)]
pub(crate) struct Packed {
    /// By process, in the order of packing.
    packed: FxHashMap<u32, Vec<Piece>>,
    /// By process.
    landings: FxHashMap<u32, Vec<Landing>>,
    /// By message, until it is received.
    sent: FxHashMap<u32, Pieces>,
}

impl Packed {
    /// A message or receive of anything else has a number, which may have been one of these.
    pub fn is_no_message(&mut self, message: u32) {
        if !self.sent.is_empty() {
            self.sent.remove(&message);
        }
    }

    pub fn is_no_receive(&mut self, process: u32, receive: u32) {
        if !self.landings.is_empty() {
            let landings = self.landings.get_mut(&process).into_iter().flatten();
            landings.filter(|l| l.receive == receive).for_each(|l| l.receive = u32::MAX);
        }
    }

    /// A message is sent.
    pub fn sent(&mut self, process: u32, message: u32, data: &Data) {
        self.is_no_message(message);
        let Some(packed) = self.packed.get(&process) else { return };
        let (from, to) = (data.address, data.address.saturating_add(data.count));
        let within = packed.iter().filter(|piece| from <= piece.at && piece.at.saturating_add(piece.bytes) <= to);
        let pieces: Vec<Piece> = within.map(|piece| Piece { at: piece.at - from, ..piece.clone() }).collect();
        if !pieces.is_empty() {
            self.sent.insert(message, pieces.into());
        }
    }

    /// A receive of packed data begins.
    pub fn received(&mut self, process: u32, receive: u32, data: &Data) {
        self.is_no_receive(process, receive);
        let (from, to) = (data.address, data.address.saturating_add(data.count));
        let landings = self.landings.entry(process).or_default();
        landings.retain(|old| old.to <= from || to <= old.from);
        if landings.len() >= MOST_RECEIVES {
            landings.remove(0);
        }
        landings.push(Landing { receive, from, to, packed: None, unpacked: Vec::new() });
    }

    /// They belong together; what was unpacked of it.
    fn paired(&mut self, message: u32, process: u32, receive: u32) -> Option<(Pieces, Vec<Piece>)> {
        let pieces = self.sent.remove(&message);
        let landings = self.landings.get_mut(&process)?;
        let landing = landings.iter_mut().find(|l| l.receive == receive && l.packed.is_none())?;
        // The number of a receive is used again.
        landing.receive = u32::MAX;
        let pieces = pieces.unwrap_or_else(|| Arc::from([]));
        landing.packed = Some(Arc::clone(&pieces));
        Some((pieces, std::mem::take(&mut landing.unpacked)))
    }
}

impl Judge {
    /// Elements are packed, or unpacked.
    pub(crate) fn pack(&mut self, process: u32, head: &Head, packs: bool, bytes: u64, data: &Data, content: &[u8]) {
        let Some(signature) = self.objects.signature(process, data.datatype, data.count) else { return };
        let place = self.place(process, head);
        let piece = Piece { at: data.address, bytes, data: signature, content: content.to_vec(), place };
        if packs {
            let packed = self.packed.packed.entry(process).or_default();
            let end = piece.at.saturating_add(bytes);
            packed.retain(|old| old.at.saturating_add(old.bytes) <= piece.at || end <= old.at);
            if packed.len() >= MOST {
                packed.remove(0);
            }
            return packed.push(piece);
        }
        let landings = self.packed.landings.get_mut(&process).into_iter().flatten();
        let Some(landing) = landings.into_iter().find(|l| (l.from..l.to).contains(&piece.at)) else { return };
        let piece = Piece { at: piece.at - landing.from, ..piece };
        match landing.packed.clone() {
            Some(packed) => self.check_unpacked(&packed, &piece),
            None if landing.unpacked.len() < MOST => landing.unpacked.push(piece),
            None => {}
        }
    }

    /// A message has found its receive.
    pub(crate) fn packed_paired(&mut self, message: u32, process: u32, receive: u32) {
        if let Some((packed, unpacked)) = self.packed.paired(message, process, receive) {
            unpacked.iter().for_each(|piece| self.check_unpacked(&packed, piece));
        }
    }

    fn check_unpacked(&mut self, packed: &[Piece], taken: &Piece) {
        let Some(put) = packed.iter().find(|piece| piece.at == taken.at) else { return };
        let n = put.content.len().min(taken.content.len());
        if n == 0 || put.content[..n] != taken.content[..n] {
            return;
        }
        let Compared::Different { at, left, right } = self.objects.signatures.compare(taken.data, put.data) else {
            return;
        };
        let text = format!(
            "Rank {} packed {}, but rank {} unpacks {} there. Element {at} is {right} in the message, but {left} here.",
            put.place.process,
            self.objects.signatures.describe(put.data),
            taken.place.process,
            self.objects.signatures.describe(taken.data)
        );
        let several = [put.place, taken.place].iter().any(|place| self.processes[place.process as usize].has_several());
        let sure = if several { Confidence::Possible } else { Confidence::Certain };
        let draft = Draft::new("message.unpacked-as").text(text).at_most(sure).number("byte", taken.at as i64);
        self.sink.add(draft.party(taken.place, "unpacks").party(put.place, "packs"));
    }
}
