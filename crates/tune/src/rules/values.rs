//! Values that the library does not accept.

use super::{Certainty, Facts, Finding, Meant, Rule};
use crate::Family;
use crate::setting::shown;
use crate::value::{Wrong, check};

/// What is wrong with the value.
pub(crate) fn values(facts: &Facts, meant: &Meant) -> Option<Finding> {
    let (setting, entry) = (meant.setting, meant.entry);
    if !facts.is_read(entry.family) {
        return None;
    }
    let value = shown(&setting.value);
    let (text, advice) = match check(entry, &setting.value)? {
        Wrong::Form { expected } => (format!("'{value}' is not {expected}"), None),
        Wrong::Range { allowed } => (format!("{value} is out of range: {allowed}"), None),
        Wrong::Word { allowed, nearest } => {
            (format!("'{value}' is not one of {allowed}"), nearest.map(|word| format!("write {word}")))
        }
    };
    let text = format!("{}: {text}", setting.name);
    let default = (!entry.default.is_empty()).then(|| format!("the default is {}", entry.default));
    // Ranges and words of these tables are of packages; other versions of the libraries may accept more.
    let is_exact = matches!(entry.family, Family::OpenMpi | Family::Mpich) || entry.seen.is_empty();
    let certainty = if is_exact { Certainty::Certain } else { Certainty::Possible };
    Some(Finding::new(Rule::WrongValue, certainty, setting, text).with_advice(advice.or(default)))
}
