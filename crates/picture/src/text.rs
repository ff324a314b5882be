//! Numbers with their units and the ticks of an axis, as the page writes them (`viewer/src/format.ts`, `axis.ts`).

pub use mpiscope_units::{percent as share, short_count as count, time_of as time};

/// A moment, with enough digits to distinguish it from the moment one `step` later: `1.234 567 s`.
pub fn moment(ns: f64, step: f64) -> String {
    let digits = (9.0 - step.max(1.0).log10() - 1e-9).ceil().clamp(0.0, 9.0) as usize;
    let rounded = (ns / 10_f64.powi(9 - digits as i32)).round() as u64;
    let text = format!("{rounded:0width$}", width = digits + 1);
    let (whole, fraction) = text.split_at(text.len() - digits);
    let parts: Vec<&str> = (0..digits).step_by(3).map(|at| &fraction[at..(at + 3).min(digits)]).collect();
    if digits == 0 { format!("{whole} s") } else { format!("{whole}.{} s", parts.join("\u{202f}")) }
}

/// The step of 1, 2 or 5 times a power of ten with at most `most` ticks.
pub fn nice_step(range: f64, most: f64) -> f64 {
    let rough = range / most.max(1.0);
    if !rough.is_finite() || rough <= 0.0 {
        return 1.0;
    }
    let power = 10_f64.powf(rough.log10().floor());
    [1.0, 2.0, 5.0].into_iter().map(|f| f * power).find(|s| *s >= rough * (1.0 - 1e-9)).unwrap_or(10.0 * power)
}

/// An axis of time.
pub struct Ticks {
    /// The base of the texts, if it is not the start of the run.
    pub base: Option<String>,
    /// Moment and text.
    pub ticks: Vec<(f64, String)>,
}

/// Ticks with absolute moments, or with the distance from a round moment where those would be long.
pub fn ticks(from: f64, until: f64, most: f64) -> Ticks {
    let step = nice_step(until - from, most);
    let first = (from / step - 1e-9).ceil() as i64;
    let moments = (first..).map(|i| i as f64 * step).take_while(|at| *at <= until + step * 1e-9);
    if step >= 1e5 {
        return Ticks { base: None, ticks: moments.map(|at| (at, moment(at, step))).collect() };
    }
    let span = until - from;
    let round = 10_f64.powf(span.log10().ceil());
    let base = (from / round).floor() * round;
    let distance = |at: f64| format!("+{}", time(((at - base) * 1000.0).round() / 1000.0));
    let base_step = 10_f64.powf(span.max(1.0).log10().floor());
    Ticks { base: Some(moment(base, base_step)), ticks: moments.map(|at| (at, distance(at))).collect() }
}

/// All ranks of a list: `0-3,7`.
pub fn rank_list(ranks: &[i32]) -> String {
    mpiscope_units::rank_list(ranks, usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_and_ranks() {
        assert_eq!(moment(1_234_567_890.0, 1000.0), "1.234\u{202f}568 s");
        assert_eq!(moment(2e9, 1e9), "2 s");
        assert_eq!(rank_list(&[3, 0, 1, 7, 2]), "0-3,7");
    }

    #[test]
    fn axes() {
        let wide = ticks(0.0, 1e9, 5.0);
        assert!(wide.base.is_none());
        assert_eq!(
            wide.ticks.iter().map(|t| t.1.as_str()).collect::<Vec<_>>(),
            ["0.0 s", "0.2 s", "0.4 s", "0.6 s", "0.8 s", "1.0 s"]
        );
        let near = ticks(1_000_000_000.0, 1_000_010_000.0, 5.0);
        assert_eq!(near.base.as_deref(), Some("1.000\u{202f}00 s"));
        assert_eq!(near.ticks[1].1, "+2.00 µs");
        assert!(ticks(5.0, 6.0, 5.0).ticks.len() <= 6);
    }
}
