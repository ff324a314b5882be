//! Experiments in which all ranks begin each operation at the same moment.
//!
//! # Clock windows, not barriers
//!
//! Ranks leave a barrier at different times, which differ among MPIs and are as long as a short operation. And where a rank
//! loses its processor in one of hundreds of barriers, all others wait: few samples are left. So the ranks agree on a clock
//! ([`clock`]) and on a sequence of windows. Each operation begins with its window; its time ends when the slowest rank leaves it. An
//! operation that a rank began late, or that ran over into the next window, does not count ([`mod@counted`]). Ranks that are late make
//! the missed operations at once, without waiting, so that a pause costs no more than itself.
//!
//! Until its window begins, a rank sleeps, and at the end reads the clock in a loop. So it does while it waits for orders: on a busy machine
//! it then has not used up its time slice when the window begins. If there are more ranks than processors it
//! yields the processor there. Otherwise it does not: a process of something else would take it for a whole time slice.
//!
//! Ranks that are not bound may have come to one processor ([`spread`]): after a batch of which too little counts, they move apart.
//!
//! With a skew ([`mod@skew`]), the ranks begin each operation spread over a time, and its time counts from the begin of the last one.
//!
//! Where too few windows are kept even so, a sample begins after barriers, as in [`crate::rounds`]; this is reported.
//!
//! Source: Hoefler, Schneider and Lumsdaine, *Accurately Measuring Collective Operations at Massive Scale* (2008); Hunold and Carpen-Amarie,
//! *Reproducible MPI Benchmarking Is Still Not as Easy as You Think* (2016).

mod clock;
mod counted;
mod skew;
pub mod spread;

use std::ops::Range;
use std::time::{Duration, Instant};

use mpiscope_machine::{Parameter, Scope};
use mpiscope_mpi::{Comm, Rank, Tag};

use crate::error::BenchError;
use crate::journal::Measured;
use crate::rounds::{END, VERIFY, receive_words, send_words};
use crate::schedule::{Batch, Place};
use crate::session::Session;
use clock::{Clock, own_ns};
use counted::{Length, Limits, Tally, Timed, counted, mean};
use skew::Skew;
use spread::{move_to, place_on_host};

const CONTROL: Tag = 7205;
const TIMES: Tag = 7206;
/// The place that means: compare the clocks.
const CLOCK: u64 = END - 1;
/// The place that means: others measure.
const REST: u64 = END - 2;
/// The begin of a batch that means: a barrier before each operation.
const BARRIERS: u64 = 0;
/// Most operations of a batch. Each is timed by itself, so that few are enough, and a batch cannot last for seconds where ranks have to wait for
/// each other's time slices in each of them.
const MOST_OPERATIONS: u64 = 64;
/// Batches with windows for one sample, before it begins after barriers.
const TRIES: usize = 8;
/// A rank sleeps until so long before its window. The kernel wakes it up to 50 µs late, and a core that was idle needs as long again.
const AWAKE_NS: i64 = 150_000;
/// A rank that waits for a message looks for it without a pause so long, and then at this interval.
const PATIENCE_NS: i64 = 20_000;
const NAP: Duration = Duration::from_micros(20);
/// The same of a rank that has no part in what others measure, where these need its processor.
const LONG_NAP: Duration = Duration::from_millis(1);
/// Time between the announcement of a batch and its first window: how it begins, and its limits.
const LEAD_NS: i64 = 100_000;
const LEADS_NS: (i64, i64) = (30_000, 20_000_000);

/// The fact that has the time over which the ranks' begins are spread, ns; absent if they begin at once.
pub const SKEW: &str = "skew";
const DROPPED: &str = "windows_dropped";
const CLOCK_ERROR: &str = "clock_error";

/// The first ranks, if not all ranks make an operation.
#[derive(Clone, Copy)]
pub struct Part<'a> {
    pub ranks: i32,
    pub comm: Comm<'a>,
}

/// What all ranks do at a place; `at` is an index in the places.
pub trait Operations {
    /// Makes one operation, in which every byte is compared with what was sent. Called once for each place, before it is measured.
    fn verify(&mut self, at: usize) -> Result<(), BenchError>;

    /// Makes one operation.
    fn operation(&mut self, at: usize) -> Result<(), BenchError>;

    /// Which ranks make it; `None` if all do. Called on these ranks.
    fn part(&self, _at: usize) -> Option<Part<'_>> {
        None
    }
}

/// Moments at which all ranks begin something, for experiments that look at single events.
pub struct Start {
    clock: Clock,
}

impl Start {
    /// Compares the clocks; collective.
    pub fn new(session: &Session) -> Result<Start, BenchError> {
        Ok(Start { clock: Clock::new(session)? })
    }

    /// Waits until the next moment, which is by this rank's own clock; collective.
    pub fn next(&self, session: &Session) -> Result<i64, BenchError> {
        let lead_ns = if session.is_crowded { LEADS_NS.1 / 10 } else { 2 * LEAD_NS };
        let begin_ns = self.clock.own_of(session.share(|_| own_ns() + lead_ns)?);
        wait_until(begin_ns, session.is_crowded);
        Ok(begin_ns)
    }

    /// The own clock.
    pub fn now_ns() -> i64 {
        own_ns()
    }
}

/// Measures all places on all ranks, which begin each operation spread over this time. Every rank calls it with the same places.
pub fn windowed(
    session: &mut Session,
    places: Vec<Place>,
    spread: Duration,
    work: &mut dyn Operations,
) -> Result<(), BenchError> {
    let mut clock = Clock::new(session)?;
    let mut skew = Skew::new(spread, session.rank, session.size, session.plan.seed);
    if session.rank != 0 {
        return follow(session, &mut clock, &mut skew, places.len(), work);
    }
    if !spread.is_zero() {
        session.fact(Scope::All, SKEW, spread.as_nanos() as f64);
    }
    let lengths = vec![Length::first(); places.len()];
    let mut leader = Leader {
        clock,
        skew,
        work,
        lengths,
        lead_ns: LEAD_NS,
        awake: session.size,
        tally: Tally::default(),
        was_enough: true,
    };
    let mut schedule = session.schedule(places, session.plan.seed, Instant::now(), session.budget);
    while let Some(at) = schedule.next() {
        leader.compare_clocks(session)?;
        let count = match schedule.operations(at) {
            Some(count) => count,
            None => {
                leader.wake(session, at)?;
                leader.announce(session, Order::new(at as u64, VERIFY))?;
                leader.work.verify(at)?;
                schedule.calibrate(at, |count| {
                    let batch = leader.measure(session, at, count)?;
                    Ok((batch.operations, batch.time_ns))
                })?
            }
        };
        let batch = leader.measure(session, at, count)?;
        schedule.sample(session, Scope::All, at, &batch)?;
    }
    announce(session, 1..session.size, Order::new(END, 1))?;
    session.fact(Scope::All, DROPPED, leader.tally.dropped_share());
    if let Some(error_ns) = leader.clock.error_ns() {
        session.fact(Scope::All, CLOCK_ERROR, error_ns as f64);
    }
    for problem in leader.tally.problems(session.experiment) {
        session.problem(problem);
    }
    session.flush()
}

/// How well windows were kept, as parameters of an experiment.
pub fn parameters(experiment: &str, measured: &Measured) -> Vec<Parameter> {
    let made = |id: &str, unit: &str, text: &str| {
        let value = measured.fact(Scope::All, id)?;
        Some(Parameter {
            experiment: experiment.to_owned(),
            id: id.to_owned(),
            text: text.to_owned(),
            ..measured.parameter(Scope::All, unit, value, None)
        })
    };
    let dropped = made(
        DROPPED,
        "1",
        "share of operations that do not count: a rank missed the begin, or they ran over into the next window",
    );
    let error = made(CLOCK_ERROR, "ns", "by how much the clocks of two hosts may differ, at most");
    dropped.into_iter().chain(error).collect()
}

/// Rank 0's part.
struct Leader<'a> {
    clock: Clock,
    skew: Skew,
    work: &'a mut dyn Operations,
    /// Of each place.
    lengths: Vec<Length>,
    lead_ns: i64,
    /// Ranks from this one on rest.
    awake: Rank,
    tally: Tally,
    /// Whether enough of the last batch counted.
    was_enough: bool,
}

impl Leader<'_> {
    fn compare_clocks(&mut self, session: &Session) -> Result<(), BenchError> {
        if !self.clock.is_due() {
            return Ok(());
        }
        announce(session, 1..session.size, Order::new(CLOCK, 1))?;
        self.awake = session.size;
        self.clock.compare(session)
    }

    /// How many ranks make an operation.
    fn ranks(&self, session: &Session, at: usize) -> Rank {
        self.work.part(at).map_or(session.size, |part| part.ranks)
    }

    /// Tells ranks that have no part in what comes, and that wait without a long nap, to rest; whether others were at rest that have one.
    fn wake(&mut self, session: &Session, at: usize) -> Result<bool, BenchError> {
        let ranks = self.ranks(session, at);
        let was_at_rest = self.awake < ranks;
        if session.is_crowded {
            announce(session, ranks..self.awake, Order::new(REST, 1))?;
            self.awake = ranks;
        }
        Ok(was_at_rest)
    }

    /// Sends it to the ranks that have a part in it.
    fn announce(&self, session: &Session, order: Order) -> Result<(), BenchError> {
        announce(session, 1..self.ranks(session, order.at as usize), order)
    }

    /// A sample.
    fn measure(&mut self, session: &Session, at: usize, operations: u64) -> Result<Batch, BenchError> {
        let operations = operations.min(MOST_OPERATIONS).min(self.skew.most_operations());
        for _ in 0..TRIES {
            if self.tally.is_given_up() {
                break;
            }
            let was_at_rest = self.wake(session, at)?;
            let until_awake_ns = if was_at_rest { 2 * LONG_NAP.as_nanos() as i64 } else { 0 };
            let limits = self.lengths[at].limits(session.is_crowded);
            let order = Order {
                begin_ns: (own_ns() + self.lead_ns + until_awake_ns) as u64,
                // What limits the operation begins with the last rank.
                length_ns: (limits.length_ns + self.skew.ns()) as u64,
                is_spread: u64::from(!self.was_enough && !session.is_crowded),
                ..Order::new(at as u64, operations)
            };
            let times = self.batch(session, order)?;
            let first_ns = times.iter().filter_map(|of| Some(of.first()?.began_ns)).max().unwrap_or(0);
            self.lead_ns = next_lead(self.lead_ns, first_ns > limits.late_ns);
            let counted = counted(&times, limits);
            let share = counted.len() as f64 / operations.max(1) as f64;
            self.lengths[at].adapt(&times, share, session.is_crowded);
            self.was_enough = self.tally.add(operations, counted.len() as u64);
            if let Some(batch) = mean(&counted).filter(|_| self.was_enough) {
                self.tally.sample(false);
                return Ok(self.of_ranks(batch));
            }
        }
        self.tally.sample(true);
        self.wake(session, at)?;
        let times = self.batch(session, Order::new(at as u64, operations))?;
        mean(&counted(&times, Limits::NONE)).map(|batch| self.of_ranks(batch)).ok_or(BenchError::Protocol { rank: 0 })
    }

    /// The sample without the times of other ranks, where these have left before the last one began.
    fn of_ranks(&self, batch: Batch) -> Batch {
        if self.skew.ns() == 0 { batch } else { Batch { ranks_ns: None, ..batch } }
    }

    /// The times of all ranks.
    fn batch(&mut self, session: &Session, order: Order) -> Result<Vec<Vec<Timed>>, BenchError> {
        self.announce(session, order)?;
        let mut all = vec![make(session, &self.clock, &mut self.skew, self.work, order)?];
        for _ in 1..self.ranks(session, order.at as usize) {
            let from = wait_for(session, TIMES, NAP)?;
            let mut bytes = vec![[0; 16]; order.operations as usize];
            session.mpi.recv(bytes.as_flattened_mut(), from, TIMES)?;
            all.push(bytes.into_iter().map(Timed::of_bytes).collect());
        }
        Ok(all)
    }
}

/// The next lead: longer if a rank was not ready for the first window.
fn next_lead(lead_ns: i64, is_missed: bool) -> i64 {
    let next = if is_missed { lead_ns * 2 } else { lead_ns - lead_ns / 20 };
    next.clamp(LEADS_NS.0, LEADS_NS.1)
}

fn follow(
    session: &mut Session,
    clock: &mut Clock,
    skew: &mut Skew,
    places: usize,
    work: &mut dyn Operations,
) -> Result<(), BenchError> {
    let mut nap = NAP;
    loop {
        wait_for(session, CONTROL, nap)?;
        let order = Order::receive(session, 0)?;
        nap = if order.at == REST { LONG_NAP } else { NAP };
        match (order.at, order.operations) {
            (END, _) => return Ok(()),
            (REST, _) => {}
            (CLOCK, _) => clock.compare(session)?,
            (at, _) if at >= places as u64 => return Err(BenchError::Protocol { rank: 0 }),
            (at, VERIFY) => work.verify(at as usize)?,
            _ => {
                let times: Vec<[u8; 16]> = make(session, clock, skew, work, order)?.iter().map(Timed::bytes).collect();
                session.mpi.send(times.as_flattened(), 0, TIMES)?;
            }
        }
    }
}

/// Makes the operations of a batch on this rank.
fn make(
    session: &Session,
    clock: &Clock,
    skew: &mut Skew,
    work: &mut dyn Operations,
    order: Order,
) -> Result<Vec<Timed>, BenchError> {
    let Order { at, operations, begin_ns, length_ns, is_spread } = order;
    if is_spread != 0 {
        move_to(place_on_host(&session.places, session.rank));
    }
    let mut times = Vec::with_capacity(operations as usize);
    let first = clock.own_of(begin_ns as i64);
    for number in 0..operations {
        let window = match begin_ns {
            BARRIERS => {
                let comm = work.part(at as usize).map_or(session.mpi.world(), |part| part.comm);
                comm.barrier()?;
                own_ns()
            }
            _ => first + (number * length_ns) as i64,
        };
        let begin = window + skew.next_ns();
        if begin_ns != BARRIERS || skew.ns() > 0 {
            wait_until(begin, session.is_crowded);
        }
        let began_ns = own_ns() - begin;
        work.operation(at as usize)?;
        times.push(Timed { began_ns, ended_ns: own_ns() - window - skew.ns() });
    }
    Ok(times)
}

/// Waits until a moment of the own clock.
fn wait_until(begin_ns: i64, is_crowded: bool) {
    loop {
        let left = begin_ns - own_ns();
        if left <= 0 {
            return;
        }
        if left > 2 * AWAKE_NS {
            std::thread::sleep(Duration::from_nanos((left - AWAKE_NS) as u64));
        } else if is_crowded {
            std::thread::yield_now();
        } else {
            std::hint::spin_loop();
        }
    }
}

/// Waits for a message, soon without a processor, as `MPI_Recv` of some MPIs does not: a rank that has slept gets one at once when a
/// window begins, and one that has used up its time slice waits for those of others. Who has sent it.
fn wait_for(session: &Session, tag: Tag, nap: Duration) -> Result<Rank, BenchError> {
    let begun_ns = own_ns();
    loop {
        if let Some(rank) = session.mpi.arrived(tag)? {
            return Ok(rank);
        }
        if own_ns() - begun_ns > PATIENCE_NS {
            std::thread::sleep(nap);
        }
    }
}

fn announce(session: &Session, mut ranks: Range<Rank>, order: Order) -> Result<(), BenchError> {
    ranks.try_for_each(|rank| order.send(session, rank))
}

/// What all ranks do next.
#[derive(Clone, Copy)]
struct Order {
    at: u64,
    operations: u64,
    /// The first window, by the clock of rank 0, and the length of each.
    begin_ns: u64,
    length_ns: u64,
    /// Whether each rank moves to a processor of its own before.
    is_spread: u64,
}

impl Order {
    /// After barriers.
    fn new(at: u64, operations: u64) -> Order {
        Order { at, operations, begin_ns: BARRIERS, length_ns: 0, is_spread: 0 }
    }

    fn send(self, session: &Session, to: Rank) -> Result<(), BenchError> {
        let words = [self.at, self.operations, self.begin_ns, self.length_ns, self.is_spread];
        send_words(session.mpi, words, to, CONTROL)
    }

    fn receive(session: &Session, from: Rank) -> Result<Order, BenchError> {
        let [at, operations, begin_ns, length_ns, is_spread] = receive_words(session.mpi, from, CONTROL)?;
        Ok(Order { at, operations, begin_ns, length_ns, is_spread })
    }
}

impl Timed {
    fn bytes(&self) -> [u8; 16] {
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&self.began_ns.to_ne_bytes());
        bytes[8..].copy_from_slice(&self.ended_ns.to_ne_bytes());
        bytes
    }

    fn of_bytes(bytes: [u8; 16]) -> Timed {
        let word = |at: usize| i64::from_ne_bytes(std::array::from_fn(|byte| bytes[at + byte]));
        Timed { began_ns: word(0), ended_ns: word(8) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_sent_as_they_are() {
        let timed = Timed { began_ns: -7, ended_ns: i64::MAX };
        assert_eq!(Timed::of_bytes(timed.bytes()), timed);
    }

    #[test]
    fn a_rank_waits_until_the_moment() {
        for (ahead, is_crowded) in [(-5, false), (0, false), (50_000, false), (50_000, true), (1_000_000, false)] {
            let begin = own_ns() + ahead;
            wait_until(begin, is_crowded);
            assert!(own_ns() >= begin);
        }
    }

    #[test]
    fn the_lead_adapts() {
        assert_eq!(next_lead(LEAD_NS, true), 200_000);
        assert_eq!(next_lead(LEAD_NS, false), 95_000);
        let many = |is_missed| (0..200).fold(LEAD_NS, |lead, _| next_lead(lead, is_missed));
        assert_eq!((many(true), many(false)), (20_000_000, 30_000));
    }

    #[test]
    fn facts_become_parameters() {
        let mut measured = Measured::default();
        assert!(parameters("bcast", &measured).is_empty());
        measured.facts.insert((Scope::All, DROPPED.into()), 0.125);
        let [found] = &parameters("bcast", &measured)[..] else { panic!() };
        assert_eq!((found.id.as_str(), found.unit.as_str(), found.value), (DROPPED, "1", 0.125));
    }
}
