//! Open MPI's lists of components: `btl = tcp,self`, `pml = ^ucx`.

use super::{Certainty, Facts, Finding, Meant, Rule};
use crate::Family;
use crate::components::{component_of, components};
use crate::nearest::nearest;
use crate::setting::shown;

/// A list of components.
struct List<'a> {
    is_exclusion: bool,
    names: Vec<&'a str>,
}

fn list(value: &str) -> List<'_> {
    let value = value.trim();
    let (is_exclusion, rest) = match value.strip_prefix('^') {
        Some(rest) => (true, rest),
        None => (false, value),
    };
    List { is_exclusion, names: rest.split(',').map(str::trim).filter(|name| !name.is_empty()).collect() }
}

/// The `vader` of Open MPI 2 to 4 is `sm` before and after; each takes the other's name.
fn is_same(one: &str, other: &str) -> bool {
    let plain = |name: &str| if name == "vader" { "sm".to_owned() } else { name.to_ascii_lowercase() };
    plain(one) == plain(other)
}

/// Whether a list leaves a component out.
pub(crate) fn leaves_out(value: &str, component: &str) -> bool {
    let list = list(value);
    let is_named = list.names.iter().any(|name| is_same(name, component));
    !list.names.is_empty() && is_named == list.is_exclusion
}

fn is_framework(meant: &Meant) -> bool {
    matches!(meant.entry.family, Family::OpenMpi | Family::Fujitsu)
        && components().any(|(framework, _)| framework == meant.entry.name)
}

/// Mistakes in lists of components.
pub(crate) fn selections(facts: &Facts, meant: &Meant) -> Vec<Finding> {
    if !is_framework(meant) || !facts.is_read(meant.entry.family) {
        return Vec::new();
    }
    let setting = meant.setting;
    let framework = meant.entry.name.as_str();
    let list = list(&setting.value);
    let mut found = Vec::new();
    let mut add = |rule, certainty, text: String, advice| {
        found.push(Finding::new(rule, certainty, setting, text).with_advice(advice));
    };
    if list.names.iter().any(|name| name.contains('^')) {
        let text = format!("{}: '^' excludes the whole list and is allowed only at its beginning", setting.name);
        add(Rule::WrongValue, Certainty::Certain, text, None);
        return found;
    }
    for name in &list.names {
        let own = || components().filter(|(other, _)| *other == framework).map(|(_, component)| component);
        if own().any(|component| is_same(component, name)) || *name == "none" {
            continue;
        }
        let meant = nearest(name, own());
        // A component of other packages, unless it is a typing error; excluding what is not there does nothing.
        let certainty = match meant.is_some() && !list.is_exclusion {
            true => Certainty::Certain,
            false => Certainty::Possible,
        };
        if list.is_exclusion && meant.is_none() {
            continue;
        }
        let text = format!(
            "{}: no package of Open MPI that was read has a component '{}' of {framework}",
            setting.name,
            shown(name)
        );
        add(Rule::WrongValue, certainty, text, meant.map(|meant| format!("write {meant}")));
    }
    if framework == "btl" && !list.is_exclusion && !list.names.is_empty() && !list.names.contains(&"self") {
        let text = format!("{}: without self, no rank can send to itself, and the job ends in MPI_Init", setting.name);
        add(Rule::Contradiction, Certainty::Certain, text, Some(format!("write {},self", shown(&setting.value))));
    }
    found
}

/// A parameter of a component that is not used.
pub(crate) fn excluded(facts: &Facts, meant: &Meant) -> Option<Finding> {
    if meant.entry.family != Family::OpenMpi || !facts.is_read(Family::OpenMpi) {
        return None;
    }
    let (framework, component) = component_of(&meant.entry.name)?;
    let component = component.filter(|component| *component != "base")?;
    let list = facts.in_force(framework)?;
    if !leaves_out(&list.setting.value, component) {
        return None;
    }
    let text = format!(
        "{} has no effect: {framework} = {} ({}) leaves out {component}",
        meant.setting.name,
        shown(&list.setting.value),
        list.setting.source.title()
    );
    Some(Finding::new(Rule::NoEffect, Certainty::Certain, meant.setting, text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_include_or_exclude() {
        assert!(leaves_out("^ucx,ofi", "ucx") && !leaves_out("^ucx", "ob1"));
        assert!(leaves_out("tcp,self", "openib") && !leaves_out("tcp,sm", "vader"));
        assert!(!leaves_out("", "tcp"));
    }
}
