//! From drafts to findings: texts from the catalogue, each place once.

use std::hash::{Hash, Hasher};

use rustc_hash::{FxHashMap, FxHasher};

use crate::finding::{Confidence, Finding, Party, Severity};
use crate::names::Names;
use crate::rules;

/// Parties of a finding; more are counted only.
const MOST_PARTIES: usize = 16;

/// A finding that is being built.
pub(crate) struct Draft {
    finding: Finding,
    places: Vec<(u16, u64)>,
    /// Numbers after "rank" are those that the program passed.
    is_literal: bool,
}

/// A call, as waits and findings store it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct CallRef {
    pub process: u32,
    pub function: u16,
    pub site: u32,
    pub at: u64,
    /// Equal for the same site in all processes.
    pub key: u64,
}

impl Draft {
    pub fn new(id: &'static str) -> Draft {
        let rule = rules::by_id(id).expect("an id of the catalogue");
        let finding = Finding {
            number: 0,
            id: rule.id,
            severity: rule.severity,
            confidence: rule.confidence,
            section: rule.section,
            title: rule.title.to_owned(),
            text: String::new(),
            advice: rule.advice.to_owned(),
            parties: Vec::new(),
            more: 0,
            numbers: Vec::new(),
            key: 0,
            count: 1,
            withheld: false,
            stuck: false,
        };
        Draft { finding, places: Vec::new(), is_literal: false }
    }

    pub fn text(mut self, text: impl Into<String>) -> Draft {
        self.finding.text = text.into();
        self
    }

    /// Its text names no processes.
    pub fn literal(mut self) -> Draft {
        self.is_literal = true;
        self
    }

    pub fn title(mut self, title: impl Into<String>) -> Draft {
        self.finding.title = title.into();
        self
    }

    pub fn party(mut self, place: CallRef, role: impl Into<String>) -> Draft {
        self.add(place, None, role);
        self
    }

    pub fn add(&mut self, place: CallRef, argument: Option<u8>, role: impl Into<String>) {
        self.places.push((place.function, place.key));
        if self.finding.parties.len() >= MOST_PARTIES {
            self.finding.more += 1;
            return;
        }
        let CallRef { process, function, site, at, .. } = place;
        self.finding.parties.push(Party { process, function, site, argument, role: role.into(), at });
    }

    pub fn number(mut self, name: &str, value: i64) -> Draft {
        self.finding.numbers.push((name.to_owned(), value));
        self
    }

    pub fn severity(mut self, severity: Severity) -> Draft {
        self.finding.severity = severity;
        self
    }

    /// At most this sure.
    pub fn at_most(mut self, confidence: Confidence) -> Draft {
        self.finding.confidence = self.finding.confidence.min(confidence);
        self
    }

    pub fn withheld(mut self, withheld: bool) -> Draft {
        self.finding.withheld = withheld;
        self
    }

    pub fn stuck(mut self) -> Draft {
        self.finding.stuck = true;
        self
    }

    /// How often it happened.
    pub fn times(mut self, count: u64) -> Draft {
        self.finding.count = count;
        self
    }

    fn key(&mut self) -> u64 {
        key(self.finding.id, &mut self.places)
    }
}

/// What identifies a finding: its rule and its calls, in any order.
fn key(id: &str, places: &mut Vec<(u16, u64)>) -> u64 {
    places.sort_unstable();
    places.dedup();
    let mut hasher = FxHasher::default();
    (id, places).hash(&mut hasher);
    hasher.finish()
}

/// All findings of a run.
#[derive(Default)]
pub(crate) struct Sink {
    new: Vec<Finding>,
    pub names: Names,
    numbers: FxHashMap<u64, u32>,
    pub counts: Vec<u64>,
    /// How sure each of them is.
    confidences: Vec<Confidence>,
    /// Events were lost: nothing is certain.
    pub lossy: bool,
    /// A deadlock is among them.
    pub deadlock: bool,
    /// Collective operations did not match: later ones in their communicators are out of step.
    pub mismatch: bool,
}

impl Sink {
    pub fn add(&mut self, mut draft: Draft) {
        let key = draft.key();
        if !draft.is_literal {
            let Finding { title, text, parties, .. } = &mut draft.finding;
            let roles = parties.iter_mut().map(|party| &mut party.role);
            [title, text].into_iter().chain(roles).for_each(|text| self.names.put_into(text));
        }
        if self.lossy && !draft.finding.id.starts_with("argument.") {
            draft.finding.confidence = Confidence::Possible;
        }
        if let Some(&number) = self.numbers.get(&key) {
            let known = &mut self.confidences[number as usize];
            if draft.finding.confidence <= *known {
                self.count(key, draft.finding.count);
                return;
            }
            // A possible finding becomes certain: it is reported again.
            *known = draft.finding.confidence;
            self.new.retain(|f| f.number != number);
            self.new.push(Finding { number, key, count: self.counts[number as usize], ..draft.finding });
            return;
        }
        let mut finding = draft.finding;
        self.mismatch |= finding.severity == Severity::Error
            && finding.id.starts_with("collective.")
            && finding.id != "collective.missing";
        finding.number = self.counts.len() as u32;
        finding.key = key;
        self.numbers.insert(key, finding.number);
        self.counts.push(finding.count);
        self.confidences.push(finding.confidence);
        self.new.push(finding);
    }

    /// Counts a known finding, without its texts: a program may make the same mistake in every call. Returns whether it
    /// was known.
    pub fn again(&mut self, id: &str, places: &[CallRef]) -> bool {
        let key = key(id, &mut places.iter().map(|place| (place.function, place.key)).collect());
        self.count(key, 1)
    }

    fn count(&mut self, key: u64, times: u64) -> bool {
        let Some(&number) = self.numbers.get(&key) else { return false };
        self.counts[number as usize] += times;
        if let Some(finding) = self.new.iter_mut().find(|f| f.number == number) {
            finding.count += times;
        }
        true
    }

    pub fn drain(&mut self) -> Vec<Finding> {
        std::mem::take(&mut self.new)
    }
}

/// "rank 3", "ranks 0, 1 and 5", "ranks 0–99": a list as text.
pub(crate) fn ranks(list: &[u32]) -> String {
    let mut sorted = list.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    let mut parts: Vec<String> = Vec::new();
    let mut at = 0;
    while at < sorted.len() {
        let mut end = at;
        while end + 1 < sorted.len() && sorted[end + 1] == sorted[end] + 1 {
            end += 1;
        }
        if end >= at + 2 {
            parts.push(format!("{}–{}", sorted[at], sorted[end]));
        } else {
            parts.extend(sorted[at..=end].iter().map(u32::to_string));
        }
        at = end + 1;
    }
    if parts.len() > 12 {
        let left = parts.len() - 10;
        parts.truncate(10);
        return format!("ranks {} and {left} more", parts.join(", "));
    }
    let last = parts.pop().unwrap_or_default();
    match (parts.is_empty(), sorted.len()) {
        (true, 1) => format!("rank {last}"),
        (true, _) => format!("ranks {last}"),
        (false, _) => format!("ranks {} and {last}", parts.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_ranks() {
        assert_eq!(ranks(&[3]), "rank 3");
        assert_eq!(ranks(&[1, 0]), "ranks 0 and 1");
        assert_eq!(ranks(&[5, 0, 1, 2, 3]), "ranks 0–3 and 5");
        assert_eq!(ranks(&[0, 1, 2]), "ranks 0–2");
    }
}
