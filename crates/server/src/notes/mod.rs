//! Bookmarks: saved views of a run with a title and a note, stored with the run.
//!
//! `docs/decisions/0033-notes.md` explains the place, and against whom they are protected. A user who may write in the run's folder
//! may have written the file, and a client with the token may have sent the list: both are checked in the same way.

pub(crate) mod http;

use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::private;

/// In the folder of the run.
const FILE: &str = "view.notes.json";
const SCHEMA: &str = "mpiscope.notes/1";

/// More bookmarks are not useful.
const MOST_NOTES: usize = 500;
const TITLE_CHARS: usize = 200;
const TEXT_CHARS: usize = 4000;
/// The limit of the view of an exported page.
const VIEW_CHARS: usize = 4000;
const ID_CHARS: usize = 32;
/// Of the file, and of a request.
pub(crate) const MOST_BYTES: usize = 1 << 20;
/// The largest integer that JavaScript represents exactly.
const LATEST_NS: u64 = 1 << 53;

/// A saved view.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Note {
    /// Made by the page; identifies the note.
    id: String,
    title: String,
    #[serde(default)]
    text: String,
    /// The part behind `#` in the address of the page.
    view: String,
    /// Its moment, if it has one.
    #[serde(default)]
    at_ns: Option<u64>,
    /// Its rank, if it has one, by index in the run.
    #[serde(default)]
    rank: Option<u32>,
}

/// The file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct NotesFile {
    schema: String,
    notes: Vec<Note>,
}

/// Notes of a run, and their revision.
#[derive(Debug, Serialize)]
pub(crate) struct Notes {
    schema: &'static str,
    /// Changes with the file: a request to replace it must name it.
    revision: String,
    notes: Vec<Note>,
}

/// Why there are none, or why they are unchanged.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NotesError {
    #[error("invalid bookmarks: {0}")]
    Wrong(String),
    #[error("another page has changed the bookmarks")]
    Changed,
    #[error("{path} is not a list of bookmarks that mpiscope wrote: {why}", path = .0.display(), why = .1)]
    Foreign(PathBuf, String),
    #[error("{path} cannot be read: {why}", path = .0.display(), why = .1)]
    Unreadable(PathBuf, io::Error),
    #[error("{path} cannot be written: {why}", path = .0.display(), why = .1)]
    Unwritable(PathBuf, io::Error),
}

fn wrong(what: impl Into<String>) -> NotesError {
    NotesError::Wrong(what.into())
}

/// Whether a text can be shown as it is: no control characters.
fn is_text(text: &str, most: usize, has_lines: bool) -> bool {
    text.chars().count() <= most && !text.chars().any(|c| c.is_control() && !(has_lines && matches!(c, '\n' | '\t')))
}

/// Checks the limits.
fn check(notes: &[Note]) -> Result<(), NotesError> {
    if notes.len() > MOST_NOTES {
        return Err(wrong(format!("there are {}, but at most {MOST_NOTES} are kept", notes.len())));
    }
    let mut ids = std::collections::BTreeSet::new();
    for Note { id, title, text, view, at_ns, rank: _ } in notes {
        let is_id = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit();
        if id.is_empty() || id.len() > ID_CHARS || !id.bytes().all(is_id) || !ids.insert(id) {
            return Err(wrong("an id is missing, invalid or not unique"));
        }
        if title.trim().is_empty() || !is_text(title, TITLE_CHARS, false) {
            return Err(wrong(format!("a title has 1 to {TITLE_CHARS} characters in one line")));
        }
        if !is_text(text, TEXT_CHARS, true) {
            return Err(wrong(format!("a note has at most {TEXT_CHARS} characters")));
        }
        if !is_text(view, VIEW_CHARS, false) {
            return Err(wrong(format!("a view has at most {VIEW_CHARS} characters in one line")));
        }
        if at_ns.is_some_and(|ns| ns > LATEST_NS) {
            return Err(wrong("a moment is out of range"));
        }
    }
    Ok(())
}

fn revision(bytes: &[u8]) -> String {
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

/// The notes of a run in a folder; none if there is no file.
pub(crate) fn read(run: &Path) -> Result<Notes, NotesError> {
    let path = run.join(FILE);
    let bytes = match bytes_of(&path) {
        Ok(bytes) => bytes,
        Err(why) if why.kind() == io::ErrorKind::NotFound => Vec::new(),
        Err(why) if why.raw_os_error() == Some(libc::ELOOP) => {
            return Err(NotesError::Foreign(path, "it is a symbolic link".into()));
        }
        Err(why) => return Err(NotesError::Unreadable(path, why)),
    };
    if bytes.len() > MOST_BYTES {
        return Err(NotesError::Foreign(path, format!("it has more than {MOST_BYTES} bytes")));
    }
    let notes = match bytes.is_empty() {
        true => Vec::new(),
        false => {
            let kept = serde_json::from_slice::<NotesFile>(&bytes).map_err(|why| why.to_string()).and_then(|kept| {
                if kept.schema != SCHEMA {
                    return Err(format!("unknown schema ({:.40})", kept.schema));
                }
                check(&kept.notes).map_err(|why| why.to_string()).map(|()| kept)
            });
            kept.map_err(|why| NotesError::Foreign(path, why))?.notes
        }
    };
    Ok(Notes { schema: SCHEMA, revision: revision(&bytes), notes })
}

fn bytes_of(path: &Path) -> io::Result<Vec<u8>> {
    let file = private::open(path)?;
    // Checks the opened file, not the one that the name refers to by now.
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    let mut bytes = Vec::new();
    file.take(MOST_BYTES as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Replaces the notes with revision `known`.
pub(crate) fn replace(run: &Path, known: &str, notes: Vec<Note>) -> Result<Notes, NotesError> {
    check(&notes)?;
    // An unreadable file is not overwritten.
    if read(run)?.revision != known {
        return Err(NotesError::Changed);
    }
    let path = run.join(FILE);
    let kept = NotesFile { schema: SCHEMA.into(), notes };
    let bytes = serde_json::to_vec_pretty(&kept).map_err(|why| wrong(why.to_string()))?;
    if bytes.len() > MOST_BYTES {
        return Err(wrong(format!("they take {} bytes, but at most {MOST_BYTES} are kept", bytes.len())));
    }
    private::write(&path, &bytes).map_err(|why| NotesError::Unwritable(path, why))?;
    Ok(Notes { schema: SCHEMA, revision: revision(&bytes), notes: kept.notes })
}

/// The notes for an exported page; nothing without notes.
pub(crate) fn for_export(run: &Path) -> Option<Vec<u8>> {
    let found = read(run).ok().filter(|found| !found.notes.is_empty())?;
    serde_json::to_vec(&found).ok()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{MetadataExt, symlink};

    use super::*;

    fn note(id: &str) -> Note {
        let text = "two\nlines".into();
        Note {
            id: id.into(),
            title: "The late rank".into(),
            text,
            view: "page=views".into(),
            at_ns: Some(7),
            rank: Some(3),
        }
    }

    #[test]
    fn notes_are_kept_for_their_owner_alone_and_come_back() {
        let run = tempfile::tempdir().unwrap();
        let none = read(run.path()).unwrap();
        assert!(none.notes.is_empty() && for_export(run.path()).is_none());
        let kept = replace(run.path(), &none.revision, vec![note("a"), note("b")]).unwrap();
        let found = read(run.path()).unwrap();
        assert_eq!((&found.notes, &found.revision), (&vec![note("a"), note("b")], &kept.revision));
        assert_eq!(fs::metadata(run.path().join(FILE)).unwrap().mode() & 0o777, 0o600);
        assert_eq!(fs::read_dir(run.path()).unwrap().count(), 1, "nothing else is left behind");
        let exported: serde_json::Value = serde_json::from_slice(&for_export(run.path()).unwrap()).unwrap();
        assert_eq!(exported["notes"][1]["title"], "The late rank");
        assert!(replace(run.path(), &kept.revision, Vec::new()).unwrap().notes.is_empty());
    }

    #[test]
    fn what_another_page_has_written_is_not_lost() {
        let run = tempfile::tempdir().unwrap();
        let first = read(run.path()).unwrap();
        replace(run.path(), &first.revision, vec![note("a")]).unwrap();
        assert!(matches!(replace(run.path(), &first.revision, vec![note("b")]), Err(NotesError::Changed)));
        assert_eq!(read(run.path()).unwrap().notes, [note("a")]);
    }

    #[test]
    fn bounds_hold() {
        let run = tempfile::tempdir().unwrap();
        let refused = |notes: Vec<Note>| {
            let known = read(run.path()).unwrap().revision;
            matches!(replace(run.path(), &known, notes), Err(NotesError::Wrong(_))) && !run.path().join(FILE).exists()
        };
        for id in ["", "A", "../x", &"x".repeat(33)] {
            assert!(refused(vec![note(id)]), "{id}");
        }
        assert!(refused(vec![note("a"), note("a")]));
        for title in [" ", "a\nb", "\u{1b}[1m", &"x".repeat(201)] {
            assert!(refused(vec![Note { title: title.into(), ..note("a") }]), "{title}");
        }
        assert!(refused(vec![Note { text: "x".repeat(4001), ..note("a") }]));
        assert!(refused(vec![Note { view: "x".repeat(4001), ..note("a") }]));
        assert!(refused(vec![Note { at_ns: Some(u64::MAX), ..note("a") }]));
        assert!(refused((0..501).map(|n| note(&n.to_string())).collect()));
        let large = |n: usize| Note { text: "\u{1f600}".repeat(4000), ..note(&n.to_string()) };
        assert!(refused((0..500).map(large).collect()), "the file has a bound of its own");
    }

    #[test]
    fn a_file_that_is_none_of_ours_is_told_and_stays() {
        let run = tempfile::tempdir().unwrap();
        let file = run.path().join(FILE);
        let huge = format!("{{\"schema\":\"{SCHEMA}\",\"notes\":[{}]}}", " ".repeat(MOST_BYTES));
        let unknown =
            format!("{{\"schema\":\"{SCHEMA}\",\"notes\":[{{\"id\":\"a\",\"title\":\"t\",\"view\":\"\",\"x\":1}}]}}");
        for text in ["{", "[]", r#"{"schema":"mpiscope.notes/2","notes":[]}"#, &unknown, &huge, "{\"schema\":1}"] {
            fs::write(&file, text).unwrap();
            assert!(matches!(read(run.path()), Err(NotesError::Foreign(..))), "{:.60}", text);
            assert!(matches!(replace(run.path(), "", vec![note("a")]), Err(NotesError::Foreign(..))));
            assert_eq!(fs::read_to_string(&file).unwrap(), text);
        }
        fs::remove_file(&file).unwrap();
        symlink("/etc/passwd", &file).unwrap();
        assert!(matches!(read(run.path()), Err(NotesError::Foreign(..))));
        fs::remove_file(&file).unwrap();
        fs::create_dir(&file).unwrap();
        assert!(matches!(read(run.path()), Err(NotesError::Unreadable(..))));
    }

    #[test]
    fn without_a_place_for_them_it_is_said() {
        let run = tempfile::tempdir().unwrap();
        let nowhere = run.path().join("nowhere");
        let none = read(&nowhere).unwrap();
        let why = replace(&nowhere, &none.revision, vec![note("a")]).unwrap_err();
        assert!(
            matches!(why, NotesError::Unwritable(..)) && why.to_string().contains("view.notes.json cannot be written")
        );
    }
}
