//! Memory of a process by the number of ranks with which it has exchanged a first message.
//!
//! In each round every rank has one partner, so that all ranks have as many. It comes before any other message: an MPI that connects two ranks when
//! they communicate has no connections yet.

use std::time::Duration;

use mpiscope_machine::{Parameter, Scope};
use mpiscope_mpi::{Mpi, Rank, Tag};
use mpiscope_statistics::{bootstrap, median, sorted};

use super::EXPERIMENT;
use super::footprint::Footprint;
use crate::doubling::doubles;
use crate::error::BenchError;
use crate::intervals::{FEWEST, RESAMPLINGS};
use crate::journal::Measured;

const GREETING: Tag = 7021;
/// Interval at which a rank looks whether its partner has come: with more ranks than processors, that one may need this core.
const NAP: Duration = Duration::from_micros(50);

/// The numbers of partners at which memory is looked at: 0, 1, 2, 4, … and all.
pub fn steps(ranks: usize) -> Vec<usize> {
    let others = ranks.saturating_sub(1);
    let last = (others > 0).then_some(others);
    [0].into_iter().chain(doubles(1, others)).chain(last).collect()
}

/// A rank's partner in a round: each rank has every other one once in as many rounds as there are ranks.
fn partner(round: i32, rank: Rank, size: i32) -> Option<Rank> {
    Some((round - rank).rem_euclid(size)).filter(|&partner| partner != rank)
}

/// Exchanges a first message with every rank; the memory after some of them. Every rank calls it.
pub fn connect(mpi: &Mpi, rank: Rank, size: i32) -> Result<Vec<(usize, Footprint)>, BenchError> {
    let steps = steps(size as usize);
    let mut found: Vec<(usize, Footprint)> = Vec::new();
    let mut look = |partners: usize| {
        if steps.contains(&partners) {
            found.extend(Footprint::now().map(|footprint| (partners, footprint)));
        }
    };
    look(0);
    let mut requests = mpi.requests(2);
    for (before, partner) in (0..size).filter_map(|round| partner(round, rank, size)).enumerate() {
        let out = i64::from(rank).to_ne_bytes();
        let mut into = [0u8; 8];
        // SAFETY: both buffers live until the requests are complete.
        unsafe {
            mpi.world().irecv(into.as_mut_ptr(), into.len(), partner, GREETING, &mut requests)?;
            mpi.world().isend(out.as_ptr(), out.len(), partner, GREETING, &mut requests)?;
        }
        while !mpi.testall(&mut requests)? {
            std::thread::sleep(NAP);
        }
        if i64::from_ne_bytes(into) != i64::from(partner) {
            return Err(BenchError::Protocol { rank: partner });
        }
        look(before + 1);
    }
    Ok(found)
}

/// The moment after so many partners, as facts are named.
pub fn moment(partners: usize) -> String {
    format!("partners_{partners}")
}

/// The fact of a rank: its resident memory at that moment.
fn resident(partners: usize) -> String {
    format!("{}_resident", moment(partners))
}

/// Points of a rank: partners, and growth of its memory since it had none.
type Points = Vec<(f64, f64)>;

/// How memory grows with the partners, and by how much for each of them.
pub fn parameters(measured: &Measured) -> Vec<Parameter> {
    let ranks: Vec<Scope> = measured.scopes().into_iter().filter(|scope| scope.rank().is_some()).collect();
    let steps = steps(ranks.len());
    let points_of = |scope: &Scope| -> Points {
        let resident = |partners: usize| measured.fact(*scope, &resident(partners));
        let Some(first) = resident(0) else { return Points::new() };
        let point = |&partners: &usize| Some((partners as f64, resident(partners)? - first));
        steps.iter().filter_map(point).collect()
    };
    let all: Vec<Points> = ranks.iter().map(points_of).filter(|points| points.len() > 1).collect();
    let parameter = |id: String, text: String, value: f64, interval: Option<(f64, f64)>| Parameter {
        experiment: EXPERIMENT.id.to_owned(),
        id,
        text,
        ..measured.parameter(Scope::All, "B", value, interval)
    };
    let mut found = Vec::new();
    for &partners in steps.iter().filter(|&&partners| partners > 0) {
        let grown = all.iter().filter_map(|points| points.iter().find(|(x, _)| *x == partners as f64));
        let grown = sorted(&grown.map(|(_, bytes)| *bytes).collect::<Vec<_>>());
        if !grown.is_empty() {
            let text = format!(
                "growth of a process's resident memory by a first message to and from {}; median of the ranks",
                mpiscope_units::counted(partners as u64, "other rank(s)")
            );
            found.push(parameter(format!("memory_partners_{partners}"), text, median(&grown), None));
        }
    }
    // The first message also brings in code and buffers that all later ones share.
    let later = |points: &Points| if points.len() > 2 { points[1..].to_vec() } else { points.clone() };
    let all: Vec<Points> = all.iter().map(later).collect();
    let slopes: Vec<f64> = all.iter().filter_map(slope).collect();
    if !slopes.is_empty() {
        let text = "growth of a process's resident memory for each rank with which it exchanges a first message, from the second one on: slope over their number; median of the ranks";
        found.push(parameter(
            "memory_of_connection".to_owned(),
            text.to_owned(),
            median(&sorted(&slopes)),
            interval(&all),
        ));
    }
    found
}

/// The line of least squares, bytes for each partner; `None` if all points have the same number.
fn slope(points: &Points) -> Option<f64> {
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / points.len().max(1) as f64;
    let (x, y) = (mean(|point| point.0), mean(|point| point.1));
    let square: f64 = points.iter().map(|point| (point.0 - x).powi(2)).sum();
    let product: f64 = points.iter().map(|point| (point.0 - x) * (point.1 - y)).sum();
    (square > 0.0).then(|| product / square)
}

/// The 95 % interval of the median slope, by resampled ranks and points; `None` for two points of each rank, which say nothing about the line between them.
fn interval(all: &[Points]) -> Option<(f64, f64)> {
    if all.iter().map(Vec::len).sum::<usize>() < FEWEST || all.iter().any(|points| points.len() < 3) {
        return None;
    }
    fn draw<'a, T>(from: &'a [T], random: &mut fastrand::Rng) -> Vec<&'a T> {
        (0..from.len()).map(|_| &from[random.usize(..from.len())]).collect()
    }
    let again = |random: &mut fastrand::Rng| {
        let ranks = draw(all, random);
        let slopes = ranks.into_iter().filter_map(|points| slope(&draw(points, random).into_iter().copied().collect()));
        let slopes = sorted(&slopes.collect::<Vec<f64>>());
        vec![(!slopes.is_empty()).then(|| median(&slopes))]
    };
    bootstrap(RESAMPLINGS, 11, again)[0]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_rank_has_one_partner_in_a_round_and_all_in_the_end() {
        for size in 1..12 {
            for rank in 0..size {
                let mut all: Vec<Rank> = (0..size).filter_map(|round| partner(round, rank, size)).collect();
                all.sort_unstable();
                assert_eq!(all, (0..size).filter(|&other| other != rank).collect::<Vec<_>>());
            }
            for (round, rank) in (0..size).flat_map(|round| (0..size).map(move |rank| (round, rank))) {
                let of_partner = partner(round, rank, size).map(|other| partner(round, other, size));
                assert!(of_partner.is_none_or(|back| back == Some(rank)));
            }
        }
    }

    #[test]
    fn memory_is_looked_at_in_a_few_steps() {
        assert_eq!([steps(0), steps(1), steps(2)], [vec![0], vec![0], vec![0, 1]]);
        assert_eq!(
            (steps(4), steps(16), steps(17)),
            (vec![0, 1, 2, 3], vec![0, 1, 2, 4, 8, 15], vec![0, 1, 2, 4, 8, 16])
        );
    }

    /// Ranks whose memory grows by so many bytes for each partner, in steps of pages, and by 1 MB for the first one.
    fn measured(ranks: i32, bytes: f64) -> Measured {
        let mut measured = Measured::default();
        for (rank, partners) in (0..ranks).flat_map(|rank| steps(ranks as usize).into_iter().map(move |k| (rank, k))) {
            let grown = (partners as f64 * bytes / 4096.0 + f64::from(rank % 3) / 3.0).floor() * 4096.0;
            let bytes = 1e6 + if partners > 0 { 1e6 + grown } else { 0.0 };
            measured.facts.insert((Scope::Rank(rank), resident(partners)), bytes);
        }
        measured
    }

    #[test]
    fn the_slope_has_an_interval() {
        let found = parameters(&measured(16, 10_000.0));
        let ids: Vec<&str> = found.iter().map(|parameter| parameter.id.as_str()).collect();
        let steps = ["memory_partners_1", "memory_partners_2", "memory_partners_4", "memory_partners_8"];
        assert_eq!(ids, [&steps[..], &["memory_partners_15", "memory_of_connection"]].concat());
        let slope = found.last().unwrap();
        let (low, high) = (slope.low.unwrap(), slope.high.unwrap());
        assert!(low <= slope.value && slope.value <= high && (9_000.0..11_000.0).contains(&slope.value), "{slope:?}");
        assert!(high - low < 2_000.0, "{slope:?}");
        // A machine that grows at once and not by partners.
        assert_eq!(parameters(&measured(16, 0.0)).last().unwrap().value, 0.0);
    }

    #[test]
    fn two_points_have_no_interval() {
        let found = parameters(&measured(2, 8192.0));
        let slope = found.last().unwrap();
        assert_eq!((slope.value, slope.low), (1e6 + 8192.0, None));
        assert!(parameters(&Measured::default()).is_empty());
    }
}
