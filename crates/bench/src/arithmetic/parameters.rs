//! Peak rates, from the times by width.

use mpiscope_machine::{Parameter, Scope};
use mpiscope_statistics::{Summary, summary};

use super::kernel::{DOUBLE, DOUBLE_FMA, SINGLE, SINGLE_FMA};
use super::{EXPERIMENT, FLOP};
use crate::journal::Measured;
use crate::processors::measured_at_once;

pub fn parameters(measured: &Measured) -> Vec<Parameter> {
    let precisions = [("peak_double", "double", [DOUBLE, DOUBLE_FMA]), ("peak_single", "single", [SINGLE, SINGLE_FMA])];
    let scopes = measured.scopes();
    let all = scopes.iter().flat_map(|&scope| precisions.map(|precision| (scope, precision)));
    all.filter_map(|(scope, (id, precision, series))| peak(measured, scope, id, precision, series)).collect()
}

/// The rate of the fastest kernel of a precision.
fn peak(measured: &Measured, scope: Scope, id: &str, precision: &str, series: [&str; 2]) -> Option<Parameter> {
    let of_precision = measured.times_of(scope).filter(|(name, ..)| series.contains(name));
    let (name, bits, time) = of_precision
        .map(|(name, bits, times)| (name, bits, summary(times)))
        .min_by(|(.., a), (.., b)| a.median.total_cmp(&b.median))?;
    let (suffix, times, who) = of_scope(measured, scope);
    let instructions = if name == series[1] { "fused multiply-adds" } else { "multiplications and additions" };
    let (value, interval) = rate(&time, times);
    Some(Parameter {
        experiment: EXPERIMENT.id.to_owned(),
        id: format!("{id}{suffix}"),
        text: format!(
            "highest rate of operations in {precision} precision, by {instructions} in registers of {bits} bits; {who}"
        ),
        ..measured.parameter(scope, "flop/s", value, interval)
    })
}

/// End of the name, how many ranks computed at once, and these in words.
fn of_scope(measured: &Measured, scope: Scope) -> (&'static str, f64, String) {
    if scope != Scope::All {
        return ("", 1.0, "one rank".to_owned());
    }
    let (ranks, who) = measured_at_once(measured);
    ("_all", ranks, who)
}

fn rate(time: &Summary, times: f64) -> (f64, Option<(f64, f64)>) {
    let rate = |ns: f64| times * FLOP as f64 / ns.max(1e-3) * 1e9;
    // The shortest time is the highest rate.
    (rate(time.median), time.interval.map(|(low, high)| (rate(high), rate(low))))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A processor that makes 8 Gflop/s for each 64 bits of its registers with FMA and half of that without, in single precision twice as many.
    fn machine(ranks: f64, computing: f64) -> Measured {
        let mut measured = Measured::default();
        crate::processors::put(&mut measured, computing, ranks);
        for scope in [Scope::Rank(0), Scope::All] {
            for (series, rate) in [(DOUBLE, 4.0), (DOUBLE_FMA, 8.0), (SINGLE, 8.0), (SINGLE_FMA, 16.0)] {
                for bits in [128_u64, 256] {
                    let ns = FLOP as f64 / (rate * bits as f64 / 64.0);
                    let times = (0..20).map(|at| ns * (1.0 + 0.001 * f64::from(at - 10))).collect();
                    measured.times.insert((scope, series.to_owned(), bits), times);
                }
            }
        }
        measured
    }

    #[test]
    fn the_widest_registers_give_the_peak() {
        let found = parameters(&machine(4.0, 4.0));
        for (id, scope, value) in [
            ("peak_double", Scope::Rank(0), 32e9),
            ("peak_single", Scope::Rank(0), 64e9),
            ("peak_double_all", Scope::All, 128e9),
            ("peak_single_all", Scope::All, 256e9),
        ] {
            let of_id: Vec<&Parameter> = found.iter().filter(|p| p.id == id).collect();
            let [p] = of_id[..] else { panic!("{id}: {of_id:?}") };
            assert_eq!((p.scope, p.unit.as_str()), (scope, "flop/s"));
            assert!((p.value / value - 1.0).abs() < 0.01, "{p:?}");
            assert!(p.low.unwrap() < p.value && p.value < p.high.unwrap(), "{p:?}");
            assert!(p.text.contains("fused multiply-adds in registers of 256 bits"), "{}", p.text);
        }
        assert_eq!(found.len(), 4);
    }

    #[test]
    fn only_ranks_that_computed_count() {
        let found = parameters(&machine(16.0, 2.0));
        let p = found.iter().find(|p| p.id == "peak_double_all").unwrap();
        assert!((p.value / 64e9 - 1.0).abs() < 0.01, "{p:?}");
        assert!(
            p.text.ends_with("2 of 16 ranks together, one for each processor, each as fast as the slowest"),
            "{}",
            p.text
        );
    }

    #[test]
    fn what_was_not_measured_is_left_out() {
        let mut measured = machine(2.0, 2.0);
        measured.times.retain(|(scope, series, _), _| *scope == Scope::All && series == DOUBLE);
        let [p] = &parameters(&measured)[..] else { panic!() };
        assert!(p.id == "peak_double_all" && p.text.contains("by multiplications and additions in"), "{p:?}");
        assert!(parameters(&Measured::default()).is_empty());
    }
}
