//! `mpiscope.toml`: options at the top level, profiles in `[profile.NAME]`. The whole file is checked when it is read,
//! including unused profiles, so that errors are found early.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;

use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

use super::{At, SettingsError};
use crate::options::{Kind, OptionError, Settings, Spec, TABLE, nearest};

/// Options of a file or a profile.
#[derive(Debug, Default)]
pub struct Layer {
    pub values: Vec<Entry>,
}

#[derive(Debug)]
pub struct Entry {
    pub spec: &'static Spec,
    pub value: OsString,
    pub at: At,
}

#[derive(Debug)]
pub struct Profile {
    pub layer: Layer,
    /// The profile from which this one inherits.
    pub inherits: Option<(String, At)>,
    pub at: At,
}

#[derive(Debug, Default)]
pub struct ConfigFile {
    pub top: Layer,
    pub profiles: BTreeMap<String, Profile>,
}

/// The keys of the table of profiles, and of the profile to inherit from.
const PROFILE: &str = "profile";
const INHERITS: &str = "inherits";

type Key<'a> = Spanned<DeString<'a>>;
type Node<'a> = Spanned<DeValue<'a>>;

/// The text of a file and its path.
struct Source<'a> {
    file: &'a Path,
    text: &'a str,
}

impl ConfigFile {
    pub fn parse(file: &Path, text: &str) -> Result<Self, SettingsError> {
        let source = Source { file, text };
        let table = DeTable::parse(text).map_err(|error| SettingsError::Syntax {
            at: source.at(error.span().map_or(0, |span| span.start)),
            message: error.message().replace('\n', "; "),
        })?;
        let mut found = Self::default();
        for (key, node) in in_order(table.get_ref()) {
            if key.get_ref() == PROFILE {
                for (name, node) in in_order(source.table(key, node, "a table for each profile: [profile.NAME]")?) {
                    let profile = source.profile(name, node)?;
                    found.profiles.insert(name.get_ref().to_string(), profile);
                }
            } else {
                found.top.values.push(source.entry(key, node, PROFILE)?);
            }
        }
        Ok(found)
    }
}

/// Entries in the order of the file, so that the first of two errors is reported.
fn in_order<'a, 'b>(table: &'b DeTable<'a>) -> Vec<(&'b Key<'a>, &'b Node<'a>)> {
    let mut entries: Vec<_> = table.iter().collect();
    entries.sort_by_key(|(key, _)| key.span().start);
    entries
}

impl Source<'_> {
    fn at(&self, offset: usize) -> At {
        let before = &self.text.as_bytes()[..offset.min(self.text.len())];
        At { file: self.file.into(), line: 1 + before.iter().filter(|byte| **byte == b'\n').count() }
    }

    fn table<'a, 'b>(
        &self,
        key: &Key,
        node: &'b Node<'a>,
        wanted: &'static str,
    ) -> Result<&'b DeTable<'a>, SettingsError> {
        node.get_ref().as_table().ok_or_else(|| self.wrong_type(key, node, wanted))
    }

    fn profile(&self, name: &Key, node: &Node) -> Result<Profile, SettingsError> {
        let mut layer = Layer::default();
        let mut inherits = None;
        for (key, node) in in_order(self.table(name, node, "options: [profile.NAME]")?) {
            if key.get_ref() == INHERITS {
                let base = node.get_ref().as_str();
                let base = base.ok_or_else(|| self.wrong_type(key, node, "the name of a profile"))?;
                inherits = Some((base.to_owned(), self.at(key.span().start)));
            } else {
                layer.values.push(self.entry(key, node, INHERITS)?);
            }
        }
        Ok(Profile { layer, inherits, at: self.at(name.span().start) })
    }

    fn entry(&self, key: &Key, node: &Node, also: &str) -> Result<Entry, SettingsError> {
        let name = key.get_ref().as_ref();
        let at = self.at(key.span().start);
        let Some(spec) = Spec::named(name) else {
            return Err(unknown(at, name, also));
        };
        let bad = |source| SettingsError::BadValue { at: at.clone(), key: name.to_owned(), source };
        let value = value(spec.kind, node.get_ref()).ok_or_else(|| self.wrong_type(key, node, wanted(spec.kind)))?;
        let value = match spec.kind {
            Kind::Path if value.is_empty() => return Err(bad(OptionError::Empty)),
            Kind::Path => self.file.parent().unwrap_or(Path::new("")).join(value).into_os_string(),
            _ => OsString::from(value),
        };
        spec.set(&mut Settings::default(), &value).map_err(bad)?;
        Ok(Entry { spec, value, at })
    }

    fn wrong_type(&self, key: &Key, node: &Node, wanted: &'static str) -> SettingsError {
        SettingsError::WrongType {
            at: self.at(key.span().start),
            key: key.get_ref().to_string(),
            wanted,
            // An array is allowed for a list, so its elements are wrong.
            found: if node.get_ref().is_array() { "array of such values" } else { node.get_ref().type_str() },
        }
    }
}

fn unknown(at: At, key: &str, also: &str) -> SettingsError {
    let key = key.to_owned();
    match key.as_str() {
        "force" => SettingsError::CommandLineOnly { at, key, why: ": a file must not overwrite runs" },
        "n" | "config" | "no-config" => SettingsError::CommandLineOnly { at, key, why: "" },
        _ => {
            let names = TABLE.iter().map(|spec| spec.name).chain([also]);
            let nearest = nearest(&key, names).map(str::to_owned);
            SettingsError::UnknownKey { at, key, nearest }
        }
    }
}

fn wanted(kind: Kind) -> &'static str {
    match kind {
        Kind::Size => "a size such as \"16M\", or a number of bytes",
        Kind::Count => "a whole number",
        Kind::Choice(words) if words.contains(&"on") => "a word in quotes, or true or false",
        Kind::Choice(_) => "a word in quotes",
        Kind::Switch => "\"on\" or \"off\", or true or false",
        Kind::List => "a string such as \"a,b\", or an array of strings and integers",
        Kind::Path => "a path in quotes",
        Kind::Text => "a string in quotes",
    }
}

/// The value in the form of the command line; `None` if its type is wrong.
fn value(kind: Kind, value: &DeValue) -> Option<String> {
    let integer = |value: &DeValue| {
        let number = value.as_integer()?;
        i128::from_str_radix(number.as_str(), number.radix()).ok().map(|number| number.to_string())
    };
    let text = || value.as_str().map(str::to_owned);
    let switched = || value.as_bool().map(|on| if on { "on" } else { "off" }.into());
    match kind {
        Kind::Count => integer(value),
        Kind::Size => text().or_else(|| integer(value)),
        Kind::Switch => text().or_else(switched),
        // A choice that includes "on".
        Kind::Choice(words) if words.contains(&"on") => text().or_else(switched),
        Kind::List => {
            let item = |value: &DeValue| value.as_str().map(str::to_owned).or_else(|| integer(value));
            let Some(items) = value.as_array() else {
                return item(value);
            };
            let items: Option<Vec<String>> = items.iter().map(|value| item(value.get_ref())).collect();
            Some(items?.join(","))
        }
        Kind::Choice(_) | Kind::Path | Kind::Text => text(),
    }
}

#[cfg(test)]
mod tests;
