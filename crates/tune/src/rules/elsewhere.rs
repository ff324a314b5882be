//! Settings that something else would read: another MPI, another version, another device, ranks on other hosts.

use super::{Certainty, Facts, Finding, Meant, Rule};
use crate::Family;
use crate::setting::Source;
use crate::table::{self, Entry, Presence};

/// The MPI in use does not read it.
pub(crate) fn other_mpi(facts: &Facts, meant: &Meant) -> Option<Finding> {
    let target = facts.target?;
    let family = meant.entry.family;
    if facts.is_read(family) && !is_of_later_launcher(facts, family) {
        return None;
    }
    let text = format!("{} is read by {}, but the program uses {}", meant.setting.name, family.title(), target.title);
    let certainty = if is_of_later_launcher(facts, family) { Certainty::Possible } else { Certainty::Certain };
    Some(Finding::new(Rule::OtherMpi, certainty, meant.setting, text).with_advice(same_subject(facts, meant.entry)))
}

/// PRRTE is the launcher of Open MPI since version 5.
fn is_of_later_launcher(facts: &Facts, family: Family) -> bool {
    let own = facts.target.filter(|target| matches!(target.family, Family::OpenMpi | Family::Fujitsu));
    let major = own.and_then(|target| target.version.as_ref()?.series().first());
    family == Family::Prrte && major.is_some_and(|major| *major < 5)
}

/// Variables of the MPI in use for the same subject.
fn same_subject(facts: &Facts, entry: &Entry) -> Option<String> {
    let target = facts.target?;
    let subject = entry.note.subject.as_deref()?;
    let same = table::entries(target.family).iter().filter(|other| {
        let is_there = target.version.as_ref().is_none_or(|version| other.presence(version) != Presence::No);
        other.note.subject.as_deref() == Some(subject) && is_there && is_of_device(other, target.device.as_deref())
    });
    let names: Vec<String> = same.take(3).map(Entry::variable).collect();
    (!names.is_empty()).then(|| format!("for {}, {} has {}", subject.replace('-', " "), target.title, names.join(", ")))
}

/// PRRTE and PMIx do not read the prefix of Open MPI (tried with 5.0.11), nor its files; only `--mca` of mpirun is translated.
pub(crate) fn other_prefix(facts: &Facts, meant: &Meant) -> Option<Finding> {
    let family = meant.entry.family;
    let is_foreign = match &meant.setting.source {
        Source::Environment => meant.setting.name.starts_with("OMPI_MCA_"),
        Source::Launcher { .. } => false,
        _ => true,
    };
    if !is_foreign || !matches!(family, Family::Prrte | Family::Pmix) || is_of_later_launcher(facts, family) {
        return None;
    }
    let text = format!("{} is a parameter of {}, which does not read it there", meant.setting.name, family.title());
    let bare = meant.setting.name.trim_start_matches("OMPI_MCA_");
    let prefix = if family == Family::Pmix { "PMIX_MCA_" } else { "PRTE_MCA_" };
    let advice = Some(format!("write {prefix}{bare} in the environment"));
    Some(Finding::new(Rule::NoEffect, Certainty::Certain, meant.setting, text).with_advice(advice))
}

/// This version does not have it, or has it under another name.
pub(crate) fn other_version(facts: &Facts, meant: &Meant) -> Option<Finding> {
    let target = facts.target?;
    let entry = meant.entry;
    let setting = meant.setting;
    let version = target.version.as_ref()?;
    if !facts.is_read(entry.family) {
        return None;
    }
    let bare = setting.name.strip_prefix("OMPI_MCA_").unwrap_or(&setting.name);
    let is_in_library =
        facts.input.library.as_ref().is_some_and(|library| library.has(bare) || library.has(&entry.name));
    // Open MPI hands parameters of its launcher to PRRTE, whose version is another one.
    if entry.family == target.family && entry.presence(version) == Presence::No && !is_in_library {
        let seen = entry.seen_versions().map(|seen| format!(" (seen in {seen})")).unwrap_or_default();
        let text = format!("{} does not have {bare}{seen}", target.title);
        let note = &entry.note;
        let renamed = note.renamed.as_ref().map(|name| format!("write {}", spelled(setting, name)));
        let other = || {
            let known = entry.names.iter().filter_map(|name| table::entry(entry.family, name));
            let mut present = known.filter(|other| other.presence(version) == Presence::Yes);
            present.next().map(|other| format!("write {}", spelled(setting, &other.name)))
        };
        let advice = renamed.or_else(other).or_else(|| note.instead.clone()).or_else(|| same_subject(facts, entry));
        return Some(Finding::new(Rule::OtherVersion, Certainty::Certain, setting, text).with_advice(advice));
    }
    // MPICH's prefixes are all documented, so only other names count.
    let is_old = entry.name != bare && is_mca(entry.family) && entry.names.iter().any(|name| name == bare);
    if is_old || entry.is_deprecated {
        let text = match is_old {
            true => format!("{bare} is an old name of {}; both work", entry.name),
            false => format!("{} calls {bare} deprecated", target.title),
        };
        let advice = is_old.then(|| format!("write {}", spelled(setting, &entry.name)));
        return Some(Finding::new(Rule::OldName, Certainty::Possible, setting, text).with_advice(advice));
    }
    None
}

fn is_mca(family: Family) -> bool {
    matches!(family, Family::OpenMpi | Family::Fujitsu | Family::Pmix | Family::Prrte)
}

/// A parameter as it is written where the setting is.
fn spelled(setting: &crate::Setting, name: &str) -> String {
    match setting.name.strip_prefix("OMPI_MCA_") {
        Some(_) => format!("OMPI_MCA_{name}"),
        None => name.to_owned(),
    }
}

/// Which device of MPICH reads a control variable.
fn device_of(entry: &Entry) -> Option<&str> {
    if let Some(device) = &entry.note.device {
        return Some(device);
    }
    if entry.family != Family::Mpich {
        return None;
    }
    let parts = [
        ("MPIR_CVAR_CH3_", "ch3"),
        ("MPIR_CVAR_NEMESIS_", "ch3"),
        ("MPIR_CVAR_CH4_OFI_", "ch4:ofi"),
        ("MPIR_CVAR_CH4_UCX_", "ch4:ucx"),
        ("MPIR_CVAR_CH4_", "ch4"),
    ];
    parts.iter().find(|(begin, _)| entry.name.starts_with(begin)).map(|(_, device)| *device)
}

fn is_of_device(entry: &Entry, device: Option<&str>) -> bool {
    match (device_of(entry), device) {
        (Some(wanted), Some(device)) => device.starts_with(wanted),
        _ => true,
    }
}

/// Another device of MPICH would read it.
pub(crate) fn other_device(facts: &Facts, meant: &Meant) -> Option<Finding> {
    let target = facts.target.filter(|target| target.family == Family::Mpich)?;
    let device = target.device.as_deref()?;
    if is_of_device(meant.entry, Some(device)) {
        return None;
    }
    let wanted = device_of(meant.entry)?;
    let text = format!("{} concerns the device {wanted}, but this library was built for {device}", meant.setting.name);
    let advice = same_subject(facts, meant.entry);
    Some(Finding::new(Rule::NoEffect, Certainty::Certain, meant.setting, text).with_advice(advice))
}

/// Ranks on other hosts do not get it.
pub(crate) fn not_handed_over(facts: &Facts, meant: &Meant) -> Option<Finding> {
    let words = facts.input.words.as_ref().filter(|_| facts.input.leaves_host)?;
    let name = &meant.setting.name;
    if meant.setting.source != Source::Environment || words.hands_over(name) || meant.entry.family == Family::Slurm {
        return None;
    }
    let text = format!("the launcher does not hand {name} to ranks on other hosts");
    let advice = Some(format!("add {} {name} to the launcher's options", words.export_option));
    Some(Finding::new(Rule::NotHandedOver, Certainty::Possible, meant.setting, text).with_advice(advice))
}
