//! `datatypes`: messages whose data are not contiguous, by a derived datatype, by a loop that packs, and by `MPI_Pack`.
//!
//! The leader's data are blocks with gaps; the partner's are contiguous, so that the times are those of one side. Each message is answered by
//! a small one: the time is that of the round trip.
//!
//! Source: Gropp, Lusk and Swider, *Improving the Performance of MPI Derived Datatypes* (1999); Träff, Gropp and Thakur, *Self-Consistent MPI
//! Performance Guidelines* (2010): a derived type ought not to be slower than packing.

mod blocks;

use std::time::{Duration, Instant};

use mpiscope_machine::Parameter;
use mpiscope_mpi::{Datatypes, ELEMENT, Layout, Tag};

use crate::buffers::{buffer, pattern};
use crate::error::BenchError;
use crate::experiment::{AxisOf, Experiment, Numbers, Rows, Table};
use crate::journal::Measured;
use crate::pairwise::{End, pairwise};
use crate::ratio::Ratio;
use crate::rounds::Together;
use crate::schedule::Place;
use crate::session::Session;
use blocks::{Blocks, SHAPES, Shape};

pub const EXPERIMENT: Experiment = Experiment {
    id: "datatypes",
    what: "messages of up to 64 KiB between two ranks, of which one has its data in blocks with gaps: by a derived datatype, by a loop that packs, and by MPI_Pack or MPI_Unpack",
    measures: "time of the message and a small answer, by length of a block and distance of the blocks, sent and received",
    parameters: "time with the derived type divided by that of packing; what to use instead of a type that is slower",
    source: "Gropp, Lusk and Swider, Improving the Performance of MPI Derived Datatypes (1999); guidelines of Träff, Gropp and Thakur 2010",
    fewest_ranks: 2,
    weight: 2,
    is_standard: false,
    run,
    parameters_of: parameters,
    axis: |_| AxisOf { name: "block", unit: "B" },
    table: Table {
        numbers: Numbers::Times,
        rows: Rows::Series(&["layout", "side", "by", "distance"]),
        shown: |_, _| true,
    },
};

const DATA: Tag = 7501;
const ANSWER: Tag = 7502;
/// Bytes of a message.
const MESSAGE: usize = 64 << 10;
/// Bytes of a block.
const BLOCKS: [usize; 4] = [8, 64, 512, 4096];
/// Distances of the blocks' begins, in blocks.
const DISTANCES: [usize; 2] = [2, 8];

/// Which end has the blocks: the one that is timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Send,
    Receive,
}

/// How the message is made of the blocks, or the blocks of the message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum By {
    Derived,
    Loop,
    Pack,
}

const SIDES: [Side; 2] = [Side::Send, Side::Receive];
const ALL_BY: [By; 3] = [By::Derived, By::Loop, By::Pack];

impl Side {
    fn name(self) -> &'static str {
        match self {
            Side::Send => "send",
            Side::Receive => "receive",
        }
    }
}

impl By {
    fn name(self, side: Side) -> &'static str {
        match (self, side) {
            (By::Derived, _) => "derived",
            (By::Loop, _) => "loop",
            (By::Pack, Side::Send) => "MPI_Pack",
            (By::Pack, Side::Receive) => "MPI_Unpack",
        }
    }
}

/// A place.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Case {
    blocks: Blocks,
    distance: usize,
    side: Side,
    by: By,
}

fn series(shape: Shape, side: Side, by: By, distance: usize) -> String {
    format!("{}/{}/{}/{distance} blocks", shape.name(), side.name(), by.name(side))
}

impl Case {
    fn series(&self) -> String {
        series(self.blocks.shape, self.side, self.by, self.distance)
    }
}

fn cases(most: usize) -> Vec<Case> {
    let message = MESSAGE.min(most).max(ELEMENT);
    let mut found = Vec::new();
    for shape in SHAPES {
        for bytes in BLOCKS.into_iter().filter(|&bytes| bytes <= message) {
            for distance in DISTANCES {
                let block = bytes / ELEMENT;
                let blocks = Blocks { shape, count: message / bytes, block, distance: block * distance };
                for (side, by) in SIDES.into_iter().flat_map(|side| ALL_BY.map(|by| (side, by))) {
                    found.push(Case { blocks, distance, side, by });
                }
            }
        }
    }
    found
}

fn run(session: &mut Session) -> Result<(), BenchError> {
    let cases = cases(session.plan.max_bytes);
    let place = |case: &Case| Place { series: case.series(), x: (case.blocks.block * ELEMENT) as u64, moved: 0.0 };
    let places: Vec<Place> = cases.iter().map(place).collect();
    pairwise(session, &places, &mut |session, end| Work::new(session.mpi.datatypes()?, end, cases.clone()))
}

struct Work<'a> {
    calls: Datatypes<'a>,
    end: End,
    cases: Vec<Case>,
    /// For each case.
    layouts: Vec<Layout>,
    /// Blocks with gaps.
    spread: Vec<u8>,
    /// The message without gaps.
    flat: Vec<u8>,
}

impl<'a> Work<'a> {
    fn new(calls: Datatypes<'a>, end: End, cases: Vec<Case>) -> Result<Work<'a>, BenchError> {
        let room = cases.iter().map(|case| case.blocks.room()).max().unwrap_or(0);
        let message = cases.iter().map(|case| case.blocks.message()).max().unwrap_or(0);
        let layouts = cases.iter().map(|case| case.blocks.layout(&calls)).collect::<Result<_, _>>()?;
        Ok(Work { calls, end, cases, layouts, spread: buffer(room)?, flat: buffer(message)? })
    }

    /// One message and its answer.
    fn message(&mut self, at: usize) -> Result<(), BenchError> {
        let Case { blocks, side, by, .. } = self.cases[at];
        let (calls, layout, peer) = (&self.calls, &self.layouts[at], self.end.peer);
        let (spread, flat) = (&mut self.spread, &mut self.flat[..blocks.message()]);
        match (self.end.is_leader, side) {
            (true, Side::Send) => {
                match by {
                    By::Derived => calls.send(spread, layout, peer, DATA)?,
                    By::Loop => {
                        blocks.pack(spread, flat);
                        calls.send_packed(flat, peer, DATA)?;
                    }
                    By::Pack => {
                        calls.pack(spread, layout, flat)?;
                        calls.send_packed(flat, peer, DATA)?;
                    }
                }
                calls.recv_packed(&mut [0; 8], peer, ANSWER)?;
            }
            (true, Side::Receive) => {
                calls.send_packed(&[0; 8], peer, ANSWER)?;
                match by {
                    By::Derived => calls.recv(spread, layout, peer, DATA)?,
                    By::Loop => {
                        calls.recv_packed(flat, peer, DATA)?;
                        blocks.unpack(flat, spread);
                    }
                    By::Pack => {
                        calls.recv_packed(flat, peer, DATA)?;
                        calls.unpack(flat, spread, layout)?;
                    }
                }
            }
            (false, Side::Send) => {
                calls.recv_packed(flat, peer, DATA)?;
                calls.send_packed(&[0; 8], peer, ANSWER)?;
            }
            (false, Side::Receive) => {
                calls.recv_packed(&mut [0; 8], peer, ANSWER)?;
                calls.send_packed(flat, peer, DATA)?;
            }
        }
        Ok(())
    }
}

impl Drop for Work<'_> {
    fn drop(&mut self) {
        for layout in self.layouts.drain(..) {
            // At the end of an experiment, an MPI that cannot free a type loses nothing by it.
            let _ = self.calls.free(layout);
        }
    }
}

/// A byte that no pattern puts into a gap.
const GAP: u8 = 0xa5;

impl Together for Work<'_> {
    fn verify(&mut self, at: usize) -> Result<(), BenchError> {
        let Case { blocks, side, .. } = self.cases[at];
        let (seed, length) = (at as u32, blocks.message());
        let message = |at: usize| pattern(seed, at);
        let sends = self.end.is_leader == (side == Side::Send);
        // What is sent has the pattern, what is received into has none of its bytes.
        self.spread.fill(GAP);
        let flat = self.flat[..length].iter_mut().enumerate();
        flat.for_each(|(at, byte)| *byte = if sends { message(at) } else { !message(at) });
        blocks.unpack(&self.flat, &mut self.spread);
        if self.end.is_leader {
            // The leader's message comes from its blocks, and goes there.
            self.flat.fill(GAP);
        }
        self.message(at)?;
        let is_wrong = |found: &[u8]| (0..length).position(|at| found[at] != message(at));
        let wrong = match (sends, self.end.is_leader) {
            (true, _) => None,
            (false, false) => is_wrong(&self.flat),
            (false, true) => {
                blocks.pack(&self.spread, &mut self.flat);
                // Gaps stay as they were.
                is_wrong(&self.flat).or_else(|| {
                    let gaps = blocks.gaps().find(|&at| self.spread[at] != GAP);
                    gaps.map(|_| length)
                })
            }
        };
        match wrong {
            None => Ok(()),
            Some(wrong) => Err(BenchError::WrongBytes {
                series: self.cases[at].series(),
                bytes: length,
                from: self.end.peer,
                to: self.end.own,
                at: wrong as u64,
            }),
        }
    }

    fn batch(&mut self, at: usize, operations: u64) -> Result<Option<Duration>, BenchError> {
        let begun = Instant::now();
        (0..operations).try_for_each(|_| self.message(at))?;
        Ok(Some(begun.elapsed()))
    }
}

/// The time with the derived type, divided by that of both ways to pack.
fn parameters(measured: &Measured) -> Vec<Parameter> {
    let mut found = Vec::new();
    for shape in SHAPES {
        for (side, distance) in SIDES.into_iter().flat_map(|side| DISTANCES.map(|distance| (side, distance))) {
            for by in [By::Loop, By::Pack] {
                let (what, packing) = (side.name(), by.name(side));
                let ratio = Ratio {
                    experiment: EXPERIMENT.id,
                    id: format!("{}_{what}_{distance}_to_{packing}", shape.name()),
                    of: &series(shape, side, By::Derived, distance),
                    by: &series(shape, side, by, distance),
                    text: format!(
                        "time with a type of {}, blocks at every {distance} of their lengths, {what} side, divided by that with {}",
                        shape.function(),
                        packing.replace("loop", "a loop that packs"),
                    ),
                };
                let instead = match (side, by) {
                    (_, By::Pack) => packing,
                    (Side::Send, _) => "a loop that packs",
                    (Side::Receive, _) => "a loop that unpacks",
                };
                found.extend(ratio.guidelines(measured, |block| {
                    let (block, every) = (mpiscope_units::bytes(block), mpiscope_units::bytes(block * distance as u64));
                    format!("{instead} instead of {} to {what} blocks of {block} every {every}", shape.function())
                }));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use mpiscope_machine::Scope;

    #[test]
    fn every_layout_is_compared_on_both_sides() {
        let all = cases(8 << 20);
        assert_eq!(all.len(), SHAPES.len() * BLOCKS.len() * DISTANCES.len() * 6);
        assert!(all.iter().all(|case| case.blocks.message() == MESSAGE));
        let few = cases(600);
        assert!(few.iter().all(|case| case.blocks.message() <= 600) && !few.is_empty());
        assert!(cases(1).iter().all(|case| case.blocks.message() == 8));
    }

    #[test]
    fn a_type_that_is_slower_than_packing_is_reported() {
        let mut measured = Measured::default();
        for (by, ns) in [("derived", 1800.0), ("loop", 1000.0), ("MPI_Pack", 1790.0)] {
            measured.times.insert((Scope::Pair(0), format!("vector/send/{by}/2 blocks"), 64), vec![ns; 9]);
        }
        let found = parameters(&measured);
        let ids: Vec<(&str, Scope)> = found.iter().map(|p| (p.id.as_str(), p.scope)).collect();
        assert_eq!(ids, [("vector_send_2_to_loop", Scope::Pair(0)), ("vector_send_2_to_MPI_Pack", Scope::Pair(0))]);
        assert_eq!(
            found[0].advice.as_deref(),
            Some("a loop that packs instead of MPI_Type_vector to send blocks of 64 B every 128 B: 1.8 times as fast")
        );
        assert_eq!(found[1].advice, None);
    }
}
