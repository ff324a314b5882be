//! Rules: what a finding's id means, how it is computed, how to disagree with it.

/// A rule, as `mpiscope report --findings ID` explains it.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// Id of its findings.
    pub id: &'static str,
    /// What it looks for, in one sentence.
    pub what: &'static str,
    /// The formula and its source.
    pub formula: &'static str,
    /// The threshold below which it reports nothing.
    pub threshold: &'static str,
    /// When it may be wrong, and how to check.
    pub doubt: &'static str,
}

/// All rules.
pub fn rules() -> impl Iterator<Item = &'static Rule> {
    crate::machine::RULES
        .iter()
        .chain(crate::waits::RULES)
        .chain(crate::efficiency::RULES)
        .chain(crate::structure::RULES)
        .chain(crate::quality::RULES)
        .chain(std::iter::once(&crate::causes::UNEXPLAINED))
        .chain(crate::deadlock::RULES)
}

/// The rule with this id.
pub fn rule(id: &str) -> Option<&'static Rule> {
    rules().find(|r| r.id == id)
}

#[cfg(test)]
mod tests {
    #[test]
    fn ids_are_unique() {
        let mut ids: Vec<_> = super::rules().map(|r| r.id).collect();
        let count = ids.len();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), count);
    }
}
