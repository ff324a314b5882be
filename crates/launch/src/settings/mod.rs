//! Combines the command line, the environment and `mpiscope.toml` into one value for each option, with its origin.
//!
//! Precedence, for each option separately: command line > environment > profile (its own options before inherited ones) >
//! top level of the file > defaults.

mod error;
mod file;
mod find;
mod profiles;
#[cfg(test)]
mod tests;

use std::ffi::{OsStr, OsString};
use std::path::Path;

use mpiscope_records::ConfigNote;
use serde::Serialize;

use crate::env;
use crate::options::{Settings, Spec, TABLE};
use file::{ConfigFile, Entry, Layer};
use profiles::Profiles;

pub use error::{At, SettingsError};
pub use find::{Choice, FILE_NAME};

/// Looks up a variable in an environment.
pub type Lookup<'a> = &'a dyn Fn(&str) -> Option<OsString>;

/// This process's environment. An empty variable counts as unset.
pub fn own_environment(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

/// The options on the command line.
#[derive(Debug, Default, Clone)]
pub struct Typed {
    /// Each option with its text, not yet checked.
    pub values: Vec<(&'static Spec, OsString)>,
    /// `--profile`.
    pub profile: Option<String>,
    /// `--config`, `--no-config`, or neither.
    pub config: Choice,
}

/// The origin of a value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "from", rename_all = "kebab-case")]
pub enum Origin {
    /// An option of the command.
    CommandLine,
    /// A variable that is not empty.
    Environment {
        /// Its name.
        variable: &'static str,
    },
    /// Without `at`: built in.
    Profile {
        /// The profile's name.
        profile: String,
        /// The place in the user's file.
        #[serde(flatten)]
        at: Option<At>,
    },
    /// The top level of `mpiscope.toml`.
    File {
        /// Its place.
        #[serde(flatten)]
        at: At,
    },
    /// Not given anywhere.
    Default,
}

/// A profile that can be selected.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Known {
    /// As after `--profile`.
    pub name: String,
    /// Without a place: built in.
    #[serde(flatten)]
    pub at: Option<At>,
    /// The profile that it extends.
    pub inherits: Option<String>,
}

/// The options in force.
#[derive(Debug, Default)]
pub struct Resolved {
    /// Every option's value.
    pub settings: Settings,
    /// Where the values are from, in the order of [`TABLE`].
    pub origins: Vec<(&'static Spec, Origin)>,
    /// The file that was read, and the selected profile.
    pub note: ConfigNote,
    /// Where the profile was selected.
    pub profile_origin: Option<Origin>,
    /// Every profile that could have been selected.
    pub profiles: Vec<Known>,
}

/// Determines the value of every option.
///
/// # Errors
///
/// If the file cannot be read, or anything in it or on the command line is invalid; unused profiles are checked, too.
pub fn resolve(typed: &Typed, variables: Lookup, working_dir: &Path) -> Result<Resolved, SettingsError> {
    let path = match &typed.config {
        Choice::None => None,
        Choice::Given(path) => Some(path.clone()),
        Choice::Found => match variables(env::CONFIG) {
            Some(path) => Some(path.into()),
            None => find::upwards(working_dir)?,
        },
    };
    let path = path.map(|path| working_dir.join(path));
    let file = match &path {
        Some(path) => ConfigFile::parse(path, &find::read(path)?)?,
        None => ConfigFile::default(),
    };
    let built_in = ConfigFile::parse(Path::new("built-in profiles"), include_str!("builtin.toml"))?;
    let profiles = Profiles::new(&file, &built_in, path.as_deref())?;

    let (name, profile_origin) = match (&typed.profile, variables(env::PROFILE)) {
        (Some(name), _) => (Some(name.clone()), Some(Origin::CommandLine)),
        (None, Some(name)) => {
            let name = name.to_string_lossy().into_owned();
            (Some(name), Some(Origin::Environment { variable: env::PROFILE }))
        }
        (None, None) => (None, None),
    };
    let asked_by = match profile_origin {
        Some(Origin::Environment { .. }) => env::PROFILE,
        _ => "--profile",
    };
    let chain = name.as_deref().map_or(Ok(Vec::new()), |name| profiles.chain(name, asked_by))?;

    let mut found = Resolved { profile_origin, profiles: profiles.list(), ..Resolved::default() };
    found.note = ConfigNote { file: path.clone(), profile: name };
    for spec in TABLE {
        let typed = typed.values.iter().find(|(other, _)| other.name == spec.name);
        let origin = if let Some((_, value)) = typed {
            found.give(spec, value, &format!("--{}", spec.name))?;
            Origin::CommandLine
        } else if let Some(value) = variables(spec.variable) {
            found.give(spec, &value, spec.variable)?;
            Origin::Environment { variable: spec.variable }
        } else if let Some((name, entry, is_own)) = chain.iter().find_map(|link| link.find(spec)) {
            found.give(spec, &entry.value, name)?;
            Origin::Profile { profile: name.to_owned(), at: is_own.then(|| entry.at.clone()) }
        } else if let Some(entry) = file.top.get(spec) {
            found.give(spec, &entry.value, spec.name)?;
            Origin::File { at: entry.at.clone() }
        } else {
            Origin::Default
        };
        found.origins.push((spec, origin));
    }
    Ok(found)
}

impl Resolved {
    /// Whether an option has its default because it was not given.
    pub fn is_default(&self, name: &str) -> bool {
        self.origins.iter().any(|(spec, origin)| spec.name == name && *origin == Origin::Default)
    }

    fn give(&mut self, spec: &Spec, value: &OsStr, origin: &str) -> Result<(), SettingsError> {
        let given = |source| SettingsError::Given { origin: origin.into(), source };
        spec.set(&mut self.settings, value).map_err(given)
    }
}

impl Layer {
    fn get(&self, spec: &Spec) -> Option<&Entry> {
        self.values.iter().find(|entry| entry.spec.name == spec.name)
    }
}
