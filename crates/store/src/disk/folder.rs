//! The directory of a store: built beside its final place and renamed, so that it is never incomplete.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::StoreError;

/// Version of the tables and of `store.json`. A reader refuses a newer one.
pub const FORMAT: u32 = 2;

/// `store.json`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// [`FORMAT`] of whoever wrote it.
    pub format: u32,
    /// Version of mpiscope that wrote it.
    pub mpiscope: String,
    /// What it was made from; another value for a run that has changed.
    pub source: String,
    /// ns of the reference clock (`CLOCK_MONOTONIC` of the first host) that count as 0.
    pub origin_ns: u64,
    /// Whether the waits of the run are in it.
    pub has_waits: bool,
    /// Its tables, in alphabetical order.
    pub tables: Vec<TableSize>,
    /// Bytes of the file [`Manifest::PREVIEW`], if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preview_bytes: Option<u64>,
}

/// A table and how much it holds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableSize {
    /// Folder in the store.
    pub name: String,
    /// Rows.
    pub rows: u64,
    /// Files.
    pub files: u64,
    /// Bytes of the files.
    pub bytes: u64,
}

impl Manifest {
    /// The file beside the tables that has the preview.
    pub const PREVIEW: &str = "preview";

    /// Says anew what the store at `path` has.
    ///
    /// # Errors
    ///
    /// If the file cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), StoreError> {
        let (file, fresh) = (path.join("store.json"), path.join(format!("store.json.{}", std::process::id())));
        let failed = |e: io::Error| StoreError::Write(file.clone(), e.to_string());
        let text = serde_json::to_string_pretty(self).map_err(|e| failed(e.into()))?;
        fs::write(&fresh, text + "\n").map_err(failed)?;
        fs::rename(&fresh, &file).map_err(failed)
    }

    /// Reads that of the store at `path`; `None` if there is no store.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, or is of a newer mpiscope.
    pub fn read(path: &Path) -> Result<Option<Manifest>, StoreError> {
        let file = path.join("store.json");
        let text = match fs::read(&file) {
            Ok(text) => text,
            Err(e) if matches!(e.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => return Ok(None),
            Err(e) => return Err(StoreError::Read(file, e.to_string())),
        };
        let wrong = |e: serde_json::Error| StoreError::Read(file.clone(), e.to_string());
        // The number alone first: a newer file may lack what this version wants.
        let value: serde_json::Value = serde_json::from_slice(&text).map_err(wrong)?;
        let format = value.get("format").and_then(serde_json::Value::as_u64).unwrap_or(0);
        if format > u64::from(FORMAT) {
            return Err(StoreError::Newer(file, format.min(u64::from(u32::MAX)) as u32));
        }
        Ok(Some(serde_json::from_value(value).map_err(wrong)?))
    }
}

/// What is finished of a store under construction: whole files, up to a stretch.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Checkpoint {
    /// What the store will say; its tables have what is finished.
    pub manifest: Manifest,
    /// How ranks are grouped into files.
    pub groups: usize,
    /// Sections that are finished: each is a file of each table and group.
    pub section: usize,
    /// Stretches in them, and the end of the last.
    pub stretch: i32,
    /// See `stretch`.
    pub until_ns: u64,
    /// Collective operations in them.
    pub operation: i64,
    /// All files, from the folder of the store.
    pub files: Vec<String>,
}

/// A store under construction. Dropped before [`Folder::complete`], it takes what was written away again, unless some of
/// it is finished ([`Folder::keep`]).
pub(crate) struct Folder {
    /// Where it will be.
    place: PathBuf,
    /// Where it is built.
    partial: PathBuf,
    /// Held until the end. The system lets go of it when the process dies, however it dies.
    _lock: File,
    is_kept: bool,
}

const CHECKPOINT: &str = "checkpoint.json";

fn beside(place: &Path, suffix: &str) -> PathBuf {
    let mut name = place.file_name().unwrap_or_default().to_owned();
    name.push(suffix);
    place.with_file_name(name)
}

/// Files of tables, as `table/file`.
fn tables_in(partial: &Path) -> io::Result<Vec<String>> {
    let mut found = Vec::new();
    for table in fs::read_dir(partial)? {
        let table = table?;
        if table.file_type()?.is_dir() {
            for file in fs::read_dir(table.path())? {
                let name = |n: std::ffi::OsString| n.to_string_lossy().into_owned();
                found.push(format!("{}/{}", name(table.file_name()), name(file?.file_name())));
            }
        }
    }
    Ok(found)
}

/// Removes files of tables that are not among `kept`.
fn remove_others(partial: &Path, kept: &[String]) -> io::Result<()> {
    let kept: std::collections::HashSet<&String> = kept.iter().collect();
    let others = tables_in(partial)?.into_iter().filter(|name| !kept.contains(name));
    others.into_iter().try_for_each(|name| fs::remove_file(partial.join(name)))
}

impl Folder {
    /// Begins a store at `place`, or goes on with it where `fits` says that what an interrupted builder has finished is
    /// of the same. Everything else that it left is removed.
    pub fn create(
        place: &Path,
        fits: impl Fn(&Checkpoint) -> bool,
    ) -> Result<(Folder, Option<Checkpoint>), StoreError> {
        let (partial, lock) = (beside(place, ".partial"), beside(place, ".lock"));
        let cannot = |e: io::Error| StoreError::Place(place.to_owned(), e);
        if let Some(folder) = place.parent().filter(|p| !p.as_os_str().is_empty()) {
            fs::create_dir_all(folder).map_err(cannot)?;
        }
        let lock = File::options().create(true).append(true).open(&lock).map_err(cannot)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(StoreError::Busy(place.to_owned())),
            // A file system without locks: two builders then meet at the rename, where the first one wins.
            Err(TryLockError::Error(_)) => {}
        }
        let left = fs::read(partial.join(CHECKPOINT)).ok();
        let left = left.and_then(|text| serde_json::from_slice::<Checkpoint>(&text).ok());
        let left = left.filter(|left| fits(left) && left.files.iter().all(|name| partial.join(name).is_file()));
        if let Some(left) = left {
            remove_others(&partial, &left.files).map_err(cannot)?;
            return Ok((Folder { place: place.to_owned(), partial, _lock: lock, is_kept: true }, Some(left)));
        }
        match fs::remove_dir_all(&partial) {
            Ok(()) => {}
            Err(e) if e.kind() == io::ErrorKind::NotFound => {}
            Err(e) => return Err(StoreError::Place(partial, e)),
        }
        fs::create_dir(&partial).map_err(cannot)?;
        Ok((Folder { place: place.to_owned(), partial, _lock: lock, is_kept: false }, None))
    }

    /// All files there are now are finished: whatever happens, the next builder goes on after them.
    pub fn keep(&mut self, mut checkpoint: Checkpoint) -> Result<(), StoreError> {
        let (file, fresh) = (self.partial.join(CHECKPOINT), self.partial.join("checkpoint.new"));
        let kept = tables_in(&self.partial).and_then(|files| {
            checkpoint.files = files;
            fs::write(&fresh, serde_json::to_vec(&checkpoint)?)?;
            fs::rename(&fresh, &file)
        });
        kept.map_err(|e| StoreError::Write(file, e.to_string()))?;
        self.is_kept = true;
        Ok(())
    }

    /// Whether something is kept if the builder ends here.
    pub fn is_kept(&self) -> bool {
        self.is_kept
    }

    /// Where it is built.
    pub fn path(&self) -> &Path {
        &self.partial
    }

    /// A file of a table, and its path.
    pub fn file(&self, table: &str, part: usize) -> Result<(File, PathBuf), StoreError> {
        let folder = self.partial.join(table);
        let path = folder.join(format!("part-{part:04}.parquet"));
        let made = fs::create_dir_all(&folder).and_then(|()| File::create(&path));
        made.map(|file| (file, path.clone())).map_err(|e| StoreError::Write(path, e.to_string()))
    }

    /// Puts the finished store in its place; an older one there goes.
    pub fn complete(mut self, manifest: &Manifest) -> Result<(), StoreError> {
        let _ = fs::remove_file(self.partial.join(CHECKPOINT));
        manifest.write(&self.partial)?;
        let cannot = |e: io::Error| StoreError::Place(self.place.clone(), e);
        // Whoever reads the old one keeps its open files.
        let old = beside(&self.place, ".old");
        match fs::rename(&self.place, &old) {
            Ok(()) => {}
            Err(e) if e.kind() == io::ErrorKind::NotFound => {}
            Err(e) => return Err(cannot(e)),
        }
        fs::rename(&self.partial, &self.place).map_err(cannot)?;
        self.is_kept = true;
        let _ = fs::remove_dir_all(&old);
        Ok(())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if !self.is_kept {
            let _ = fs::remove_dir_all(&self.partial);
        }
    }
}
