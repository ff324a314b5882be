//! Searching the tables.

use serde::Serialize;

use crate::table::{self, Entry, Presence};
use crate::{Family, Version};

/// A variable that was found.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Hit {
    /// It.
    #[serde(skip)]
    pub entry: &'static Entry,
    /// The larger, the better it fits.
    pub score: u32,
}

/// All subjects in the notes, sorted.
pub fn subjects() -> Vec<&'static str> {
    let mut all: Vec<&str> = table::every().filter_map(|entry| entry.note.subject.as_deref()).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// Variables with all words in their names, subjects or texts, or in the name of what reads them, the best first; `family` of `None` searches all of them.
pub fn search(words: &[String], family: Option<Family>, version: Option<&Version>) -> Vec<Hit> {
    let wanted: Vec<String> =
        words.iter().flat_map(|word| word.split_whitespace()).map(str::to_ascii_lowercase).collect();
    let entries = table::every().filter(|entry| family.is_none_or(|family| entry.family.is_read_by(family)));
    let is_there = |entry: &&Entry| match (version, family) {
        (Some(version), Some(family)) if entry.family == family => entry.presence(version) != Presence::No,
        _ => true,
    };
    let mut hits: Vec<Hit> = entries
        .filter(is_there)
        .filter_map(|entry| {
            Some(Hit {
                entry,
                score: wanted.iter().map(|word| score(entry, word)).collect::<Option<Vec<_>>>()?.iter().sum(),
            })
        })
        .collect();
    let is_own = |hit: &Hit| family.is_some_and(|family| hit.entry.family == family);
    hits.sort_by_key(|hit| (std::cmp::Reverse(is_own(hit)), std::cmp::Reverse(hit.score)));
    hits
}

/// How well one word fits; `None` if it does not.
fn score(entry: &Entry, word: &str) -> Option<u32> {
    let plain = |text: &str| text.to_ascii_lowercase();
    let is_in = |text: &Option<String>| text.as_ref().is_some_and(|text| plain(text).contains(word));
    let note = &entry.note;
    let has_note = u32::from(note.subject.is_some()) * 4;
    if plain(&entry.variable()) == word || plain(&entry.name) == word {
        Some(100)
    } else if note
        .subject
        .as_deref()
        .is_some_and(|subject| subject.replace('-', " ").contains(word) || subject.contains(word))
    {
        Some(16 + has_note)
    } else if plain(&entry.name).contains(word) || entry.names.iter().any(|name| plain(name).contains(word)) {
        Some(8 + has_note)
    } else if is_in(&note.changes) || is_in(&note.helps) {
        Some(3)
    } else if plain(entry.family.title()).contains(word) || entry.family.word() == word {
        Some(2 + has_note)
    } else if plain(&entry.text).contains(word) {
        Some(1 + has_note)
    } else {
        None
    }
}
