//! The name that was probably meant.

/// Changes that a typing error makes: about one in eight characters, at least one, at most four.
fn allowed(len: usize) -> usize {
    (len / 8).clamp(1, 4)
}

/// The candidate with the fewest edits, if they are few enough for an error in typing. Case does not count.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let lower = name.to_ascii_lowercase();
    let most = allowed(lower.len());
    candidates
        .into_iter()
        // The length alone rules out most of them.
        .filter(|candidate| candidate.len().abs_diff(lower.len()) <= most)
        .map(|candidate| (strsim::damerau_levenshtein(&lower, &candidate.to_ascii_lowercase()), candidate))
        .filter(|(edits, _)| *edits <= most)
        .min_by_key(|(edits, _)| *edits)
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn few_edits_are_a_typing_error() {
        let known = ["btl_tcp_eager_limit", "btl_tcp_if_include", "tcp"];
        assert_eq!(nearest("btl_tcp_eager_limt", known), Some("btl_tcp_eager_limit"));
        assert_eq!(nearest("BTL_TCP_IF_INCLDUE", known), Some("btl_tcp_if_include"));
        assert_eq!(nearest("tpc", known), Some("tcp"));
        assert_eq!(nearest("btl_tcp_links", known), None);
    }
}
