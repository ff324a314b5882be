//! The rules of all analyses.

use crate::explanation::Rule;

/// All rules.
pub fn rules() -> impl Iterator<Item = &'static Rule> {
    crate::machine::RULES
        .iter()
        .chain(crate::waits::RULES)
        .chain(crate::efficiency::RULES)
        .chain(crate::structure::RULES)
        .chain(crate::quality::rules())
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
