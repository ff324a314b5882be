//! The tables: rows that libraries list themselves, merged by name with the notes of people.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use serde::Deserialize;

use crate::Family;
use crate::components::may_be_in_other_builds;
use crate::version::{Range, Version};

/// Form of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Yes or no.
    Bool,
    /// A whole number.
    Int,
    /// A whole number that is not negative.
    Uint,
    /// A number of bytes.
    Size,
    /// A whole number, `inf` or `auto`.
    Count,
    /// A time with its unit.
    Time,
    /// A number.
    Float,
    /// One of some words.
    Choice,
    /// Anything.
    Text,
    /// Not a setting: where something is installed, or what a launcher notes for its ranks.
    Place,
}

impl Kind {
    fn parse(text: &str) -> Self {
        match text {
            "bool" => Self::Bool,
            "int" => Self::Int,
            "uint" => Self::Uint,
            "size" => Self::Size,
            "count" => Self::Count,
            "time" => Self::Time,
            "float" => Self::Float,
            "choice" => Self::Choice,
            "place" => Self::Place,
            _ => Self::Text,
        }
    }

    /// As in lists.
    pub fn word(self) -> &'static str {
        match self {
            Self::Bool => "yes or no",
            Self::Int => "whole number",
            Self::Uint => "whole number, not negative",
            Self::Size => "bytes",
            Self::Count => "whole number, inf or auto",
            Self::Time => "time with unit",
            Self::Float => "number",
            Self::Choice => "one word",
            Self::Text => "text",
            Self::Place => "place",
        }
    }
}

/// A value with a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// Open MPI also takes its number.
    pub number: Option<i64>,
    /// The word.
    pub name: String,
}

/// What people wrote about a variable.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Note {
    /// The name as in the table.
    pub name: String,
    /// One word for all MPIs, such as `eager-limit`.
    pub subject: Option<String>,
    /// What it changes.
    pub changes: Option<String>,
    /// When another value helps.
    pub helps: Option<String>,
    /// What that costs.
    pub costs: Option<String>,
    /// Smallest and largest allowed value, such as `1..` or `0..3`.
    pub limits: Option<String>,
    /// Versions in which it exists.
    pub versions: Option<String>,
    /// Its name in later versions.
    pub renamed: Option<String>,
    /// Something else that does its work, in a sentence.
    pub instead: Option<String>,
    /// Part of the version text of the device that reads it, such as `ch3`.
    pub device: Option<String>,
    /// Where this is documented.
    pub source: Option<String>,
    /// For variables that no generated table has.
    kind: Option<Kind>,
    default: Option<String>,
    choices: Vec<String>,
    names: Vec<String>,
}

/// A variable or parameter.
#[derive(Debug, Clone)]
pub struct Entry {
    /// Who reads it.
    pub family: Family,
    /// Its name in the newest version.
    pub name: String,
    /// Letters of the packages in which it was seen; empty if it was written by hand.
    pub seen: String,
    /// Form of its values.
    pub kind: Kind,
    /// Empty if there is none, or if it depends on the machine.
    pub default: String,
    /// Allowed words; empty if there is no such list.
    pub choices: Vec<Choice>,
    /// Smallest and largest number.
    pub limits: (Option<i64>, Option<i64>),
    /// Other names.
    pub names: Vec<String>,
    /// The library's own text.
    pub text: String,
    /// The library itself calls it deprecated.
    pub is_deprecated: bool,
    /// What people wrote about it.
    pub note: Note,
}

/// Whether a version has a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    /// It does.
    Yes,
    /// It does not.
    No,
    /// No package of this version was seen.
    Unknown,
}

/// A generated table, and its packages by letter.
struct Source {
    family: Family,
    rows: &'static str,
    notes: &'static str,
}

const SOURCES: &[Source] = &[
    source(Family::OpenMpi, include_str!("../data/openmpi.tsv"), include_str!("../data/notes/openmpi.toml")),
    source(Family::Mpich, include_str!("../data/mpich.tsv"), include_str!("../data/notes/mpich.toml")),
    source(Family::Intel, include_str!("../data/intel.tsv"), include_str!("../data/notes/intel.toml")),
    source(Family::Pmix, include_str!("../data/pmix.tsv"), include_str!("../data/notes/pmix.toml")),
    source(Family::Prrte, include_str!("../data/prrte.tsv"), include_str!("../data/notes/prrte.toml")),
    source(Family::Ucx, include_str!("../data/ucx.tsv"), include_str!("../data/notes/ucx.toml")),
    source(Family::Libfabric, include_str!("../data/libfabric.tsv"), include_str!("../data/notes/libfabric.toml")),
    source(Family::CrayMpich, "", include_str!("../data/notes/cray-mpich.toml")),
    source(Family::Mvapich, "", include_str!("../data/notes/mvapich.toml")),
    source(Family::Fujitsu, "", include_str!("../data/notes/fujitsu.toml")),
    source(Family::SunMpi, "", include_str!("../data/notes/sun.toml")),
    source(Family::BlueGene, "", include_str!("../data/notes/bluegene.toml")),
    source(Family::Slurm, "", include_str!("../data/notes/slurm.toml")),
    source(Family::Psm2, "", include_str!("../data/notes/psm2.toml")),
    source(Family::Hcoll, "", include_str!("../data/notes/hcoll.toml")),
    source(Family::Nccl, "", include_str!("../data/notes/nccl.toml")),
    source(Family::OpenMp, "", include_str!("../data/notes/openmp.toml")),
    source(Family::Memory, "", include_str!("../data/notes/memory.toml")),
];

const fn source(family: Family, rows: &'static str, notes: &'static str) -> Source {
    Source { family, rows, notes }
}

/// A family's variables, and the packages that were read.
struct Table {
    entries: Vec<Entry>,
    packages: Vec<(char, Version)>,
}

fn table(family: Family) -> &'static Table {
    static TABLES: [OnceLock<Table>; Family::ALL.len()] = [const { OnceLock::new() }; Family::ALL.len()];
    TABLES[family as usize].get_or_init(|| {
        let source = SOURCES.iter().find(|source| source.family == family).expect("every family has a source");
        Table { entries: merge(source), packages: packages(source.rows) }
    })
}

/// All variables of a family, sorted by name.
pub fn entries(family: Family) -> &'static [Entry] {
    &table(family).entries
}

/// All variables.
pub fn every() -> impl Iterator<Item = &'static Entry> {
    Family::ALL.into_iter().flat_map(entries)
}

/// The variable of this name or of this other name.
pub fn entry(family: Family, name: &str) -> Option<&'static Entry> {
    let all = entries(family);
    let exact = all.binary_search_by(|entry| entry.name.as_str().cmp(name)).ok().map(|at| &all[at]);
    exact.or_else(|| all.iter().find(|entry| entry.names.iter().any(|other| other == name)))
}

/// Patterns of names with their subjects.
fn patterns() -> impl Iterator<Item = (&'static str, &'static str)> {
    let lines = include_str!("../data/subjects.tsv").lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| line.split_once('\t'))
}

/// Whether a name has the pattern's parts in their order; `*` stands for anything.
fn fits(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = name.strip_prefix(first) else { return false };
    let mut last = None;
    for part in parts {
        if let Some(previous) = last.replace(part) {
            let Some(at) = rest.find(previous) else { return false };
            rest = &rest[at + str::len(previous)..];
        }
    }
    last.map_or(rest.is_empty(), |last| rest.ends_with(last))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Notes {
    /// For notes that give none.
    source: Option<String>,
    #[serde(default)]
    note: Vec<Note>,
}

fn merge(source: &Source) -> Vec<Entry> {
    let mut all: BTreeMap<String, Entry> = source
        .rows
        .lines()
        .filter(|line| !line.starts_with('#') && !line.is_empty())
        .map(|line| row(source.family, line))
        .map(|entry| (entry.name.clone(), entry))
        .collect();
    let notes: Notes = toml::from_str(source.notes).expect("a test reads all notes");
    for mut note in notes.note {
        note.source = note.source.or_else(|| notes.source.clone());
        let entry = all.entry(note.name.clone()).or_insert_with(|| blank(source.family, &note.name));
        if let Some(kind) = note.kind {
            entry.kind = kind;
        }
        if let Some(default) = &note.default {
            entry.default.clone_from(default);
        }
        if !note.choices.is_empty() {
            entry.choices = note.choices.iter().map(|text| choice(text)).collect();
        }
        if let Some(limits) = note.limits.as_deref().and_then(limits) {
            entry.limits = limits;
        }
        entry.names.extend(note.names.iter().cloned());
        entry.note = note;
    }
    all.into_values().collect()
}

fn blank(family: Family, name: &str) -> Entry {
    Entry {
        family,
        name: name.to_owned(),
        seen: String::new(),
        kind: Kind::Text,
        default: String::new(),
        choices: Vec::new(),
        limits: (None, None),
        names: Vec::new(),
        text: String::new(),
        is_deprecated: false,
        note: Note::default(),
    }
}

fn row(family: Family, line: &str) -> Entry {
    let mut cells = line.split('\t');
    let mut next = || cells.next().unwrap_or_default();
    let mut entry = blank(family, next());
    entry.seen = next().to_owned();
    let kind = next();
    entry.is_deprecated = kind.ends_with('!');
    entry.kind = Kind::parse(kind.trim_end_matches('!'));
    entry.default = next().to_owned();
    let list =
        |text: &str| -> Vec<String> { text.split(',').filter(|part| !part.is_empty()).map(Into::into).collect() };
    for text in list(next()) {
        match limits(&text) {
            Some(found) => entry.limits = found,
            None => entry.choices.push(choice(&text)),
        }
    }
    entry.names = list(next());
    entry.text = next().to_owned();
    entry
}

fn limits(text: &str) -> Option<(Option<i64>, Option<i64>)> {
    let (first, last) = text.split_once("..")?;
    Some((first.parse().ok(), last.parse().ok()))
}

fn choice(text: &str) -> Choice {
    let numbered = text.split_once('=').and_then(|(number, name)| Some((number.parse().ok()?, name)));
    match numbered {
        Some((number, name)) => Choice { number: Some(number), name: name.to_owned() },
        None => Choice { number: None, name: text.to_owned() },
    }
}

fn packages(rows: &str) -> Vec<(char, Version)> {
    let lines = rows.lines().filter_map(|line| line.strip_prefix("#package\t"));
    let parts = lines.filter_map(|line| line.split_once('\t'));
    parts.filter_map(|(letter, text)| Some((letter.chars().next()?, Version::parse(text)?))).collect()
}

/// Letters of the packages of this version, as far as two numbers go.
pub(crate) fn letters(family: Family, version: &Version) -> String {
    let same = table(family).packages.iter().filter(|(_, seen)| seen.series() == version.series());
    same.map(|(letter, _)| letter).collect()
}

/// Whether packages of this version, as far as two numbers go, were read for the family's table.
pub fn is_covered(family: Family, version: &Version) -> bool {
    !letters(family, version).is_empty()
}

impl Entry {
    /// Whether this version has it, by the notes or by packages of the same version.
    pub fn presence(&self, version: &Version) -> Presence {
        if let Some(range) = self.note.versions.as_deref().and_then(Range::parse) {
            return if range.contains(version) { Presence::Yes } else { Presence::No };
        }
        let letters = letters(self.family, version);
        if letters.is_empty() || self.seen.is_empty() {
            Presence::Unknown
        } else if self.seen.contains(|letter| letters.contains(letter)) {
            Presence::Yes
        } else if self.family == Family::OpenMpi && may_be_in_other_builds(&self.name, &letters) {
            Presence::Unknown
        } else {
            Presence::No
        }
    }

    /// First and last version of the packages in which it was seen, as text.
    pub fn seen_versions(&self) -> Option<String> {
        if let Some(text) = &self.note.versions {
            return Some(text.replace("..", " to ").trim().to_owned());
        }
        let text = |(_, version): &(char, Version)| {
            version.series().iter().map(ToString::to_string).collect::<Vec<_>>().join(".")
        };
        let mut seen = table(self.family).packages.iter().filter(|(letter, _)| self.seen.contains(*letter));
        let first = text(seen.next()?);
        let last = seen.next_back().map(text).unwrap_or_else(|| first.clone());
        Some(if first == last { first } else { format!("{first} to {last}") })
    }

    /// Its subject: from its note, otherwise by its name.
    pub fn subject(&self) -> Option<&str> {
        let by_name = || patterns().find(|(pattern, _)| fits(pattern, &self.name)).map(|(_, subject)| subject);
        self.note.subject.as_deref().or_else(by_name)
    }

    /// The name as a variable of the environment.
    pub fn variable(&self) -> String {
        let prefix = match self.family {
            Family::OpenMpi | Family::Fujitsu => "OMPI_MCA_",
            Family::Pmix => "PMIX_MCA_",
            Family::Prrte => "PRTE_MCA_",
            _ => "",
        };
        let is_plain = prefix.is_empty() || self.name.starts_with(|c: char| c.is_ascii_uppercase());
        if is_plain { self.name.clone() } else { format!("{prefix}{}", self.name) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_fit_whole_names() {
        assert!(fits("*_eager_limit", "btl_tcp_eager_limit") && !fits("*_eager_limit", "btl_tcp_eager_limits"));
        assert!(fits("I_MPI_PIN*", "I_MPI_PIN") && fits("*cuda*", "opal_cuda_support") && fits("pml", "pml"));
        assert!(fits("*_EAGER*THRESHOLD*", "A_EAGER_THRESHOLD") && !fits("pml", "pml_base_verbose"));
    }

    #[test]
    fn variables_without_a_note_have_a_subject_by_their_name() {
        let subject = |family, name| entry(family, name).unwrap().subject();
        assert_eq!(subject(Family::OpenMpi, "coll_tuned_scatter_algorithm"), Some("collective-algorithm"));
        assert_eq!(subject(Family::Mpich, "MPIR_CVAR_SCATTER_INTRA_ALGORITHM"), Some("collective-algorithm"));
        assert_eq!(subject(Family::Ucx, "UCX_UD_VERBS_RX_QUEUE_LEN"), Some("event-queues"));
    }
}
