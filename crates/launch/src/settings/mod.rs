//! From what was typed, the environment and `mpiscope.toml` to one value for each option, with
//! where it came from.
//!
//! Command line > environment > profile (its own options before those it inherits) > top level
//! of the file > defaults. Each option is decided by itself.

mod error;
mod file;
mod find;
#[cfg(test)]
mod tests;

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::env;
use crate::options::{Settings, Spec, TABLE, nearest};
use file::{ConfigFile, Entry, Layer, Profile};

pub use error::{At, SettingsError};
pub use find::{Choice, FILE_NAME};

/// A lookup in an environment.
pub type Lookup<'a> = &'a dyn Fn(&str) -> Option<OsString>;

/// This process's environment. An empty variable is one that is not set.
pub fn own_environment(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

/// What was typed.
#[derive(Debug, Default, Clone)]
pub struct Typed {
    pub values: Vec<(&'static Spec, OsString)>,
    pub profile: Option<String>,
    pub config: Choice,
}

/// Where a value comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "from", rename_all = "kebab-case")]
pub enum Origin {
    CommandLine,
    Environment {
        variable: &'static str,
    },
    /// Without a place: built in.
    Profile {
        profile: String,
        #[serde(flatten)]
        at: Option<At>,
    },
    File {
        #[serde(flatten)]
        at: At,
    },
    Default,
}

/// A profile that can be asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Known {
    pub name: String,
    /// Without a place: built in.
    #[serde(flatten)]
    pub at: Option<At>,
    pub inherits: Option<String>,
}

/// What is kept in `run.json` of where the options came from.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    pub file: Option<PathBuf>,
    pub profile: Option<String>,
}

/// The options in force.
#[derive(Debug, Default)]
pub struct Resolved {
    pub settings: Settings,
    pub origins: Vec<(&'static Spec, Origin)>,
    /// The file that was read, and the profile that was asked for.
    pub note: Note,
    /// Who asked for the profile.
    pub profile_origin: Option<Origin>,
    pub profiles: Vec<Known>,
}

/// Decides every option.
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
    let profiles = Profiles { file: &file, built_in: &built_in, path: path.as_deref() };
    profiles.check()?;

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

    let mut found = Resolved { profile_origin, profiles: profiles.known(), ..Resolved::default() };
    found.note = Note { file: path.clone(), profile: name };
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
    /// Whether nobody has said anything about an option.
    pub fn is_default(&self, name: &str) -> bool {
        self.origins.iter().any(|(spec, origin)| spec.name == name && *origin == Origin::Default)
    }

    fn give(&mut self, spec: &Spec, value: &OsStr, origin: &str) -> Result<(), SettingsError> {
        let given = |source| SettingsError::Given { origin: origin.into(), source };
        spec.set(&mut self.settings, value).map_err(given)
    }
}

impl Note {
    /// For a line to people; none when neither a file nor a profile is in play.
    pub fn text(&self) -> Option<String> {
        let profile = self.profile.as_ref().map(|name| format!("profile {name}"));
        let file = self.file.as_ref().map(|file| file.display().to_string());
        match (profile, file) {
            (Some(profile), Some(file)) => Some(format!("{profile}, {file}")),
            (one, other) => one.or(other),
        }
    }
}

impl Layer {
    fn get(&self, spec: &Spec) -> Option<&Entry> {
        self.values.iter().find(|entry| entry.spec.name == spec.name)
    }
}

/// The profiles of a file and those built in.
struct Profiles<'a> {
    file: &'a ConfigFile,
    built_in: &'a ConfigFile,
    path: Option<&'a Path>,
}

/// A profile on the way from the one asked for to the last it is based on.
struct Link<'a> {
    name: String,
    profile: &'a Profile,
    /// In the user's file.
    is_own: bool,
}

impl Link<'_> {
    fn find(&self, spec: &Spec) -> Option<(&str, &Entry, bool)> {
        Some((self.name.as_str(), self.profile.layer.get(spec)?, self.is_own))
    }
}

impl<'a> Profiles<'a> {
    fn get(&self, name: &str) -> Option<(&'a Profile, bool)> {
        let own = self.file.profiles.get(name).map(|profile| (profile, true));
        own.or_else(|| self.built_in.profiles.get(name).map(|profile| (profile, false)))
    }

    fn names(&self) -> impl Iterator<Item = &'a String> {
        let built_in = self.built_in.profiles.keys().filter(|name| !self.file.profiles.contains_key(*name));
        self.file.profiles.keys().chain(built_in)
    }

    fn known(&self) -> Vec<Known> {
        let known = |name: &String| {
            let (profile, is_own) = self.get(name)?;
            let inherits = profile.inherits.as_ref().map(|(base, _)| base.clone());
            Some(Known { name: name.clone(), at: is_own.then(|| profile.at.clone()), inherits })
        };
        self.names().filter_map(known).collect()
    }

    /// A file is right as a whole or not at all: also what is not asked for today.
    fn check(&self) -> Result<(), SettingsError> {
        for name in self.file.profiles.keys() {
            self.chain(name, "--profile")?;
        }
        Ok(())
    }

    /// The profile and what it is based on, the most particular first.
    fn chain(&self, name: &str, asked_by: &str) -> Result<Vec<Link<'a>>, SettingsError> {
        let mut chain: Vec<Link> = Vec::new();
        let mut next = Some((name.to_owned(), None::<At>));
        while let Some((name, at)) = next {
            if let (Some(at), true) = (&at, chain.iter().any(|link| link.name == name)) {
                let first = chain.iter().position(|link| link.name == name).unwrap_or(0);
                let names = chain[first..].iter().map(|link| link.name.clone());
                return Err(SettingsError::Circle { at: at.clone(), chain: names.chain([name.clone()]).collect() });
            }
            let Some((profile, is_own)) = self.get(&name) else {
                return Err(SettingsError::UnknownProfile {
                    origin: at.map_or_else(|| asked_by.to_owned(), |at| at.to_string()),
                    nearest: nearest(&name, self.names().map(String::as_str)).map(str::to_owned),
                    known: self.names().cloned().collect(),
                    file: self.path.map(Path::to_owned),
                    name,
                });
            };
            next = profile.inherits.as_ref().map(|(base, at)| (base.clone(), Some(at.clone())));
            chain.push(Link { name, profile, is_own });
        }
        Ok(chain)
    }
}
