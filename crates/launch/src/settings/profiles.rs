//! Profiles by name, and their inheritance.

use std::path::Path;

use super::file::{ConfigFile, Entry, Profile};
use super::{At, Known, SettingsError};
use crate::options::{Spec, nearest};

/// The profiles of a file and the built-in ones.
pub(super) struct Profiles<'a> {
    file: &'a ConfigFile,
    built_in: &'a ConfigFile,
    path: Option<&'a Path>,
}

/// A profile in the chain from the selected one to its last ancestor.
pub(super) struct Link<'a> {
    name: String,
    profile: &'a Profile,
    /// Whether it is in the user's file.
    is_own: bool,
}

impl Link<'_> {
    pub fn find(&self, spec: &Spec) -> Option<(&str, &Entry, bool)> {
        Some((self.name.as_str(), self.profile.layer.get(spec)?, self.is_own))
    }
}

impl<'a> Profiles<'a> {
    /// Checks all profiles of a file, also unused ones.
    pub fn new(file: &'a ConfigFile, built_in: &'a ConfigFile, path: Option<&'a Path>) -> Result<Self, SettingsError> {
        let profiles = Self { file, built_in, path };
        for name in file.profiles.keys() {
            profiles.chain(name, "--profile")?;
        }
        Ok(profiles)
    }

    fn get(&self, name: &str) -> Option<(&'a Profile, bool)> {
        let own = self.file.profiles.get(name).map(|profile| (profile, true));
        own.or_else(|| self.built_in.profiles.get(name).map(|profile| (profile, false)))
    }

    fn names(&self) -> impl Iterator<Item = &'a String> {
        let built_in = self.built_in.profiles.keys().filter(|name| !self.file.profiles.contains_key(*name));
        self.file.profiles.keys().chain(built_in)
    }

    pub fn list(&self) -> Vec<Known> {
        let known = |name: &String| {
            let (profile, is_own) = self.get(name)?;
            let inherits = profile.inherits.as_ref().map(|(base, _)| base.clone());
            Some(Known { name: name.clone(), at: is_own.then(|| profile.at.clone()), inherits })
        };
        self.names().filter_map(known).collect()
    }

    /// The profile and its ancestors, the most specific first.
    pub fn chain(&self, name: &str, asked_by: &str) -> Result<Vec<Link<'a>>, SettingsError> {
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
