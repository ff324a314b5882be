//! The ratio of two series that were measured in turn.

use mpiscope_machine::{Parameter, Scope};
use mpiscope_statistics::{bootstrap, median, resampled, sorted};

use crate::journal::Measured;

const RESAMPLINGS: usize = 200;
/// As for the interval of a median.
const FEWEST: usize = 6;

/// What is compared: the time of `of`, divided by that of `by`, at every place that both have.
pub struct Ratio<'a> {
    pub experiment: &'static str,
    pub id: String,
    pub of: &'a str,
    pub by: &'a str,
    pub text: String,
}

impl Ratio<'_> {
    /// A parameter for each place. It is about all ranks.
    pub fn parameters(&self, measured: &Measured) -> Vec<Parameter> {
        let times = |series: &str, x: u64| {
            measured.times.get(&(Scope::All, series.to_owned(), x)).filter(|times| !times.is_empty())
        };
        let places = measured.times.keys().filter(|(scope, series, _)| *scope == Scope::All && series == self.of);
        let parameter = |x: u64| {
            let (of, by) = (times(self.of, x)?, times(self.by, x)?);
            let ratio = |random: &mut fastrand::Rng| {
                let mut median_of = |of: &[f64]| median(&sorted(&resampled(of, random)));
                let base = median_of(by);
                vec![Some(median_of(of) / base)]
            };
            // Of few samples, a resampled interval would be too narrow.
            let is_enough = of.len().min(by.len()) >= FEWEST;
            let interval = is_enough.then(|| bootstrap(RESAMPLINGS, 3, ratio)[0]).flatten();
            Some(Parameter {
                experiment: self.experiment.to_owned(),
                id: self.id.clone(),
                scope: Scope::All,
                unit: "x".into(),
                value: median(&sorted(of)) / median(&sorted(by)),
                low: interval.map(|(low, _)| low),
                high: interval.map(|(_, high)| high),
                from_bytes: Some(x),
                to_bytes: Some(x),
                disturbed: measured.disturbed.contains(&Scope::All),
                text: self.text.clone(),
                advice: None,
            })
        };
        places.filter_map(|(_, _, x)| parameter(*x)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ratio_is_that_of_the_medians() {
        let mut measured = Measured::default();
        let key = |series: &str| (Scope::All, series.to_owned(), 1024);
        measured.times.insert(key("a"), vec![2500.0; 9]);
        measured.times.insert(key("b"), vec![1000.0; 9]);
        let ratio =
            Ratio { experiment: "fanout", id: "a_to_b".into(), of: "a", by: "b", text: "a divided by b".into() };
        let [found] = &ratio.parameters(&measured)[..] else { panic!() };
        assert_eq!((found.id.as_str(), found.value, found.low, found.high), ("a_to_b", 2.5, Some(2.5), Some(2.5)));
        measured.times.insert(key("a"), vec![2500.0; 3]);
        assert_eq!(ratio.parameters(&measured)[0].low, None);
        measured.times.remove(&key("b"));
        assert!(ratio.parameters(&measured).is_empty());
    }
}
