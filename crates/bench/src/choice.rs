//! What the words after `mpiscope bench` choose: experiments, or some of their series.
//!
//! `collectives` chooses an experiment; `collectives/allgather` chooses its series whose names begin with the part `allgather`, such as
//! `allgather/library`.

use std::collections::BTreeSet;

/// The experiment that a word names, and the beginning of its series' names.
pub fn split(word: &str) -> (&str, Option<&str>) {
    match word.split_once('/') {
        Some((experiment, beginning)) => (experiment, Some(beginning.trim_end_matches('/'))),
        None => (word, None),
    }
}

/// The words that name an experiment.
pub fn naming<'a>(words: &'a [String], experiment: &'a str) -> impl Iterator<Item = &'a str> {
    words.iter().map(String::as_str).filter(move |word| split(word).0 == experiment)
}

/// Whether a series of an experiment is to be measured: no word names the experiment, one names it whole, or one names this series.
pub fn includes(words: &[String], experiment: &str, series: &str) -> bool {
    let mut naming = naming(words, experiment).peekable();
    naming.peek().is_none() || naming.any(|word| split(word).1.is_none_or(|beginning| begins(series, beginning)))
}

/// Why a word chooses none of the series that an experiment has; `None` if it chooses one.
pub fn mistake(word: &str, series: &BTreeSet<String>) -> Option<String> {
    let (experiment, beginning) = split(word);
    let beginning = beginning?;
    if series.is_empty() || series.iter().any(|name| begins(name, beginning)) {
        return None;
    }
    let first: BTreeSet<&str> = series.iter().filter_map(|name| name.split('/').next()).collect();
    let names: Vec<&str> = first.into_iter().collect();
    Some(format!(
        "{experiment} has no series that begins with '{beginning}'; its series begin with {}",
        names.join(", ")
    ))
}

/// Whether the first parts of a name are these.
fn begins(series: &str, beginning: &str) -> bool {
    series.strip_prefix(beginning).is_some_and(|rest| rest.is_empty() || beginning.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// As `mpiscope bench` has them.
    pub(crate) fn words(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|text| (*text).to_owned()).collect()
    }

    #[test]
    fn series_are_chosen_by_their_first_parts() {
        let some = words(&["halo", "collectives/allgather", "collectives/scan/library/"]);
        assert!(includes(&some, "collectives", "allgather/library"));
        assert!(includes(&some, "collectives", "scan/library"));
        assert!(!includes(&some, "collectives", "allgatherv/library"));
        assert!(!includes(&some, "collectives", "barrier/library"));
        assert!(includes(&some, "halo", "any"));
        assert!(includes(&words(&["collectives/scan", "collectives"]), "collectives", "barrier/library"));
        assert!(includes(&words(&["collectives/"]), "collectives", "barrier/library"));
        assert!(includes(&[], "collectives", "barrier/library"));
    }

    #[test]
    fn a_word_that_chooses_nothing_is_explained() {
        let series = ["scan/library", "scan/other", "barrier/library"].map(str::to_owned).into();
        assert_eq!(
            mistake("collectives/scam", &series).unwrap(),
            "collectives has no series that begins with 'scam'; its series begin with barrier, scan"
        );
        assert_eq!(mistake("collectives/scan", &series), None);
        assert_eq!(mistake("collectives", &series), None);
        // An experiment that has no schedule.
        assert_eq!(mistake("noise/x", &BTreeSet::new()), None);
    }
}
