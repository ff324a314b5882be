//! Short messages that one port passes on in a row, and what each of them costs it.
//!
//! A message that is alone shows the latency *L*, many that are sent faster than a port takes them show its time for each, *g*: the one that
//! *k* others are before is there *L + k g* after the first of them was sent. If only bursts were recorded, nothing tells *L* from *k g* where the
//! receiver waits for all at once. An upper bound of *L* then does: no message was there in less.

use mpiscope_store::{Message, RankId};

use crate::fit::Ports;
use crate::hindrance::Hindrance;
use crate::samples::Sample;
use crate::spread::Spread;

/// Of messages up to this size, headers take more than data: 100 bytes and more over TCP.
pub(crate) const SHORT_BYTES: u64 = 128;
/// Messages of a port are in a row if it is less than this between the end of one send and the next one, ns. The same time ends what can be
/// aggregated.
const IN_A_ROW_NS: u64 = crate::apply::SLIGHT_NS;
/// A message says something about the time for each if so many are before it.
const LEAST_BEHIND: u32 = 8;
/// The port is slower than the sender if the last one waits at least so many times as long as the sends took.
const SLOWER_THAN_SENDS: f64 = 1.25;
/// So many messages that waited say something about all.
const MANY: usize = 8;
/// A message that was there in less than this part of what those before it take contradicts that, and so many of all that do.
const SOONER: f64 = 0.7;
const MOST_SOONER: f64 = 0.1;
/// Kept samples.
const MOST: usize = 512;

/// When it is a message's turn among those in a row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Turn {
    /// How many its port passes on before it.
    pub behind: u32,
    /// How long before, the first of them was sent, ns.
    pub since_ns: u64,
    /// Of those that its receiver takes right after each other: how long after the send of the first one the receiver began to wait, ns; 0: before it.
    pub late_ns: u64,
}

impl Turn {
    /// The same, seen at a later moment.
    pub fn later(self, by_ns: u64) -> Turn {
        Turn { since_ns: self.since_ns + by_ns, ..self }
    }

    /// How long it still waits for those before it, ns.
    pub fn waits_ns(&self, per_message_ns: f64) -> f64 {
        (f64::from(self.behind) * per_message_ns - self.since_ns as f64).max(0.0)
    }
}

/// The end of a port at which messages of a row come after each other.
#[derive(Clone, Copy, Default)]
struct Row {
    first_ns: u64,
    messages: u32,
    /// When the last send was over, and when the last message was received.
    sent_ns: u64,
    received_ns: u64,
}

/// A receiver that takes messages right after each other: when it has taken the last one, and [`Turn::late_ns`].
#[derive(Clone, Copy)]
struct Taking {
    until_ns: u64,
    late_ns: u64,
}

/// The turn of each message.
pub(crate) fn turns(ports: &Ports, messages: &[Message]) -> Vec<Turn> {
    let mut turns = vec![Turn::default(); messages.len()];
    let port = |rank: RankId| rank.index().and_then(|at| ports.of.get(at)).copied();
    let far = messages.iter().enumerate().filter_map(|(at, message)| {
        let ends = (port(message.sender)?, port(message.receiver)?);
        (ends.0 != ends.1 && message.receive.is_done()).then_some((message.send.start_ns, at, ends))
    });
    let mut order: Vec<(u64, usize, (u32, u32))> = far.collect();
    // They come in runs: those of each sender are in order.
    order.sort_by_key(|&(start_ns, ..)| start_ns);
    // Of messages that leave a port, and of those that enter it.
    let mut rows = [vec![Row::default(); ports.count as usize], vec![Row::default(); ports.count as usize]];
    let mut takings: Vec<Option<Taking>> = vec![None; ports.of.len()];
    for (start_ns, at, (from, to)) in order {
        let message = &messages[at];
        for (rows, port) in rows.iter_mut().zip([from, to]) {
            let row = &mut rows[port as usize];
            if message.bytes > SHORT_BYTES {
                *row = Row::default();
                continue;
            }
            // One that is sent when those before it have been received has the port for itself.
            if row.messages == 0 || start_ns > row.sent_ns + IN_A_ROW_NS || start_ns > row.received_ns {
                *row = Row { first_ns: start_ns, ..Row::default() };
            }
            if row.messages > turns[at].behind {
                turns[at] = Turn { behind: row.messages, since_ns: start_ns - row.first_ns, late_ns: 0 };
            }
            row.messages += 1;
            row.sent_ns = row.sent_ns.max(message.send.end_ns);
            row.received_ns = row.received_ns.max(message.receive.done_end_ns);
        }
        let (from_ns, until_ns) = (message.receive.done_start_ns, message.receive.done_end_ns);
        let goes_on = |of: &&Taking| turns[at].behind > 0 && from_ns <= of.until_ns + IN_A_ROW_NS;
        let Some(taking) = takings.get_mut(message.receiver.0 as usize) else { continue };
        let before = taking.as_ref().filter(goes_on);
        let late_ns = before.map_or(from_ns.saturating_sub(start_ns), |of| of.late_ns);
        turns[at].late_ns = late_ns;
        *taking = Some(Taking { until_ns, late_ns });
    }
    turns
}

/// When a short message was there.
#[derive(Clone, Copy, Debug)]
struct Arrival {
    turn: Turn,
    bytes: u64,
    /// From its send until its receiver left, ns.
    took_ns: u64,
}

impl Arrival {
    /// From when the first one of the row was sent, ns.
    fn of_row_ns(&self) -> f64 {
        (self.turn.since_ns + self.took_ns) as f64
    }
}

/// What was seen of short messages between hosts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bursts {
    arrivals: Spread<Arrival, MOST>,
    alone: Spread<u64, MOST>,
    least_ns: Option<u64>,
}

/// What a port takes for each message.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum PerMessage {
    /// Nothing that the run shows: no messages in a row, or none that waited for those before it.
    Nothing,
    /// Messages in a row waited for those before them, but when they were there does not tell it.
    Unclear,
    /// So much for one of these bytes; one that is alone is there after `alone_ns`, or a little less.
    Known { ns: f64, bytes: u64, alone_ns: f64 },
}

impl PerMessage {
    /// Time for which a short message occupies a port, ns.
    pub fn short_ns(self) -> f64 {
        if let PerMessage::Known { ns, .. } = self { ns } else { 0.0 }
    }

    /// The part of it that does not depend on the size, ns.
    pub fn without_bytes_ns(self, ns_per_byte: f64) -> f64 {
        match self {
            PerMessage::Known { ns, bytes, .. } => (ns - bytes as f64 * ns_per_byte).max(0.0),
            _ => 0.0,
        }
    }

    /// What a message would have taken alone, ns, as [`Sample::alone_ns`]. One of a row tells it only if its receiver began to wait before
    /// it can have been there.
    pub fn alone_ns(self, sample: &Sample, latency_ns: f64, hindrance: Hindrance) -> Option<f64> {
        let PerMessage::Known { ns, alone_ns, .. } = self else {
            return Some(sample.alone_ns(latency_ns, hindrance, 0.0));
        };
        let tells = sample.turn.behind == 0 || (sample.ahead_ns as f64) < alone_ns;
        tells.then(|| sample.alone_ns(latency_ns, hindrance, ns))
    }
}

impl Bursts {
    /// A short message was there `took_ns` after its send.
    pub fn add(&mut self, turn: Turn, bytes: u64, took_ns: u64) {
        self.least_ns = Some(self.least_ns.map_or(took_ns, |least_ns| least_ns.min(took_ns)));
        match turn.behind {
            0 if turn.late_ns == 0 => self.alone.push(|| Some(took_ns)),
            behind if behind >= LEAST_BEHIND => self.arrivals.push(|| Some(Arrival { turn, bytes, took_ns })),
            _ => {}
        }
    }

    /// What a message takes that is alone, ns: typically; if there are few of them, at most, where `bound_ns` is an upper bound from elsewhere.
    fn alone_ns(&self, bound_ns: Option<f64>) -> Option<f64> {
        let mut alone = self.alone.kept().to_vec();
        alone.sort_unstable();
        match alone.len() >= MANY {
            true => alone.get(alone.len() / 2).map(|&ns| ns as f64),
            false => Some(bound_ns?.min(self.least_ns? as f64)),
        }
    }

    /// See [`PerMessage`].
    pub fn per_message(&self, bound_ns: Option<f64>) -> PerMessage {
        let arrivals = self.arrivals.kept();
        if arrivals.len() < MANY {
            return PerMessage::Nothing;
        }
        let Some(alone_ns) = self.alone_ns(bound_ns) else { return PerMessage::Unclear };
        // Others may have been there before their receivers came to them, or to those before.
        let awaited: Vec<&Arrival> = arrivals.iter().filter(|of| (of.turn.late_ns as f64) < alone_ns).collect();
        if awaited.len() < MANY {
            return PerMessage::Unclear;
        }
        let late_ns = |of: &Arrival| of.of_row_ns() - alone_ns;
        let behind = |of: &Arrival| f64::from(of.turn.behind);
        let waited = awaited.iter().filter(|of| late_ns(of) > SLOWER_THAN_SENDS * of.turn.since_ns as f64);
        let mut each: Vec<(f64, u64)> = waited.map(|of| (late_ns(of) / behind(of), of.bytes)).collect();
        each.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        let Some(&(ns, bytes)) = each.get(each.len() / 2).filter(|_| each.len() >= MANY) else {
            return PerMessage::Nothing;
        };
        let sooner = awaited.iter().filter(|of| late_ns(of) < SOONER * behind(of) * ns).count();
        match sooner as f64 > MOST_SOONER * awaited.len() as f64 {
            true if 2 * each.len() > awaited.len() => PerMessage::Unclear,
            true => PerMessage::Nothing,
            false => PerMessage::Known { ns, bytes, alone_ns },
        }
    }
}

#[cfg(test)]
mod tests {
    use mpiscope_store::{CommId, End};
    use proptest::prelude::*;

    use super::*;

    /// What is seen of messages that a rank sends in a row, one every `every_ns`, where each takes a port for `each_ns`, and one that is alone is there after
    /// `alone_ns`: by a receiver that waits for each of them, or for the last one only.
    fn row(bursts: &mut Bursts, messages: u32, (every_ns, each_ns, alone_ns): (u64, u64, u64), is_for_each: bool) {
        let mut port_ns = 0;
        for behind in 0..messages {
            let since_ns = u64::from(behind) * every_ns;
            let there_ns = port_ns.max(since_ns) + alone_ns;
            port_ns = port_ns.max(since_ns) + each_ns;
            if is_for_each || behind + 1 == messages {
                bursts.add(Turn { behind, since_ns, late_ns: 0 }, 8, there_ns - since_ns);
            }
        }
    }

    fn bursts(rows: &[(u32, (u64, u64, u64), bool)]) -> Bursts {
        let mut found = Bursts::default();
        for _ in 0..20 {
            rows.iter().for_each(|&(messages, times, is_for_each)| row(&mut found, messages, times, is_for_each));
        }
        found
    }

    #[test]
    fn what_a_port_takes_for_each_message() {
        const L: u64 = 1_000_000;
        let known = |ns: f64, alone_ns: f64| PerMessage::Known { ns, bytes: 8, alone_ns };
        let bound = Some(1_010_000.0);
        for (what, rows, bound_ns, expected) in [
            ("a receiver of each", vec![(50, (2_000, 10_000, L), true)], None, known(1e4, 1e6)),
            (
                "rows, and one that is alone",
                vec![(50, (2_000, 10_000, L), false), (1, (0, 10_000, L), true)],
                None,
                known(1e4, 1e6),
            ),
            ("a bound of the latency", vec![(101, (2_000, 10_000, L), false)], bound, known(9_900.0, 1_010_000.0)),
            (
                "a bound, and one that shows it to be less",
                vec![(101, (2_000, 10_000, L), false), (101, (20_000, 10_000, L), false)],
                bound,
                known(1e4, 1e6),
            ),
            ("nothing tells the latency", vec![(50, (2_000, 10_000, L), false)], None, PerMessage::Unclear),
            ("alone", vec![(1, (0, 10_000, L), true)], None, PerMessage::Nothing),
            ("short rows", vec![(8, (2_000, 10_000, L), true)], None, PerMessage::Nothing),
            ("a slow sender", vec![(50, (20_000, 10_000, L), true)], None, PerMessage::Nothing),
            ("a port that takes no time", vec![(50, (2_000, 0, L), true)], None, PerMessage::Nothing),
            (
                "a third of the rows is faster",
                vec![
                    (50, (2_000, 10_000, L), false),
                    (50, (2_000, 10_000, L), false),
                    (50, (1_000, 2_000, L), false),
                    (1, (0, 0, L), true),
                ],
                None,
                PerMessage::Unclear,
            ),
        ] {
            assert_eq!(bursts(&rows).per_message(bound_ns), expected, "{what}");
        }
    }

    #[test]
    fn receivers_that_come_late_tell_nothing() {
        let mut found = bursts(&[(1, (0, 0, 1_000_000), true)]);
        let turn = Turn { behind: 99, since_ns: 100_000, late_ns: 4_900_000 };
        (0..100).for_each(|_| found.add(turn, 8, 5_000_000));
        assert_eq!(found.per_message(None), PerMessage::Unclear);
    }

    #[test]
    fn a_few_interruptions_do_not_matter() {
        let mut found = bursts(&[(50, (2_000, 10_000, 1_000_000), true)]);
        let turn = Turn { behind: 99, since_ns: 200_000, late_ns: 0 };
        (0..100).for_each(|_| found.add(turn, 8, 30_000_000));
        assert_eq!(found.per_message(None).short_ns(), 10_000.0);
    }

    #[test]
    fn bytes_are_no_part_of_the_time_for_a_message() {
        let known = PerMessage::Known { ns: 15_120.0, bytes: 64, alone_ns: 1e6 };
        assert_eq!(known.without_bytes_ns(80.0), 10_000.0);
        assert_eq!(known.without_bytes_ns(1_000.0), 0.0);
        assert_eq!(PerMessage::Unclear.without_bytes_ns(80.0), 0.0);
    }

    proptest! {
        /// Whatever the times are, that of a message is found if the port is slower than the sender, and nothing if it is faster.
        #[test]
        fn the_slower_one_decides(
            messages in 10u32..300, every_ns in 200u64..20_000, each_ns in 200u64..20_000, alone_ns in 2_000u64..2_000_000,
            is_for_each: bool,
        ) {
            let rows = [(messages, (every_ns, each_ns, alone_ns), is_for_each), (1, (0, each_ns, alone_ns), true)];
            match bursts(&rows).per_message(None) {
                PerMessage::Known { ns, .. } => {
                    prop_assert!(each_ns > every_ns);
                    prop_assert!((ns - each_ns as f64).abs() < 1.0);
                }
                found => {
                    prop_assert_eq!(found, PerMessage::Nothing);
                    prop_assert!(each_ns as f64 <= SLOWER_THAN_SENDS * every_ns as f64);
                }
            }
        }
    }

    /// Messages: sender, receiver, from when until when the send took, when it was received, bytes.
    type Line = (u32, u32, u64, u64, u64, u64);

    fn turns_of(messages: &[Line]) -> Vec<(u32, u64)> {
        let found = turns_received_from(messages, &vec![0; messages.len()]);
        found.into_iter().map(|turn| (turn.behind, turn.since_ns)).collect()
    }

    /// The same by receivers that came at these moments.
    fn turns_received_from(messages: &[Line], from_ns: &[u64]) -> Vec<Turn> {
        let end = |start_ns, end_ns, done_end_ns| End {
            row: 0,
            start_ns,
            end_ns,
            done_row: 0,
            done_start_ns: start_ns,
            done_end_ns,
            facts: 0,
            done_facts: 0,
            done_with: 1,
        };
        let message = |(&(sender, receiver, start_ns, end_ns, received_ns, bytes), &from_ns): (&Line, &u64)| Message {
            comm: CommId(0),
            sender: RankId(sender),
            receiver: RankId(receiver),
            tag: 0,
            bytes,
            sequence: 0,
            send: end(start_ns, end_ns, end_ns),
            receive: end(from_ns, received_ns, received_ns),
            flags: 0,
        };
        // Ranks 0 and 1 on a host, 2 on another one, 3 on a third one.
        let ports = Ports { of: vec![0, 0, 1, 2], count: 3 };
        let messages: Vec<Message> = messages.iter().zip(from_ns).map(message).collect();
        turns(&ports, &messages)
    }

    #[test]
    fn a_receiver_that_takes_one_after_the_other_waits_for_all_or_for_none() {
        let line = |nth: u64| (0, 2, 2_000 * nth, 2_000 * nth + 1_000, 1_000_000 + 10_000 * nth, 8);
        let lines: Vec<Line> = (0..4).map(line).collect();
        let late = |from_ns: [u64; 4]| {
            let late_lines: Vec<Line> = lines
                .iter()
                .zip(from_ns)
                .map(|(&(a, b, c, d, there, f), from_ns)| (a, b, c, d, there.max(from_ns), f))
                .collect();
            let found = turns_received_from(&late_lines, &from_ns);
            found.into_iter().map(|turn| turn.late_ns).collect::<Vec<_>>()
        };
        assert_eq!(late([0, 1_000_100, 1_010_100, 1_020_100]), [0; 4]);
        assert_eq!(late([900_000, 1_000_100, 1_010_100, 1_020_100]), [900_000; 4]);
        // It did something else before the third one.
        assert_eq!(late([0, 1_000_100, 1_050_000, 1_050_100]), [0, 0, 1_046_000, 1_046_000]);
    }

    #[test]
    fn messages_in_a_row() {
        let there = 1_000_000;
        let in_a_row = [(0, 2, 0, 1_000, there, 8), (0, 2, 1_500, 2_500, there, 8), (0, 2, 3_000, 4_000, there, 8)];
        assert_eq!(turns_of(&in_a_row), [(0, 0), (1, 1_500), (2, 3_000)]);
        let of_two = [(0, 2, 0, 1_000, there, 8), (1, 3, 500, 1_500, there, 8), (3, 2, 600, 1_600, there, 8)];
        assert_eq!(turns_of(&of_two), [(0, 0), (1, 500), (1, 600)], "at the port that they leave, or enter");
        let other = [(0, 2, 0, 1_000, there, 8), (2, 0, 500, 1_500, there, 8), (0, 1, 600, 700, there, 8)];
        assert_eq!(turns_of(&other), [(0, 0); 3], "directions are apart, and no port is passed within a host");
        let later = [(0, 2, 0, 1_000, there, 8), (0, 2, 22_000, 23_000, there, 8)];
        assert_eq!(turns_of(&later), [(0, 0); 2], "more than 20 µs later");
        let alone = [(0, 2, 0, 1_000, 5_000, 8), (0, 2, 6_000, 7_000, there, 8)];
        assert_eq!(turns_of(&alone), [(0, 0); 2], "the first one has been received");
        let long = [(0, 2, 0, 1_000, there, 8), (0, 2, 1_500, 2_500, there, 4_000), (0, 2, 3_000, 4_000, there, 8)];
        assert_eq!(turns_of(&long), [(0, 0); 3], "a long one occupies the port for its bytes");
    }
}
