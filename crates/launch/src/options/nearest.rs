//! Suggests a name for a misspelled one.

/// The candidate with the smallest edit distance, if that is at most a third of the name's length.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let lower = name.to_ascii_lowercase();
    let edits = |other: &str| strsim::damerau_levenshtein(&lower, other);
    candidates
        .into_iter()
        .map(|candidate| {
            let other = candidate.to_ascii_lowercase();
            // `coll` for `mpi_coll` is an omission, not a misspelling.
            let bare = other.strip_prefix("mpi_").unwrap_or(&other);
            (edits(&other).min(edits(bare)), candidate)
        })
        .min_by_key(|(edits, _)| *edits)
        .filter(|(edits, _)| *edits * 3 <= name.len().max(3))
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_that_was_meant() {
        let known = ["buffer", "on-full", "probes", "stack"];
        for (given, meant) in
            [("bufer", Some("buffer")), ("on_full", Some("on-full")), ("Stack", Some("stack")), ("colour", None)]
        {
            assert_eq!(nearest(given, known), meant, "{given}");
        }
        assert_eq!(nearest("", known), None);
    }
}
