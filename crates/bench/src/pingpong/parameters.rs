//! Parameters of LogGP and others, from the times by size.
//!
//! Half a round trip of `s` bytes takes `base + G·s`, with other coefficients for each protocol. For the smallest message
//! `base = o_s + L + o_r`. Intervals come from resampling the samples of every size, with the protocols' limits kept.

use std::collections::BTreeMap;

use mpiscope_machine::{Parameter, Scope};
use mpiscope_statistics::{Point, Segment, bootstrap, fit, fit_between, median, predict, quantile, resampled, sorted};

use super::eager;
use super::kinds::{EXCHANGE, EXPECTED, PING_PONG, SEND_OVERHEAD, STREAM, UNEXPECTED, is_held_out, moved};
use crate::intervals::{FEWEST, RESAMPLINGS};
use crate::journal::Measured;

/// Lines of one pair: MPIs have two to four protocols, and copies become slower behind each cache.
const MOST_SEGMENTS: usize = 8;

/// Whether a series is only there for a parameter.
pub fn is_overhead(series: &str) -> bool {
    [SEND_OVERHEAD, EXPECTED, UNEXPECTED].contains(&series)
}

/// Times of one pair, by series and bytes.
type Times<'a> = BTreeMap<(&'a str, u64), &'a [f64]>;
/// Medians of the same.
type Medians<'a> = BTreeMap<(&'a str, u64), f64>;

pub fn parameters(measured: &Measured) -> Vec<Parameter> {
    (0..measured.pairs.len()).flat_map(|pair| of_pair(measured, pair)).collect()
}

fn of_pair(measured: &Measured, pair: usize) -> Vec<Parameter> {
    let times: Times = measured
        .times
        .iter()
        .filter(|((of, _, bytes), times)| *of == Scope::Pair(pair) && is_used(*bytes, times.len()))
        .map(|((_, series, bytes), times)| ((series.as_str(), *bytes), times.as_slice()))
        .collect();
    let medians: Medians = times.iter().map(|(&key, times)| (key, median(&sorted(times)))).collect();
    let (points, _) = curve(&medians);
    let segments = fit(&points, MOST_SEGMENTS);
    let cuts: Vec<(usize, usize)> = segments.iter().map(|segment| (segment.first, segment.last)).collect();
    let mut named = numbers(&medians, &cuts);
    // Resampling few samples gives an interval that is too narrow: what depends on them has none.
    let again = |times: &[f64], random: &mut fastrand::Rng| match times.len() {
        0..FEWEST => f64::NAN,
        _ => median(&sorted(&resampled(times, random))),
    };
    let intervals = bootstrap(RESAMPLINGS, 1, |random| {
        let again = times.iter().map(|(&key, times)| (key, again(times, random))).collect();
        numbers(&again, &cuts).into_iter().map(|number| number.value).collect()
    });
    for (number, interval) in named.iter_mut().zip(intervals) {
        number.interval = interval;
    }
    named.extend(exact(measured, pair, &points, &segments));
    let disturbed = measured.disturbed.contains(&Scope::Pair(pair));
    let parameter = |number: Number| {
        Some(Parameter {
            experiment: super::EXPERIMENT.id.to_owned(),
            id: number.id.to_owned(),
            scope: Scope::Pair(pair),
            unit: number.unit.to_owned(),
            value: number.value.filter(|value| value.is_finite())?,
            low: number.interval.map(|(low, _)| low),
            high: number.interval.map(|(_, high)| high),
            from_bytes: number.sizes.map(|(from, _)| from),
            to_bytes: number.sizes.map(|(_, to)| to),
            disturbed,
            text: number.text,
            advice: None,
        })
    };
    named.into_iter().filter_map(parameter).collect()
}

/// Whether there are samples enough of a size. One that was added in a jump shortly before the budget ended would take the intervals
/// from the lines.
fn is_used(bytes: u64, samples: usize) -> bool {
    let is_always_there = bytes == 0 || bytes.is_power_of_two() || is_held_out(bytes);
    samples >= if is_always_there { 1 } else { FEWEST }
}

/// A parameter before it has an interval.
pub struct Number {
    pub id: &'static str,
    unit: &'static str,
    pub value: Option<f64>,
    interval: Option<(f64, f64)>,
    sizes: Option<(u64, u64)>,
    pub text: String,
}

impl Number {
    pub fn new(id: &'static str, unit: &'static str, value: Option<f64>, text: &str) -> Number {
        Number { id, unit, value, interval: None, sizes: None, text: text.to_owned() }
    }
}

/// The points of the ping-pong to which lines are fitted, and those with which the fit is checked.
fn curve(medians: &Medians) -> (Vec<Point>, Vec<Point>) {
    let all = medians.iter().filter(|((series, _), _)| *series == PING_PONG);
    let (held, fitted): (Vec<_>, Vec<_>) = all.partition(|((_, bytes), _)| is_held_out(*bytes));
    let point = |((_, bytes), &y): (&(&str, u64), &f64)| Point { x: *bytes as f64, y };
    (fitted.into_iter().map(point).collect(), held.into_iter().map(point).collect())
}

/// Everything that has an interval, always in the same order.
fn numbers(medians: &Medians, cuts: &[(usize, usize)]) -> Vec<Number> {
    let smallest =
        |series: &str| medians.iter().find(|((of, _), _)| *of == series).map(|((_, bytes), &value)| (*bytes, value));
    let time = |series: &str| smallest(series).map(|(_, value)| value);
    let (latency, o_s, o_r) = (time(PING_PONG), time(SEND_OVERHEAD), time(EXPECTED));
    let wire = || Some(latency? - o_s? - o_r?);
    let mut found = vec![
        Number::new("latency", "ns", latency, "half a round trip of the smallest message, MPI_Send and MPI_Recv"),
        Number::new("o_s", "ns", o_s, "LogGP: time in MPI_Isend for the smallest message"),
        Number::new("o_r", "ns", o_r, "LogGP: posting a receive and completing it after its message has arrived"),
        Number::new("L", "ns", wire(), "LogGP: latency without both overheads"),
        Number::new("g", "ns", time(STREAM), "LogGP: time for each of many small messages in one direction"),
        Number::new(
            "unexpected",
            "ns",
            time(UNEXPECTED),
            "receiving the smallest message if it came before its receive",
        ),
    ];
    for (id, series, text) in [
        ("bandwidth", PING_PONG, "highest bandwidth of a ping-pong"),
        ("bandwidth_stream", STREAM, "highest bandwidth of many messages in one direction"),
        ("bandwidth_both", EXCHANGE, "highest bandwidth of MPI_Sendrecv, both directions together"),
    ] {
        let rate = |((_, bytes), &ns): (&(&str, u64), &f64)| (*bytes as f64 * moved(series) / ns * 1e9, *bytes);
        let best = medians.iter().filter(|((of, _), _)| *of == series).map(rate).max_by(|a, b| a.0.total_cmp(&b.0));
        found.push(Number::new(id, "B/s", best.map(|(rate, _)| rate).filter(|&rate| rate > 0.0), text));
    }
    let (points, held) = curve(medians);
    let segments: Vec<Segment> =
        cuts.iter().filter(|(_, last)| *last < points.len()).map(|&(a, b)| fit_between(&points, a, b)).collect();
    // A point without a median has no line.
    let segments: Vec<Segment> = match points.iter().any(|point| point.y.is_nan()) {
        true => segments.iter().map(|s| Segment { intercept: f64::NAN, slope: f64::NAN, ..*s }).collect(),
        false => segments,
    };
    for segment in &segments {
        let sizes = Some((points[segment.first].x as u64, points[segment.last].x as u64));
        let base =
            Number::new("base", "ns", Some(segment.intercept), "time of a ping-pong at no bytes, by the fitted line");
        let slope = Number::new("G", "ns/B", Some(segment.slope), "LogGP: time for each byte, by the fitted line");
        found.extend([Number { sizes, ..base }, Number { sizes, ..slope }]);
    }
    let errors: Vec<f64> =
        held.iter().filter_map(|point| Some((predict(&points, &segments, point.x)? / point.y - 1.0).abs())).collect();
    let errors = sorted(&errors);
    let share = |at: f64| (!errors.is_empty()).then(|| quantile(&errors, at));
    found.push(Number::new(
        "fit_error",
        "1",
        share(0.5),
        "median relative error of the fit at sizes that it has not seen",
    ));
    found.push(Number::new("fit_error_p95", "1", share(0.95), "95th percentile of the same"));
    found
}

/// What has no interval.
fn exact(measured: &Measured, pair: usize, points: &[Point], segments: &[Segment]) -> Vec<Number> {
    let fact = |id: &str| measured.facts.get(&(Scope::Pair(pair), id.to_owned())).copied();
    let text = match fact("local_send_is_open") == Some(1.0) {
        true => "every size was complete without the receiver: the limit may be higher",
        false => "largest message whose send is complete although the receiver is not in MPI, found by trying",
    };
    let mut found = vec![Number::new("local_send_limit", "B", fact("local_send_limit"), text)];
    let mut changes: Vec<(f64, f64)> = fact("local_send_limit").map(|limit| (limit, limit)).into_iter().collect();
    for two in segments.windows(2) {
        let sizes = (points[two[0].last].x, points[two[1].first].x);
        changes.push(sizes);
        found.push(Number {
            interval: Some(sizes),
            ..Number::new("protocol_change", "B", Some(sizes.0), "largest size before the fitted line changes")
        });
    }
    found.extend(eager::numbers(measured, pair, &changes, points.last().map_or(0.0, |point| point.x)));
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use mpiscope_machine::Pair;

    /// A machine with o_s = 100 ns, o_r = 150 ns, L = 250 ns, g = 200 ns; another protocol above 4 KiB.
    fn machine() -> Measured {
        let mut random = fastrand::Rng::with_seed(4);
        let mut measured = Measured {
            pairs: vec![Pair { class: "same-l3".into(), hops: None, ranks: [0, 1] }],
            disturbed: [Scope::Pair(0)].into(),
            ..Measured::default()
        };
        let mut put = |series: &str, bytes: u64, ns: f64| {
            let times = (0..25).map(|_| ns * (1.0 + 0.02 * (random.f64() - 0.5))).collect();
            measured.times.insert((Scope::Pair(0), series.to_owned(), bytes), times);
        };
        let law = |bytes: f64| if bytes <= 4096.0 { 500.0 + 0.1 * bytes } else { 2500.0 + 0.04 * bytes };
        let sizes = super::super::Kind::PingPong.sizes(8 << 20);
        for bytes in sizes.into_iter().map(|bytes| bytes as u64) {
            put(PING_PONG, bytes, law(bytes as f64));
        }
        for (series, ns) in [(SEND_OVERHEAD, 100.0), (EXPECTED, 150.0), (STREAM, 200.0), (UNEXPECTED, 180.0)] {
            put(series, 0, ns);
        }
        measured.facts.insert((Scope::Pair(0), "local_send_limit".into()), 4040.0);
        measured
    }

    #[test]
    fn the_parameters_that_were_put_in_come_out() {
        let found = parameters(&machine());
        let get = |id: &str| found.iter().filter(|p| p.id == id).collect::<Vec<_>>();
        for (id, truth, within) in [
            ("latency", 500.0, 0.01),
            ("o_s", 100.0, 0.01),
            ("o_r", 150.0, 0.01),
            ("L", 250.0, 0.03),
            ("g", 200.0, 0.01),
            ("unexpected", 180.0, 0.01),
            ("bandwidth", 25e9, 0.03),
            ("local_send_limit", 4040.0, 0.0),
        ] {
            let [p] = get(id)[..] else { panic!("{id}: {found:?}") };
            assert!((p.value / truth - 1.0).abs() <= within, "{p:?}");
            assert!(
                p.disturbed && p.low.is_none_or(|low| low <= p.value) && p.high.is_none_or(|high| p.value <= high),
                "{p:?}"
            );
        }
        let slopes = get("G");
        assert_eq!(slopes.len(), 2, "{slopes:?}");
        assert!(
            (slopes[0].value / 0.1 - 1.0).abs() < 0.05 && (slopes[1].value / 0.04 - 1.0).abs() < 0.02,
            "{slopes:?}"
        );
        assert_eq!((slopes[0].to_bytes, slopes[1].from_bytes), (Some(4096), Some(8192)));
        assert_eq!((get("protocol_change")[0].low, get("protocol_change")[0].high), (Some(4096.0), Some(8192.0)));
        assert!(get("fit_error")[0].value < 0.02, "{:?}", get("fit_error"));
    }

    #[test]
    fn what_was_not_measured_is_left_out() {
        let mut measured = machine();
        measured.times.values_mut().for_each(|times| times.truncate(5));
        assert!(parameters(&measured).iter().all(|p| p.low.is_none() || p.id == "protocol_change"), "too few samples");
        measured.times.retain(|(_, series, bytes), _| series == PING_PONG && *bytes < 2);
        measured.facts.clear();
        let ids: Vec<String> = parameters(&measured).into_iter().map(|p| p.id).collect();
        assert_eq!(ids, ["latency", "bandwidth"]);
        measured.times.clear();
        assert!(parameters(&measured).is_empty());
    }
}
