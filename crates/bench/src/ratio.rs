//! The ratio of two series that were measured in turn.

use mpiscope_machine::{Parameter, Scope};

use crate::intervals::of_ratio;
use crate::journal::Measured;

/// A function that is slower by less than this is not reported: it may be so by the rest of the code around it.
const WORTH: f64 = 1.1;

/// What is compared: the time of `of`, divided by that of `by`, at every place that both have.
pub struct Ratio<'a> {
    pub experiment: &'static str,
    pub id: String,
    pub of: &'a str,
    pub by: &'a str,
    pub text: String,
}

impl Ratio<'_> {
    /// A parameter for each scope and place.
    pub fn parameters(&self, measured: &Measured) -> Vec<Parameter> {
        let places = measured.times.keys().filter(|(_, series, _)| series == self.of);
        let parameter = |scope: Scope, x: u64| {
            let (of, by) = (measured.times_at(scope, self.of, x)?, measured.times_at(scope, self.by, x)?);
            let (value, interval) = of_ratio(of, by, 3);
            Some(Parameter {
                experiment: self.experiment.to_owned(),
                id: self.id.clone(),
                from_bytes: Some(x),
                to_bytes: Some(x),
                text: self.text.clone(),
                ..measured.parameter(scope, "x", value, interval)
            })
        };
        places.filter_map(|(scope, _, x)| parameter(*scope, *x)).collect()
    }

    /// The same. Where `of` is slower than `by`, the parameter advises to use the other: `instead` is what is to be used instead of what at a
    /// place, such as `MPI_Alltoall instead of MPI_Allgather at 8 B`.
    pub fn guidelines(&self, measured: &Measured, instead: impl Fn(u64) -> String) -> Vec<Parameter> {
        let mut found = self.parameters(measured);
        for parameter in &mut found {
            if parameter.value >= WORTH && parameter.low.is_some_and(|low| low > 1.0) {
                let instead = instead(parameter.from_bytes.unwrap_or(0));
                parameter.advice = Some(format!("{instead}: {:.1} times as fast", parameter.value));
            }
        }
        found
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
