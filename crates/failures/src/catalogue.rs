//! All messages, and the automaton that searches for them.

use std::collections::HashMap;
use std::sync::LazyLock;

use aho_corasick::dfa::DFA;
use memchr::memmem::Finder;
use serde::Deserialize;

use crate::entry::{Entry, Source};
use crate::pattern::Pattern;
use crate::unknown;

/// The files of the catalogue, in the order of its page.
const FILES: [&str; 18] = [
    include_str!("../messages/mpi.toml"),
    include_str!("../messages/openmpi.toml"),
    include_str!("../messages/pmix.toml"),
    include_str!("../messages/mpich.toml"),
    include_str!("../messages/hydra.toml"),
    include_str!("../messages/intel.toml"),
    include_str!("../messages/mvapich.toml"),
    include_str!("../messages/cray.toml"),
    include_str!("../messages/fujitsu.toml"),
    include_str!("../messages/ucx.toml"),
    include_str!("../messages/libfabric.toml"),
    include_str!("../messages/slurm.toml"),
    include_str!("../messages/batch.toml"),
    include_str!("../messages/loader.toml"),
    include_str!("../messages/kernel.toml"),
    include_str!("../messages/glibc.toml"),
    include_str!("../messages/fortran.toml"),
    include_str!("../messages/program.toml"),
];

/// Texts of Open MPI's help files that no entry names, made by `tools/openmpi_help.py`, and the entries to which they belong.
const HELP: &str = include_str!("../messages/openmpi_help.toml");
const HELP_ENTRY: &str = "openmpi.help";
const WARNING_ENTRY: &str = "openmpi.warning";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Help {
    section: Vec<Section>,
}

/// A section of a help file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Section {
    name: String,
    warns: bool,
    text: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    source: String,
    name: String,
    message: Vec<Entry>,
}

/// What the automaton found at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hit {
    /// This pattern of this entry.
    Message { entry: usize, pattern: usize },
    /// A word of trouble.
    Word,
}

/// All messages.
#[derive(Debug)]
pub struct Catalogue {
    sources: Vec<Source>,
    entries: Vec<Entry>,
    patterns: Vec<Vec<Pattern>>,
    /// Of each entry, texts with which a line belongs to another message.
    unless: Vec<Vec<Finder<'static>>>,
    /// Names of help sections, by the patterns behind those of an entry itself.
    sections: HashMap<(usize, usize), String>,
    automaton: DFA,
    /// By the automaton's number of the text.
    hits: Vec<Vec<Hit>>,
}

static CATALOGUE: LazyLock<Catalogue> = LazyLock::new(|| match Catalogue::read(&FILES, HELP) {
    Ok(catalogue) => catalogue,
    // A test reads the files, which are part of the executable.
    Err(error) => unreachable!("the catalogue of messages is invalid: {error}"),
});

/// The catalogue, read at its first use.
pub fn catalogue() -> &'static Catalogue {
    &CATALOGUE
}

impl Catalogue {
    fn read(files: &[&str], help: &str) -> Result<Self, String> {
        let (mut sources, mut entries) = (Vec::new(), Vec::new());
        for text in files {
            let file: File = toml::from_str(text).map_err(|error| error.to_string())?;
            sources.push(Source { id: file.source, name: file.name });
            entries.extend(file.message);
        }
        let help: Help = toml::from_str(help).map_err(|error| error.to_string())?;
        let mut patterns = Vec::new();
        let mut texts: Vec<Vec<u8>> = Vec::new();
        let mut hits: Vec<Vec<Hit>> = Vec::new();
        let mut known = HashMap::new();
        let mut add = |text: &[u8], hit| {
            let at = *known.entry(text.to_vec()).or_insert_with(|| {
                texts.push(text.to_vec());
                hits.push(Vec::new());
                texts.len() - 1
            });
            hits[at].push(hit);
        };
        for (number, entry) in entries.iter().enumerate() {
            let parsed = entry
                .patterns
                .iter()
                .map(|text| Pattern::parse(text).map_err(|error| format!("{}: {text}: {error}", entry.id)));
            let parsed: Vec<Pattern> = parsed.collect::<Result<_, _>>()?;
            for (at, pattern) in parsed.iter().enumerate() {
                add(pattern.anchor(), Hit::Message { entry: number, pattern: at });
            }
            patterns.push(parsed);
        }
        let mut sections = HashMap::new();
        for section in help.section {
            let id = if section.warns { WARNING_ENTRY } else { HELP_ENTRY };
            let Some(entry) = entries.iter().position(|entry: &Entry| entry.id == id) else { continue };
            let pattern = Pattern::parse(&section.text)?;
            let at = patterns[entry].len();
            add(pattern.anchor(), Hit::Message { entry, pattern: at });
            patterns[entry].push(pattern);
            sections.insert((entry, at), section.name);
        }
        for word in unknown::WORDS {
            add(word.as_bytes(), Hit::Word);
        }
        let automaton = DFA::builder().prefilter(false).build(&texts).map_err(|error| error.to_string())?;
        let finders = |entry: &Entry| entry.unless.iter().map(|text| Finder::new(text).into_owned()).collect();
        let unless = entries.iter().map(finders).collect();
        Ok(Self { sources, entries, patterns, unless, sections, automaton, hits })
    }

    /// Who prints messages.
    pub fn sources(&self) -> &[Source] {
        &self.sources
    }

    /// All messages, by source.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The message with an id.
    pub fn entry(&self, id: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.id == id)
    }

    pub(crate) fn pattern(&self, entry: usize, pattern: usize) -> &Pattern {
        &self.patterns[entry][pattern]
    }

    /// The help section of a pattern.
    pub(crate) fn section(&self, entry: usize, pattern: usize) -> Option<&String> {
        self.sections.get(&(entry, pattern))
    }

    /// Of each entry, how many patterns it has.
    pub(crate) fn pattern_counts(&self) -> impl Iterator<Item = usize> {
        self.patterns.iter().map(Vec::len)
    }

    /// Whether a line with a text of the entry belongs to another message.
    pub(crate) fn is_other(&self, entry: usize, line: &[u8]) -> bool {
        self.unless[entry].iter().any(|text| text.find(line).is_some())
    }

    pub(crate) fn automaton(&self) -> &DFA {
        &self.automaton
    }

    pub(crate) fn hits(&self, text: usize) -> &[Hit] {
        &self.hits[text]
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::scan::Scanner;

    #[test]
    fn the_files_are_valid() {
        let wrong: Vec<String> =
            FILES.iter().filter_map(|file| Catalogue::read(&[file], "section = []").err()).collect();
        assert!(wrong.is_empty(), "{wrong:#?}");
    }

    #[test]
    fn ids_are_unique_and_begin_with_their_source() {
        let (catalogue, mut seen) = (catalogue(), HashSet::new());
        assert!(catalogue.entries().len() >= 150);
        for entry in catalogue.entries() {
            assert!(seen.insert(&entry.id), "{} is there twice", entry.id);
            assert!(catalogue.sources().iter().any(|source| source.id == entry.source()), "{}", entry.id);
        }
    }

    /// Text of a pattern as a program may print it: fields have values.
    fn printed(pattern: &str) -> String {
        let (mut out, mut rest) = (String::new(), pattern);
        while let Some((before, after)) = rest.split_once('{') {
            let (name, after) = after.split_once('}').unwrap();
            out += before;
            out += if name == "!" {
                ""
            } else if crate::pattern::is_number(name) {
                "7"
            } else {
                "a/b"
            };
            rest = after;
        }
        (out + rest).replace('~', "\n  ")
    }

    #[test]
    fn each_pattern_finds_its_entry() {
        for entry in catalogue().entries() {
            assert!(!entry.patterns.is_empty(), "{} cannot be recognised", entry.id);
            for pattern in &entry.patterns {
                let mut scanner = Scanner::new(catalogue());
                scanner.feed(b"before\n");
                scanner.feed(printed(pattern).as_bytes());
                scanner.feed(b"\nafter\n");
                let found = scanner.finish();
                let ids: Vec<&str> = found.messages.iter().map(|finding| finding.entry.id.as_str()).collect();
                assert!(ids.contains(&entry.id.as_str()), "{pattern}: {ids:?} instead of {}", entry.id);
            }
        }
    }

    #[test]
    fn sections_of_help_files_are_named() {
        let mut scanner = Scanner::new(catalogue());
        scanner.feed(
            b"--------\n  WARNING: The default btl_vader_single_copy_mechanism CMA is\nnot available\n--------\n",
        );
        let found = scanner.finish();
        let finding = &found.messages[0];
        assert_eq!(finding.entry.id, "openmpi.warning");
        assert_eq!(finding.field("section"), Some("help-btl-vader.txt / cma-different-user-namespace-warning"));
    }

    #[test]
    fn each_entry_says_all_that_a_reader_needs() {
        for entry in catalogue().entries() {
            let texts = [&entry.title, &entry.versions, &entry.means, &entry.why];
            assert!(texts.iter().all(|text| !text.is_empty()), "{}", entry.id);
            assert!(!entry.steps.is_empty(), "{}: nothing to try", entry.id);
            assert!(!entry.title.ends_with('.') && entry.title.len() <= 80, "{}: {}", entry.id, entry.title);
            assert!(entry.means.ends_with('.') && entry.why.ends_with('.'), "{}", entry.id);
        }
    }
}
