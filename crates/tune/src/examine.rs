//! Everything about what is set: meaning, which source wins, and what is wrong.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde::Serialize;

use crate::Family;
use crate::compare::Listed;
use crate::files::FileProblem;
use crate::launcher::Words;
use crate::names::{Known, is_set_for_ranks, lookup, parameter};
use crate::rules::{self, Certainty, Facts, Finding, Meant, Rule, note_no_effect};
use crate::setting::{Setting, Shown, Source, Target, shown};
use crate::table::{self, Entry, Kind, Presence};

/// What the caller found.
#[derive(Debug, Default)]
pub struct Input {
    /// The MPI in use; `None` if it is unknown: then nothing is compared with it.
    pub target: Option<Target>,
    /// What is set, from all sources.
    pub settings: Vec<Setting>,
    /// The launcher's words.
    pub words: Option<Words>,
    /// Whether the launcher may start ranks on other hosts.
    pub leaves_host: bool,
    /// Whether this process was itself started by a launcher, which sets variables.
    pub is_in_job: bool,
    /// What the library itself lists.
    pub library: Option<Listed>,
    /// What tools of libraries below the MPI list: names of UCX's and libfabric's variables.
    pub below: BTreeMap<Family, BTreeSet<String>>,
    /// Files that could not be read.
    pub file_problems: Vec<FileProblem>,
}

/// What is set, and what is wrong with it.
#[derive(Debug, Clone, Serialize)]
pub struct Report {
    /// All settings that concern MPI, in the order of their sources.
    pub settings: Vec<Shown>,
    /// The mistakes, certain ones first.
    pub findings: Vec<Finding>,
}

impl Report {
    /// Whether a finding is certain.
    pub fn has_certain(&self) -> bool {
        self.findings.iter().any(|finding| finding.certainty == Certainty::Certain)
    }

    /// What is wrong for sure with what this MPI reads, for commands that start a program. Login scripts set variables for several
    /// MPIs and versions: those for another MPI are not part of it, nor those for another version if there is one for the
    /// same subject that this version reads.
    pub fn worth_a_line(&self) -> Vec<&Finding> {
        let matters = |finding: &&Finding| match finding.rule {
            Rule::OtherMpi | Rule::File => false,
            Rule::OtherVersion => !self.has_other_of_subject(finding),
            _ => true,
        };
        let certain = self.findings.iter().filter(|finding| finding.certainty == Certainty::Certain);
        certain.filter(matters).collect()
    }

    fn has_other_of_subject(&self, finding: &Finding) -> bool {
        let subject = self.settings.iter().find(|set| set.name == finding.name).and_then(|set| set.subject.as_ref());
        subject.is_some() && self.settings.iter().any(|set| set.is_in_force && set.subject.as_ref() == subject)
    }
}

/// Examines what is set.
pub fn examine(input: &Input) -> Report {
    let target = input.target.as_ref();
    let mpi = target.map(|target| target.family);
    let mut settings: Vec<&Setting> = input.settings.iter().collect();
    settings.sort_by_key(|setting| setting.source.rank());
    let mut facts = Facts { input, target, meant: Vec::new() };
    let mut list: Vec<Shown> = Vec::new();
    let mut findings: Vec<Finding> = Vec::new();
    let is_of_launcher =
        |setting: &Setting| input.is_in_job && setting.source == Source::Environment && is_set_for_ranks(&setting.name);
    for setting in settings.into_iter().filter(|setting| !is_of_launcher(setting)) {
        let known = meaning(setting, mpi);
        if let Known::Entry(entry) = known {
            let entry = of_version(entry, setting, target);
            if entry.kind == Kind::Place {
                continue;
            }
            facts.meant.push(Meant { setting, entry, at: list.len(), is_in_force: true });
            list.push(show(setting, Some(entry), input.library.as_ref()));
        } else if let Some(finding) = rules::unknown(&facts, setting, known) {
            let mut line = show(setting, None, None);
            line.is_in_force = false;
            line.why_not = Some(finding.text.clone());
            list.push(line);
            findings.push(finding);
        }
    }
    overriding(&mut facts, &mut list, &mut findings);
    for meant in &facts.meant {
        let gone = rules::other_mpi(&facts, meant)
            .or_else(|| rules::other_prefix(&facts, meant))
            .or_else(|| rules::other_version(&facts, meant))
            .or_else(|| rules::other_device(&facts, meant))
            .or_else(|| rules::excluded(&facts, meant));
        if let Some(finding) = gone {
            if finding.rule != Rule::OldName {
                note_no_effect(&mut list, meant.at, &finding.text);
            }
            findings.push(finding);
        }
        findings.extend(rules::values(&facts, meant));
        findings.extend(rules::selections(&facts, meant));
        if facts.is_read(meant.entry.family) {
            findings.extend(rules::not_handed_over(&facts, meant));
        }
    }
    for (finding, at) in rules::contradictions(&facts) {
        if finding.rule == Rule::NoEffect {
            note_no_effect(&mut list, at, &finding.text);
        }
        findings.push(finding);
    }
    findings.extend(input.file_problems.iter().map(of_file));
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.certainty));
    Report { settings: list, findings }
}

fn meaning(setting: &Setting, mpi: Option<Family>) -> Known<'_> {
    match setting.source.has_bare_names() {
        true => parameter(&setting.name, mpi),
        false => lookup(&setting.name, mpi),
    }
}

/// Names move between variables: in Open MPI 5, `btl_vader_eager_limit` is another name of `btl_sm_eager_limit`.
fn of_version(entry: &'static Entry, setting: &Setting, target: Option<&Target>) -> &'static Entry {
    let Some(version) = target.and_then(|target| target.version.as_ref()) else { return entry };
    if entry.presence(version) != Presence::No {
        return entry;
    }
    let bare = setting.name.strip_prefix("OMPI_MCA_").unwrap_or(&setting.name);
    let mut others = table::entries(entry.family).iter();
    let other =
        others.find(|other| other.names.iter().any(|name| name == bare) && other.presence(version) == Presence::Yes);
    other.unwrap_or(entry)
}

fn show(setting: &Setting, entry: Option<&Entry>, library: Option<&Listed>) -> Shown {
    let text = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    Shown {
        name: shown(&setting.name),
        value: shown(&setting.value),
        source: setting.source.clone(),
        family: entry.map(|entry| entry.family),
        known_as: entry.map(|entry| entry.name.clone()),
        is_in_force: true,
        why_not: None,
        default: entry
            .and_then(|entry| library.and_then(|library| library.default_of(entry)).or_else(|| text(&entry.default))),
        subject: entry.and_then(|entry| entry.subject().map(Into::into)),
        changes: entry.and_then(|entry| entry.note.changes.clone().or_else(|| text(&entry.text))),
    }
}

/// Of several values for one variable, the last source wins; within one source the last line, and in the environment of MPICH
/// the prefix `MPIR_CVAR_`, which is read last.
fn overriding(facts: &mut Facts, list: &mut [Shown], findings: &mut Vec<Finding>) {
    let strength = |meant: &Meant| {
        let name = &meant.setting.name;
        let prefix = ["MPICH_", "MPIR_PARAM_", "MPIR_CVAR_"].iter().position(|prefix| name.starts_with(prefix));
        (meant.setting.source.rank(), prefix, meant.at)
    };
    let mut best: HashMap<(Family, &str), usize> = HashMap::new();
    for at in 0..facts.meant.len() {
        let key = (facts.meant[at].entry.family, facts.meant[at].entry.name.as_str());
        let winner = best.entry(key).or_insert(at);
        if strength(&facts.meant[at]) > strength(&facts.meant[*winner]) {
            *winner = at;
        }
    }
    for at in 0..facts.meant.len() {
        let meant = facts.meant[at];
        let winner = facts.meant[best[&(meant.entry.family, meant.entry.name.as_str())]];
        if winner.at == meant.at {
            continue;
        }
        facts.meant[at].is_in_force = false;
        let by = match winner.setting.source == meant.setting.source {
            true => winner.setting.name.clone(),
            false => winner.setting.source.title(),
        };
        note_no_effect(list, meant.at, &format!("{by} overrides it"));
        // Different sources are meant to override each other; one source with two values is a mistake.
        let is_same_source = winner.setting.source.rank() == meant.setting.source.rank()
            && !matches!(meant.setting.source, Source::NamedFile { .. });
        if is_same_source && winner.setting.value != meant.setting.value {
            let text = format!(
                "{} is set twice: {} = {} wins ({})",
                meant.setting.name,
                winner.setting.name,
                shown(&winner.setting.value),
                winner.setting.source.title()
            );
            findings.push(Finding::new(Rule::Contradiction, Certainty::Certain, meant.setting, text));
        }
    }
}

fn of_file(problem: &FileProblem) -> Finding {
    let place = problem.line.map_or_else(|| problem.path.clone(), |line| format!("{}:{line}", problem.path));
    Finding {
        rule: Rule::File,
        certainty: Certainty::Certain,
        name: place.clone(),
        source: None,
        text: format!("{place} {}", problem.what),
        advice: None,
    }
}
