//! What can be wrong with what is set. One file for each kind of mistake; `examine` applies them in order.

mod conditions;
mod elsewhere;
mod selection;
mod unknown;
mod values;

use serde::Serialize;

use crate::setting::{Setting, Shown, Source, Target, shown};
use crate::table::Entry;
use crate::{Family, Input};

pub(crate) use conditions::contradictions;
pub(crate) use elsewhere::{not_handed_over, other_device, other_mpi, other_prefix, other_version};
pub(crate) use selection::{excluded, selections};
pub(crate) use unknown::unknown;
pub(crate) use values::values;

/// The kinds of mistakes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// No table and no library has this name.
    UnknownName,
    /// The MPI in use does not read it.
    OtherMpi,
    /// This version of the MPI does not have it.
    OtherVersion,
    /// It still works under an old name.
    OldName,
    /// The library does not accept the value.
    WrongValue,
    /// It does not fit to another setting.
    Contradiction,
    /// Another setting or the device of the library makes it ineffective.
    NoEffect,
    /// The launcher does not hand it to ranks on other hosts.
    NotHandedOver,
    /// A file could not be read.
    File,
}

impl Rule {
    /// As in JSON.
    pub fn id(self) -> &'static str {
        match self {
            Self::UnknownName => "unknown-name",
            Self::OtherMpi => "other-mpi",
            Self::OtherVersion => "other-version",
            Self::OldName => "old-name",
            Self::WrongValue => "wrong-value",
            Self::Contradiction => "contradiction",
            Self::NoEffect => "no-effect",
            Self::NotHandedOver => "not-handed-over",
            Self::File => "file",
        }
    }
}

/// Whether something could excuse it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Certainty {
    /// A different build, more hosts or a version that no table contains could excuse it.
    Possible,
    /// Nothing does.
    Certain,
}

/// A mistake in what is set.
#[derive(Debug, Clone, Serialize)]
pub struct Finding {
    /// Which kind.
    pub rule: Rule,
    /// Whether it is one in any case.
    pub certainty: Certainty,
    /// As it was written; the path for a file.
    pub name: String,
    /// Where; `None` for a file.
    pub source: Option<Source>,
    /// What is wrong, in a sentence without its end.
    pub text: String,
    /// What to write instead.
    pub advice: Option<String>,
}

impl Finding {
    pub(crate) fn new(rule: Rule, certainty: Certainty, setting: &Setting, text: String) -> Self {
        Self { rule, certainty, name: shown(&setting.name), source: Some(setting.source.clone()), text, advice: None }
    }

    pub(crate) fn with_advice(mut self, advice: Option<String>) -> Self {
        self.advice = advice;
        self
    }
}

/// A setting whose name is known.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Meant<'a> {
    pub setting: &'a Setting,
    pub entry: &'static Entry,
    /// Its place in the report's list.
    pub at: usize,
    pub is_in_force: bool,
}

/// What all rules may use.
pub(crate) struct Facts<'a> {
    pub input: &'a Input,
    pub target: Option<&'a Target>,
    pub meant: Vec<Meant<'a>>,
}

impl Facts<'_> {
    /// Whether the MPI in use reads variables of a family; true if the MPI is unknown.
    pub fn is_read(&self, family: Family) -> bool {
        self.target.is_none_or(|target| family.is_read_by(target.family))
    }

    /// The setting in force of a table's name.
    pub fn in_force(&self, name: &str) -> Option<&Meant<'_>> {
        self.meant.iter().find(|meant| meant.is_in_force && meant.entry.name == name)
    }

    /// Its value, or the default: of the library at hand, otherwise of the table.
    pub fn value(&self, family: Family, name: &str) -> Option<Value> {
        if let Some(meant) = self.in_force(name) {
            return Some(Value { text: meant.setting.value.clone(), is_of_table: false });
        }
        let entry = crate::entry(family, name)?;
        match self.input.library.as_ref().and_then(|library| library.default_of(entry)) {
            Some(text) => Some(Value { text, is_of_table: false }),
            None if entry.default.is_empty() => None,
            None => Some(Value { text: entry.default.clone(), is_of_table: true }),
        }
    }
}

/// A value in force.
pub(crate) struct Value {
    pub text: String,
    /// A default that the table has, which may be another one in this version.
    pub is_of_table: bool,
}

/// Notes in the list that a setting has no effect.
pub(crate) fn note_no_effect(list: &mut [Shown], at: usize, why: &str) {
    list[at].is_in_force = false;
    list[at].why_not.get_or_insert_with(|| why.to_owned());
}
