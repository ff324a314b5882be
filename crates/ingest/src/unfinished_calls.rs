//! The arguments of calls that had not returned when the recording ended.
//!
//! The collector stores the arguments of every call at its entry ([`InFlight`]), so that they are known even if the process
//! never returns. Here they become a [`Shape`] as if the call had returned, but without sizes: of datatypes only handles are
//! known.

use mpiscope_abi::constants::Constants;
use mpiscope_abi::spec::kind;
use mpiscope_run::SiteTable;
use mpiscope_store::{CallInfo, RankId, SiteId};
use mpiscope_trace::Shape;
use mpiscope_trace::layout::InFlight;
use mpiscope_trace::reader::ThreadView;
use mpiscope_trace::shape::flag;

use crate::call_info::{Envelope, Meaning, Peer, constants};
use crate::envelopes::Envelopes;
use crate::input::Times;

/// Open MPI's number for `MPI_COMM_WORLD` in Fortran, for which no handle is defined.
const FORTRAN_WORLD: u64 = 0;
/// Its id in every rank file.
const WORLD: u32 = 1;

/// A call of a rank that had not returned.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OpenCall {
    pub thread: u16,
    pub start_ns: u64,
    /// Until when it is known to be open.
    pub end_ns: u64,
    /// Its facts, behind those of all shapes.
    pub facts: u32,
    /// The rank's id of the communicator.
    pub comm: u32,
    /// Number of its requests, and the first of them.
    pub requests: u32,
    pub request: u32,
    /// Inside another open call.
    pub is_nested: bool,
}

/// The open calls of a rank until `end_ns`, inner ones first, and what they refer to.
pub(crate) fn calls(
    meaning: &Meaning<'_>,
    sites: &SiteTable,
    threads: &[ThreadView],
    times: &Times,
    end_ns: u64,
    (facts, envelopes): (&mut Vec<CallInfo>, &mut Envelopes),
) -> Vec<OpenCall> {
    let mut found = Vec::new();
    for (thread, view) in threads.iter().enumerate() {
        let known = view.in_flight.iter().filter(|call| mpiscope_abi::function(call.function).is_some());
        for (depth, call) in known.enumerate() {
            let shape = shape(meaning, call);
            let envelope = meaning.envelope(&shape);
            let mut row = meaning.info_of_shape(&shape);
            (row.peer, row.peer2) = peers(&row, &envelope);
            row.site = sites.caller_index(meaning.at, call.caller).map_or(SiteId(0), |site| SiteId(site as u32));
            let start_ns = times.since(call.start);
            found.push(OpenCall {
                thread: thread as u16,
                start_ns,
                end_ns: end_ns.max(start_ns),
                facts: facts.len() as u32,
                comm: shape.comm,
                requests: if names_requests(call.function) { call.requests } else { 0 },
                request: call.request,
                is_nested: depth > 0,
            });
            facts.push(row);
            envelopes.push(envelope);
        }
    }
    // Outermost ones come last, as calls that return do.
    found.reverse();
    found
}

/// First and second peer of the call.
fn peers(facts: &CallInfo, envelope: &Envelope) -> (RankId, RankId) {
    let rank = |peer: Peer| peer.rank();
    match facts.role {
        mpiscope_abi::role::Role::SendReceive => (rank(envelope.to), rank(envelope.from)),
        _ => (rank(envelope.to), RankId::NONE),
    }
}

fn names_requests(function: u32) -> bool {
    let steps = mpiscope_abi::function(function).map(mpiscope_abi::steps).unwrap_or_default();
    steps.iter().any(|s| matches!(s.kind, kind::REQUEST | kind::REQUESTS))
}

/// Decodes the arguments of a call by the table of the interface.
fn shape(meaning: &Meaning<'_>, call: &InFlight) -> Shape {
    let mut shape = Shape { function: call.function, ..Shape::default() };
    if call.fortran != 0 {
        shape.flags |= flag::FORTRAN;
    }
    let Some(function) = mpiscope_abi::function(call.function) else { return shape };
    let constants = constants(meaning.rank);
    for step in mpiscope_abi::steps(function) {
        let Some(&word) = call.words.get(usize::from(step.c)) else { continue };
        let int = word as u32 as i32;
        match step.kind {
            kind::COMM => shape.comm = comm(meaning, constants, call, word),
            kind::PEER => shape.peer = int,
            kind::PEER2 => shape.peer2 = int,
            kind::TAG => shape.tag = int,
            kind::TAG2 => shape.tag2 = int,
            kind::ROOT => shape.root = int,
            kind::WINDOW => shape.window = only(meaning.rank.defs.windows.keys()),
            kind::FILE => shape.file = only(meaning.rank.defs.files.keys()),
            _ => {}
        }
    }
    shape
}

fn comm(meaning: &Meaning<'_>, constants: &Constants, call: &InFlight, word: u64) -> u32 {
    let handle = if constants.int_handles { u64::from(word as u32) } else { word };
    let is_world = call.fortran != 0 && !constants.int_handles && word == FORTRAN_WORLD;
    meaning.rank.defs.comm_of_handle(handle).unwrap_or(if is_world { WORLD } else { 0 })
}

/// Handles of windows and files are not stored: the object is known only if there is exactly one.
fn only<'a>(mut ids: impl Iterator<Item = &'a u32>) -> u32 {
    match (ids.next(), ids.next()) {
        (Some(&id), None) => id,
        _ => 0,
    }
}
