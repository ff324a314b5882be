//! The run with a core for each rank whenever it is ready to run.

use mpiscope_model::Tape;
use mpiscope_store::{Dimensions, RankId};
use rustc_hash::FxHashMap;

use crate::explanation::machine::RankUse;
use crate::explanation::{Remedy, Speed};

/// One in so many calls of a place was surely not disturbed, where everything is on one host.
const UNDISTURBED: usize = 10;
/// One in so many, where messages come from other hosts: those that are on their way already when the call begins take less than the network
/// does.
const UNDISTURBED_FAR: usize = 2;

/// These ranks do not wait for a core: their computing and the time of the calls themselves are shorter by the share in which they
/// did. Waiting for a core while waiting for another rank costs nothing, and the replay shows that. Nor does it cost anything while a
/// message is on its way: a call takes at least what the fastest tenth of the calls there take, and with messages of other hosts the fastest half.
pub(super) fn with_cores(ranks: &[&RankUse], tape: &Tape, dimensions: &Dimensions) -> Remedy {
    let own = OwnTimes::new(tape, dimensions.ranks.len());
    let speed = |at: usize| {
        let world = dimensions.rank(RankId(at as u32));
        let Some(rank) = ranks.iter().find(|r| r.rank == world) else { return Speed::of_computing(1.0) };
        let computing = &rank.computing;
        let in_mpi_ns = rank.sampled_ns.saturating_sub(computing.computing_ns);
        let lost_in_mpi_ns = rank.main_run_queue_ns.saturating_sub(computing.waiting_ns);
        let (least_ns, inside) = own.without(at, part(lost_in_mpi_ns as f64, in_mpi_ns as f64));
        Speed { computing: 1.0 - part(computing.waiting_ns as f64, computing.computing_ns as f64), inside, least_ns }
    };
    Remedy { speed: (0..dimensions.ranks.len()).map(speed).collect(), ..Remedy::default() }
}

fn part(lost: f64, all: f64) -> f64 {
    if all > 0.0 { (lost / all).clamp(0.0, 1.0) } else { 0.0 }
}

/// Times of the calls themselves, ns, by rank, and by facts and [`mpiscope_model::Own::is_far`].
struct OwnTimes(Vec<FxHashMap<(u32, bool), Vec<u64>>>);

impl OwnTimes {
    fn new(tape: &Tape, ranks: usize) -> OwnTimes {
        let mut times = vec![FxHashMap::<(u32, bool), Vec<u64>>::default(); ranks];
        tape.each_own(|own| {
            if let Some(of) = times.get_mut(own.rank as usize) {
                of.entry((own.facts, own.is_far)).or_default().push(own.ns);
            }
        });
        times.iter_mut().flat_map(FxHashMap::values_mut).for_each(|of| of.sort_unstable());
        OwnTimes(times)
    }

    /// What calls of a rank take at least, and which factor of the rest leaves out this share of all.
    fn without(&self, rank: usize, share: f64) -> (FxHashMap<(u32, bool), u64>, f64) {
        let Some(times) = self.0.get(rank) else { return (FxHashMap::default(), 1.0) };
        let mut least_ns = FxHashMap::default();
        let (mut all, mut more) = (0.0, 0.0);
        for (&place, of) in times {
            let least = of[of.len() / if place.1 { UNDISTURBED_FAR } else { UNDISTURBED }];
            least_ns.insert(place, least);
            all += of.iter().sum::<u64>() as f64;
            more += of.iter().map(|ns| ns.saturating_sub(least)).sum::<u64>() as f64;
        }
        (least_ns, 1.0 - part(share * all, more))
    }
}

#[cfg(test)]
mod tests {
    use mpiscope_model::Own;

    use super::*;

    fn of_calls(times_ns: &[u64]) -> OwnTimes {
        let mut tape = Tape::new(vec![0], mpiscope_model::Limits::default());
        let mut now_ns = 0;
        for &ns in times_ns {
            tape.enter(0, 2, now_ns);
            now_ns += ns;
            tape.exit(0, 2, now_ns, std::iter::empty());
        }
        tape.finish();
        OwnTimes::new(&tape, 1)
    }

    #[test]
    fn what_all_calls_take_was_no_waiting_for_a_core() {
        // Messages over a slow network.
        assert_eq!(of_calls(&[1_000_000; 50]).without(0, 0.7), (FxHashMap::from_iter([((2, false), 1_000_000)]), 1.0));
        // A few were held up: 40 ms of 90 ms.
        let (least_ns, inside) = of_calls(&[[1_000_000; 50].as_slice(), &[4_000_000; 10]].concat()).without(0, 0.7);
        assert_eq!((least_ns[&(2, false)], inside), (1_000_000, 0.0));
        let (_, inside) = of_calls(&[[1_000_000; 50].as_slice(), &[4_000_000; 10]].concat()).without(0, 1.0 / 6.0);
        assert!((inside - 0.5).abs() < 1e-9, "{inside}");
        assert_eq!(of_calls(&[]).without(0, 0.7), (FxHashMap::default(), 1.0));
    }

    #[test]
    fn a_call_keeps_what_it_takes_in_any_case() {
        let speed = Speed { computing: 1.0, inside: 0.25, least_ns: FxHashMap::from_iter([((0, false), 1_000)]) };
        let left = |facts, is_far, ns| speed.own_ns(Own { rank: 0, facts, ns, is_far });
        assert_eq!(left(0, false, 5_000), 2_000);
        assert_eq!([left(0, false, 300), left(0, true, 4_000), left(7, false, 4_000)], [300, 1_000, 1_000]);
    }
}
