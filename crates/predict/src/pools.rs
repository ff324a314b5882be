//! Places to which ranks come equally often: the steps of one loop, with what ranks compute in each.

use crate::gaps::Gaps;

/// Places to which ranks come less often have no steps.
pub(crate) const STEPS: usize = 4;
/// Counts differ by this part where a rank lost its core between two calls that it makes one right after the other.
const ALIKE: f64 = 0.1;
/// A rank comes to a place at most so often in a step.
const MOST_CALLS: usize = 8;
/// A rank that computes less than this part of the mean has nothing that could be made longer.
const NOTHING: f32 = 0.01;

/// See the module. A step has a part up to each place to which all ranks come.
#[derive(Debug, Default)]
pub(crate) struct Pool {
    /// By part and step: what a rank computes, as the mean of all ranks, ns.
    means_ns: Vec<Vec<f32>>,
    /// By rank.
    ranks: Vec<OfRank>,
}

/// A rank in a pool.
#[derive(Clone, Debug, Default)]
struct OfRank {
    /// By place of the pool: in which part it is.
    parts: Vec<usize>,
    /// By part and step: what it computes, ns; empty for a rank that comes to none of the places.
    own_ns: Vec<Vec<f32>>,
    /// By part: the last step that got its mean as a whole, counted from 1.
    given: Vec<usize>,
}

impl Pool {
    /// Whether only one rank comes to its places.
    pub fn is_of_one(&self) -> bool {
        self.ranks.iter().filter(|of| !of.own_ns.is_empty()).count() == 1
    }

    /// With equal work, what a rank computes before a call of a step before which it has computed for `gap_ns`.
    pub fn equal_ns(&mut self, rank: usize, member: usize, step: usize, gap_ns: u64) -> Option<u64> {
        let of = self.ranks.get_mut(rank)?;
        let part = *of.parts.get(member)?;
        // Counts may differ a little: the last step has the rest.
        let step = step.min(self.means_ns.get(part)?.len().saturating_sub(1));
        let (mean_ns, own_ns) = (*self.means_ns.get(part)?.get(step)?, *of.own_ns.get(part)?.get(step)?);
        if own_ns > mean_ns * NOTHING {
            return Some((gap_ns as f64 * f64::from(mean_ns) / f64::from(own_ns)) as u64);
        }
        let given = of.given.get_mut(part)?;
        let is_first = *given <= step;
        *given = (*given).max(step + 1);
        Some(if is_first { mean_ns as u64 } else { 0 })
    }
}

/// A place of a pool.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InPool {
    /// Which one.
    pub pool: usize,
    /// Its number there.
    pub member: usize,
    /// How many of its calls are in one step.
    pub calls: usize,
}

/// A place to which ranks come equally often.
struct Place {
    number: usize,
    count: usize,
    ranks: Vec<bool>,
}

/// The pools, and by place which one it belongs to.
pub(crate) fn pools(gaps: &Gaps) -> (Vec<Pool>, Vec<Option<InPool>>) {
    let mut of_place = vec![None; gaps.places()];
    let mut places: Vec<Place> = (0..gaps.places()).filter_map(|number| place(gaps, number)).collect();
    places.sort_by_key(|place| place.count);
    let mut pools = Vec::new();
    while !places.is_empty() {
        let steps = places[0].count;
        let (mut with, without): (Vec<Place>, Vec<Place>) =
            places.into_iter().partition(|place| place.count as f64 <= steps as f64 * (1.0 + ALIKE));
        let mut ranks = vec![false; gaps.own_ns.len()];
        with.iter().for_each(|place| ranks.iter_mut().zip(&place.ranks).for_each(|(all, is)| *all |= is));
        // Only a rank that has a place in each step has others to which it comes more often in a step. Places to which all come
        // can be compared call by call.
        let is_known = |place: &Place| place.ranks.iter().zip(&ranks).all(|(is, all)| *all || !is);
        let is_of_some = |place: &Place| place.ranks != ranks && is_known(place);
        let (more, without): (Vec<Place>, Vec<Place>) =
            without.into_iter().partition(|place| is_of_some(place) && calls_in_step(place, steps).is_some());
        places = without;
        with.extend(more);
        for (member, place) in with.iter().enumerate() {
            let calls = calls_in_step(place, steps).unwrap_or(1);
            of_place[place.number] = Some(InPool { pool: pools.len(), member, calls });
        }
        pools.push(pool(gaps, (pools.len(), &with), &ranks, &of_place, steps));
    }
    (pools, of_place)
}

fn place(gaps: &Gaps, number: usize) -> Option<Place> {
    let counts = || (0..gaps.own_ns.len()).map(|rank| gaps.of(rank, number).len());
    let count = counts().max().filter(|&count| count >= STEPS)?;
    let is_alike = |n: usize| n == 0 || n as f64 >= count as f64 * (1.0 - ALIKE);
    let ranks = counts().map(|n| n > 0).collect();
    counts().all(is_alike).then_some(Place { number, count, ranks })
}

/// How many calls of a place are in a step, if it has the same number in each.
fn calls_in_step(place: &Place, steps: usize) -> Option<usize> {
    let calls = place.count as f64 / steps as f64;
    let whole = calls.round();
    let is_whole = (calls - whole).abs() <= ALIKE;
    (is_whole && whole >= 1.0 && whole <= MOST_CALLS as f64).then_some(whole as usize)
}

fn pool(
    gaps: &Gaps,
    (number, places): (usize, &[Place]),
    present: &[bool],
    of_place: &[Option<InPool>],
    steps: usize,
) -> Pool {
    let common: Vec<usize> = (0..places.len()).filter(|at| places[*at].ranks == present).collect();
    let parts = common.len().max(1);
    let mut pool = Pool { means_ns: vec![vec![0.0; steps]; parts], ranks: vec![OfRank::default(); present.len()] };
    for rank in (0..present.len()).filter(|rank| present[*rank]) {
        // In the order of a step.
        let members = gaps.order[rank].iter().filter_map(|place| of_place[*place].filter(|of| of.pool == number));
        let members: Vec<InPool> = members.collect();
        let mut of =
            OfRank { parts: vec![0; places.len()], own_ns: vec![vec![0.0; steps]; parts], given: vec![0; parts] };
        // What comes after the last common place is done before the first one of the next step.
        let part_of = |member: usize| common.iter().position(|at| *at == member);
        let mut part = members.iter().find_map(|of| part_of(of.member)).unwrap_or(0);
        for &InPool { member, calls, .. } in members.iter().rev() {
            part = part_of(member).unwrap_or(part);
            of.parts[member] = part;
            for (occurrence, ns) in gaps.of(rank, places[member].number).iter().enumerate() {
                of.own_ns[part][(occurrence / calls).min(steps - 1)] += ns;
            }
        }
        pool.ranks[rank] = of;
    }
    let count = present.iter().filter(|is| **is).count().max(1) as f32;
    for of in &pool.ranks {
        for (means_ns, own_ns) in pool.means_ns.iter_mut().zip(&of.own_ns) {
            means_ns.iter_mut().zip(own_ns).for_each(|(mean_ns, ns)| *mean_ns += ns / count);
        }
    }
    pool
}
