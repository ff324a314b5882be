//! Names that no table and no library has.

use super::{Certainty, Facts, Finding, Rule};
use crate::components::{component_of, may_be_in_other_builds};
use crate::names::{self, Known, lookup};
use crate::nearest::nearest;
use crate::setting::{Setting, Source};
use crate::table::{self, is_covered};
use crate::{Family, Target};

/// The finding about a setting whose name is in no table, if there is one.
pub(crate) fn unknown(facts: &Facts, setting: &Setting, known: Known) -> Option<Finding> {
    match known {
        Known::Entry(_) => None,
        Known::Bare(entry) => Some(without_prefix(setting, &entry.variable())),
        Known::Other => misspelled_prefix(setting, facts.target),
        Known::Unknown(family, bare) => no_such_name(facts, setting, family, bare),
    }
}

fn without_prefix(setting: &Setting, variable: &str) -> Finding {
    let text = format!("{} is a parameter of Open MPI, which reads it only with a prefix", setting.name);
    Finding::new(Rule::UnknownName, Certainty::Certain, setting, text).with_advice(Some(write(variable)))
}

fn write(name: &str) -> String {
    format!("write {name}")
}

fn no_such_name(facts: &Facts, setting: &Setting, family: Family, bare: &str) -> Option<Finding> {
    let target = facts.target;
    // The library at hand has it.
    if facts.input.library.as_ref().is_some_and(|library| library.has(&setting.name) || library.has(bare)) {
        return None;
    }
    let meant = suggestion(setting, bare);
    // Tables written by hand, and those of libraries with many builds, do not have every name.
    if !family.is_mpi() || family == Family::Mvapich {
        return unknown_below(facts, setting, family, meant);
    }
    if !facts.is_read(family) {
        let text = format!(
            "{} looks like a variable of {}, but the program uses {}",
            setting.name,
            family.title(),
            target.map_or("another MPI", |target| target.title.as_str())
        );
        return Some(Finding::new(Rule::OtherMpi, Certainty::Certain, setting, text));
    }
    let is_known_version = target.is_some_and(|target| {
        target.family == family && target.version.as_ref().is_some_and(|version| is_covered(family, version))
    });
    let is_open_mpi = family == Family::OpenMpi;
    // A component that was not part of the packages that were read has parameters that no table has.
    let packages = target.and_then(|target| target.version.as_ref()).map(|version| table::letters(family, version));
    let may_be_elsewhere = is_open_mpi && packages.is_some_and(|packages| may_be_in_other_builds(bare, &packages));
    // A name near a known one proves nothing if its component is one that other builds have.
    let is_misspelled = meant.is_some() && component_of(bare).is_none_or(|(_, component)| component.is_none());
    let is_known = is_known_version || facts.input.library.is_some();
    let certainty = match is_known && (!may_be_elsewhere || is_misspelled) {
        true => Certainty::Certain,
        false => Certainty::Possible,
    };
    let what = if is_open_mpi { "parameter" } else { "variable" };
    let title = target.map_or(family.title(), |target| target.title.as_str());
    let text = format!("{title} has no {what} {}, so it has no effect", if is_open_mpi { bare } else { &setting.name });
    Some(Finding::new(Rule::UnknownName, certainty, setting, text).with_advice(meant.map(|meant| write(&meant))))
}

/// A library below the MPI has variables of its devices, which the table may not have; its tool lists those that it was built with.
fn unknown_below(facts: &Facts, setting: &Setting, family: Family, meant: Option<String>) -> Option<Finding> {
    let listed = facts.input.below.get(&family);
    let (is_listed, is_read) = (listed.is_some_and(|names| names.contains(&setting.name)), listed.is_some());
    if is_listed || (meant.is_none() && !is_read) {
        return None;
    }
    let text = match is_read {
        true => format!("the {} that is installed has no variable {}", family.title(), setting.name),
        false => format!("{} is in no list of variables of {}", setting.name, family.title()),
    };
    let advice = meant.map(|meant| write(&meant));
    Some(Finding::new(Rule::UnknownName, Certainty::Possible, setting, text).with_advice(advice))
}

/// The known name that was probably meant, as it is written at the setting's source.
fn suggestion(setting: &Setting, bare: &str) -> Option<String> {
    let parameters = || {
        let families = [Family::OpenMpi, Family::Fujitsu, Family::Prrte, Family::Pmix];
        families
            .into_iter()
            .flat_map(table::entries)
            .flat_map(|entry| std::iter::once(entry.name.as_str()).chain(entry.names.iter().map(String::as_str)))
    };
    if setting.source.has_bare_names() {
        return nearest(bare, parameters()).map(Into::into);
    }
    if setting.name.starts_with("OMPI_MCA_") {
        return nearest(bare, parameters()).map(|name| format!("OMPI_MCA_{name}"));
    }
    let prefix = names::prefix_of(&setting.name)?;
    let known = names::names_with(prefix);
    nearest(&setting.name, known.iter().map(String::as_str)).map(Into::into)
}

/// A name that is a known one if its beginning is corrected: `OMPI_MAC_btl`, `IMPI_FABRICS`.
fn misspelled_prefix(setting: &Setting, target: Option<&Target>) -> Option<Finding> {
    let name = &setting.name;
    if setting.source != Source::Environment || !name.is_ascii() || name.len() < 7 {
        return None;
    }
    let mpi = target.map(|target| target.family);
    let is_entry = |name: &str| matches!(lookup(name, mpi), Known::Entry(_));
    // The part MCA or OMPI is missing.
    let without = ["OMPI_", "MCA_", "ORTE_MCA_"].iter().filter_map(|begin| name.strip_prefix(begin));
    let mut with_prefix = without.map(|rest| format!("OMPI_MCA_{rest}"));
    let meant = with_prefix.find(|full| is_entry(full)).or_else(|| {
        // A short prefix is one edit away from unrelated names.
        let long = names::prefixes().filter(|prefix| prefix.len() >= 6);
        let corrected = long.flat_map(|prefix| {
            (prefix.len() - 1..=prefix.len() + 1).filter_map(move |cut| {
                let (head, rest) = name.split_at_checked(cut)?;
                let edits = strsim::damerau_levenshtein(&head.to_ascii_uppercase(), prefix);
                (edits <= 2 && !rest.is_empty() && head != prefix).then(|| format!("{prefix}{rest}"))
            })
        });
        corrected.into_iter().find(|full| is_entry(full))
    })?;
    let text = format!("nothing reads {name}");
    Some(Finding::new(Rule::UnknownName, Certainty::Certain, setting, text).with_advice(Some(write(&meant))))
}
