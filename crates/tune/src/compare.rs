//! The table against the library at hand, in both directions.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use crate::table::{self, Entry, Presence};
use crate::{Family, Version};

/// What a library lists about itself.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Listed {
    /// Names with their values here; a value is missing if it could not be read.
    pub variables: HashMap<String, Option<String>>,
}

impl Listed {
    /// Whether the library has this name; MPICH's may have other prefixes.
    pub fn has(&self, name: &str) -> bool {
        let bare = ["MPICH_", "MPIR_PARAM_"].iter().find_map(|prefix| name.strip_prefix(prefix));
        self.variables.contains_key(name)
            || bare.is_some_and(|bare| self.variables.contains_key(&format!("MPIR_CVAR_{bare}")))
    }
}

impl Listed {
    /// The default of a variable whose default is a number; words are numbers in the library, and mean nothing there.
    pub(crate) fn default_of(&self, entry: &Entry) -> Option<String> {
        let value = self.variables.get(&entry.name)?.as_ref()?;
        (entry.default.parse::<i64>().is_ok() && value.parse::<i64>().is_ok()).then(|| value.clone())
    }
}

/// Where table and library differ.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Differences {
    /// In the library, but not in the table.
    pub only_in_library: Vec<String>,
    /// In the table for this version, but not in the library.
    pub only_in_table: Vec<String>,
    /// Variables in both.
    pub in_both: usize,
    /// Numbers of variables that have another value in the library than in the table: builds and machines differ.
    pub other_defaults: Vec<OtherDefault>,
}

/// A variable with two defaults.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OtherDefault {
    /// The variable.
    pub name: String,
    /// In the table.
    pub table: String,
    /// In the library, where nothing is set.
    pub library: String,
}

/// Compares the family's table for a version with what its library lists.
pub fn differences(family: Family, version: &Version, listed: &Listed) -> Differences {
    let mut found = Differences::default();
    // Intel's control variables have their public names only as a note in the library.
    for name in listed.variables.keys().filter(|name| !is_version(name)) {
        match table::entry(family, name).is_some()
            || table::entry(Family::Mpich, name).is_some_and(|_| family == Family::Intel)
        {
            true => found.in_both += 1,
            false => found.only_in_library.push(name.clone()),
        }
    }
    for entry in table::entries(family) {
        found.other_defaults.extend(other_default(entry, listed));
        let is_listed = listed.has(&entry.name) || entry.names.iter().any(|name| listed.has(name));
        // Variables that are no control variables are in no list of a library.
        let is_control = match family {
            Family::Mpich => entry.name.starts_with("MPIR_CVAR_"),
            Family::Intel => !entry.default.is_empty(),
            _ => true,
        };
        let is_generated = !entry.seen.is_empty();
        if is_generated && is_control && !is_listed && entry.presence(version) == Presence::Yes {
            found.only_in_table.push(entry.name.clone());
        }
    }
    found.only_in_library.sort();
    found
}

fn other_default(entry: &Entry, listed: &Listed) -> Option<OtherDefault> {
    let library = listed.default_of(entry)?;
    (library != entry.default).then(|| OtherDefault { name: entry.name.clone(), table: entry.default.clone(), library })
}

/// Open MPI also lists the version of each component as three variables, which nothing can set.
fn is_version(name: &str) -> bool {
    ["_major_version", "_minor_version", "_release_version"].iter().any(|end| name.ends_with(end))
}
