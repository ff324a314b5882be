//! The rules of all analyses.

use crate::explanation::Rule;

/// Rules about one subject.
pub(crate) struct Part {
    /// Heading of the catalogue.
    pub heading: &'static str,
    /// The document that explains how they work, in `docs/explanation`; `None` if the rules say everything.
    pub document: Option<&'static str>,
    pub rules: Vec<&'static Rule>,
}

/// All rules by subject.
pub(crate) fn parts() -> Vec<Part> {
    let part = |heading, document, rules| Part { heading, document, rules };
    let all = |rules: &'static [Rule]| rules.iter().collect();
    vec![
        part("The machine", Some("machine.md"), all(crate::machine::RULES)),
        part("Wait states", Some("waits.md"), all(crate::waits::RULES)),
        part("Load balance", Some("efficiency.md"), all(crate::efficiency::RULES)),
        part("Structure", Some("structure.md"), crate::structure::rules().collect()),
        part("Quality of communication", Some("quality.md"), crate::quality::rules().collect()),
        part("What the machine could do", Some("attainable.md"), all(crate::attainable::RULES)),
        part("Other time in MPI", Some("causes.md"), vec![&crate::causes::UNEXPLAINED]),
        part("Deadlocks and hangs", None, all(crate::deadlock::RULES)),
    ]
}

/// All rules.
pub fn rules() -> impl Iterator<Item = &'static Rule> {
    parts().into_iter().flat_map(|part| part.rules)
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
