//! Writes a store.

use std::collections::BTreeSet;
use std::path::Path;

use rayon::prelude::*;

use crate::rows::{CallInfo, End};
use crate::{Batch, CommId, Dimensions, LossRow, Unreadable, WaitRow};

use super::StoreError;
use super::columns::{OptId, OptInt, Texts, id, int};
use super::file::TableFile;
use super::folder::{Checkpoint, FORMAT, Folder, Manifest, TableSize};
use super::group::{Group, WriteContext};
use super::tables::{
    CallInfoTable, Collectives, Communicators, Datatypes, Groups, Losses, Members, Ranks, RegionNames, Sites,
    Stretches, Table,
};

/// Most groups of ranks: each keeps a row group of calls in memory, 32 bytes a call, and what is encoded of others.
const MOST_GROUPS: u64 = 8;
/// Calls that are worth a group of their own.
const CALLS_OF_GROUP: u64 = 1 << 19;
/// Calls of a section: after it, what was written outlives the writer. Some ten seconds of work.
const CALLS_OF_SECTION: u64 = 1 << 25;

/// About a store that is to be written.
#[derive(Clone, Debug, Default)]
pub struct About {
    /// What it is made from ([`Manifest::source`]).
    pub source: String,
    /// Calls to expect, about. Decides how many files there are.
    pub calls: u64,
    /// Whether waits will come with the batches.
    pub has_waits: bool,
    /// Begin from the beginning, even if a part of the same store is finished.
    pub is_anew: bool,
    /// Calls of a section if not the usual number: what an interrupted writer has finished is whole sections.
    pub calls_of_section: Option<u64>,
}

/// Writes a store, batch by batch.
pub struct Writer {
    folder: Folder,
    texts: Texts,
    functions: Vec<i32>,
    groups: Vec<Group>,
    collectives: TableFile<Collectives>,
    members: TableFile<Members>,
    stretches: TableFile<Stretches>,
    stretch: i32,
    operation: i64,
    /// Of the section before this one.
    finished: Checkpoint,
    calls_of_section: u64,
    /// Calls in this section.
    calls: u64,
}

impl Writer {
    /// Begins a store at `place`. Until [`Writer::finish`] nothing stands there, and dropping the writer leaves nothing.
    ///
    /// # Errors
    ///
    /// [`StoreError::Busy`] if another process builds it; if the folder cannot be created or a file cannot be written.
    pub fn create(
        place: &Path,
        about: &About,
        dimensions: &Dimensions,
        call_info: &[Vec<CallInfo>],
    ) -> Result<Writer, StoreError> {
        let (texts, functions) = texts(dimensions, call_info);
        let ranks = dimensions.ranks.len().max(call_info.len()).max(1);
        let groups = about.calls.div_ceil(CALLS_OF_GROUP).clamp(1, MOST_GROUPS).min(ranks as u64) as usize;
        let manifest = Manifest {
            format: FORMAT,
            mpiscope: env!("CARGO_PKG_VERSION").into(),
            source: about.source.clone(),
            origin_ns: dimensions.origin_ns,
            has_waits: about.has_waits,
            tables: Vec::new(),
            preview_bytes: None,
        };
        let is_same = |left: &Checkpoint| {
            let tables = left.manifest.tables.clone();
            !about.is_anew && left.groups == groups && left.manifest == Manifest { tables, ..manifest.clone() }
        };
        let (folder, finished) = Folder::create(place, is_same)?;
        let finished = finished.unwrap_or_else(|| Checkpoint { manifest, groups, ..Checkpoint::default() });
        let section = finished.section;
        Ok(Writer {
            folder,
            texts,
            functions,
            groups: (0..groups).map(|at| group(at, groups, ranks, section)).collect(),
            collectives: TableFile::new(section),
            members: TableFile::new(section),
            stretches: TableFile::new(section),
            stretch: 0,
            operation: finished.operation,
            finished,
            calls_of_section: about.calls_of_section.unwrap_or(CALLS_OF_SECTION),
            calls: 0,
        })
    }

    /// Whether a part of the store is finished and stays if the writer ends here.
    pub fn is_kept(&self) -> bool {
        self.folder.is_kept()
    }

    /// The folder in which the store is built: what stands there when it is finished is in the store.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The file [`Manifest::PREVIEW`] is complete, which has so many bytes. Nothing may be taken after it.
    pub fn has_preview(&mut self, bytes: u64) {
        self.finished.manifest.preview_bytes = Some(bytes);
    }

    /// Stretches that need not be written, since an interrupted writer has finished them.
    pub fn stretches_finished(&self) -> i32 {
        self.finished.stretch
    }

    /// Takes the next batch, and the waits that it made known. Those that an interrupted writer has finished are
    /// only counted.
    ///
    /// # Errors
    ///
    /// If a file cannot be written, or a resumed store has other intervals ([`StoreError::Differs`]).
    pub fn append(&mut self, call_info: &[Vec<CallInfo>], batch: &Batch, waits: &[WaitRow]) -> Result<(), StoreError> {
        if self.stretch < self.finished.stretch {
            self.stretch += 1;
            let is_last = self.stretch == self.finished.stretch;
            let differs = is_last && batch.until_ns != self.finished.until_ns;
            return if differs { Err(StoreError::Differs) } else { Ok(()) };
        }
        let Writer { folder, texts, functions, .. } = self;
        let scene = WriteContext { folder, texts, functions, call_info, stretch: self.stretch };
        let (collectives, members, operation) = (&mut self.collectives, &mut self.members, &mut self.operation);
        let of_all = || take_collectives(&scene, batch, collectives, members, operation);
        let of_ranks = || self.groups.par_iter_mut().try_for_each(|group| group.append(&scene, batch, waits));
        let (a, b) = rayon::join(of_ranks, of_all);
        a.and(b)?;
        let to = &mut self.stretches.rows;
        to.stretch.0.push(self.stretch);
        to.until_ns.0.push(if batch.until_ns == u64::MAX { OptInt::NONE } else { int(batch.until_ns) });
        to.is_last.0.push(batch.is_last);
        self.stretch += 1;
        self.calls += batch.ranks.iter().map(|rank| rank.calls.len() as u64).sum::<u64>();
        if self.calls >= self.calls_of_section && !batch.is_last {
            self.end_section(call_info, batch.until_ns)
        } else {
            Ok(())
        }
    }

    /// Ends a section: what is written so far outlives the writer.
    fn end_section(&mut self, call_info: &[Vec<CallInfo>], until_ns: u64) -> Result<(), StoreError> {
        let manifest = self.close_files(call_info)?;
        let (groups, section) = (self.groups.len(), self.finished.section + 1);
        let (stretch, operation) = (self.stretch, self.operation);
        self.finished = Checkpoint { manifest, groups, section, stretch, until_ns, operation, files: Vec::new() };
        self.calls = 0;
        self.folder.keep(self.finished.clone())
    }

    /// Finishes all files and counts them in; new ones begin with the next batch, if there is one.
    fn close_files(&mut self, call_info: &[Vec<CallInfo>]) -> Result<Manifest, StoreError> {
        let Writer { folder, texts, functions, .. } = self;
        let scene = WriteContext { folder, texts, functions, call_info, stretch: self.stretch };
        let (section, groups) = (self.finished.section + 1, self.groups.len());
        let ranks = self.groups.last().map_or(0, |last| last.ranks().end);
        let next = (0..groups).map(|at| group(at, groups, ranks, section)).collect();
        let of_ranks = std::mem::replace(&mut self.groups, next);
        let of_ranks: Result<Vec<_>, _> = of_ranks.into_par_iter().map(|group| group.finish(&scene)).collect();
        let sizes = of_ranks?.into_iter().flatten().chain([
            std::mem::replace(&mut self.collectives, TableFile::new(section)).finish(folder, texts)?,
            std::mem::replace(&mut self.members, TableFile::new(section)).finish(folder, texts)?,
            std::mem::replace(&mut self.stretches, TableFile::new(section)).finish(folder, texts)?,
        ]);
        Ok(add(std::mem::take(&mut self.finished.manifest), sizes))
    }

    /// After the last batch: the store is there.
    ///
    /// # Errors
    ///
    /// If a file cannot be written, or the folder cannot be renamed to `place`.
    pub fn finish(
        mut self,
        dimensions: &Dimensions,
        call_info: &[Vec<CallInfo>],
        losses: &[LossRow],
    ) -> Result<Manifest, StoreError> {
        let manifest = self.close_files(call_info)?;
        let Writer { folder, texts, functions, .. } = self;
        let scene =
            WriteContext { folder: &folder, texts: &texts, functions: &functions, call_info, stretch: self.stretch };
        let manifest = add(manifest, small_tables(&scene, dimensions, losses)?);
        folder.complete(&manifest)?;
        Ok(manifest)
    }
}

/// The ranks of a group, and the number of its files in a section.
fn group(at: usize, groups: usize, ranks: usize, section: usize) -> Group {
    Group::new(section * groups + at, at * ranks / groups..(at + 1) * ranks / groups)
}

/// Counts files in.
fn add(mut manifest: Manifest, sizes: impl IntoIterator<Item = TableSize>) -> Manifest {
    for size in sizes {
        match manifest.tables.iter_mut().find(|t| t.name == size.name) {
            Some(table) => {
                table.rows += size.rows;
                table.files += size.files;
                table.bytes += size.bytes;
            }
            None => manifest.tables.push(size),
        }
    }
    manifest.tables.sort_by(|a, b| a.name.cmp(&b.name));
    manifest
}

/// Texts of a run, and by function id the number of its name.
fn texts(dimensions: &Dimensions, call_info: &[Vec<CallInfo>]) -> (Texts, Vec<i32>) {
    let ids: BTreeSet<u32> = call_info.iter().flatten().map(|f| f.function).collect();
    let mut functions = vec![-1; ids.last().map_or(0, |&last| last as usize + 1).min(1 << 16)];
    let mut names = Vec::new();
    for id in ids {
        let name = mpiscope_abi::name(id);
        if let Some(place) = functions.get_mut(id as usize).filter(|_| !name.is_empty()) {
            *place = names.len() as i32;
            names.push(name);
        }
    }
    let texts = [
        names.into_iter().map(str::to_owned).collect(),
        dimensions.sites.iter().map(|s| s.text.clone()).collect(),
        dimensions.comms.iter().map(|c| c.label.clone()).collect(),
        (0..dimensions.regions.len()).map(|i| dimensions.region(region(i))).collect(),
    ];
    (Texts(texts), functions)
}

fn region(index: usize) -> crate::RegionId {
    crate::RegionId(index as u32)
}

fn name(comm: CommId) -> i32 {
    i32::try_from(comm.0).unwrap_or(-1)
}

fn take_collectives(
    scene: &WriteContext<'_>,
    batch: &Batch,
    collectives: &mut TableFile<Collectives>,
    members: &mut TableFile<Members>,
    operation: &mut i64,
) -> Result<(), StoreError> {
    for found in &batch.collectives {
        let of_it = batch.members.get(found.members.clone()).unwrap_or(&[]);
        let starts = || of_it.iter().map(|m| m.end.start_ns);
        let ends = of_it.iter().map(|m| m.end.done_end_ns).max().filter(|_| of_it.iter().all(|m| m.end.is_done()));
        let to = &mut collectives.rows;
        to.operation.0.push(*operation);
        to.comm.0.push(name(found.comm));
        to.comm_id.0.push(id(found.comm.0));
        to.number.0.push(int(found.index));
        to.function.0.push(scene.function(found.function));
        to.function_id.0.push(found.function as i32);
        to.root.0.push(id(found.root.0));
        to.members.0.push(of_it.len() as i32);
        to.missing.0.push(found.missing as i32);
        to.first_start_ns.0.push(int(starts().min().unwrap_or(0)));
        to.last_start_ns.0.push(int(starts().max().unwrap_or(0)));
        to.last_end_ns.0.push(ends.map_or(OptInt::NONE, int));
        to.stretch.0.push(scene.stretch);
        for member in of_it {
            let End { row, start_ns, end_ns, done_row, done_start_ns, done_end_ns, facts, done_facts, done_with } =
                member.end;
            let done = |value: u64| if done_row == End::NEVER { OptInt::NONE } else { int(value) };
            let to = &mut members.rows;
            to.operation.0.push(*operation);
            to.rank.0.push(id(member.rank.0));
            to.row.0.push(int(row));
            to.start_ns.0.push(int(start_ns));
            to.end_ns.0.push(int(end_ns));
            to.done_row.0.push(done(done_row));
            to.done_start_ns.0.push(done(done_start_ns));
            to.done_end_ns.0.push(done(done_end_ns));
            to.bytes_sent.0.push(int(member.bytes_sent));
            to.bytes_received.0.push(int(member.bytes_received));
            to.call_info.0.push(facts as i32);
            to.done_call_info.0.push(done_facts as i32);
            to.done_with.0.push(done_with as i32);
            to.stretch.0.push(scene.stretch);
        }
        *operation += 1;
        collectives.breathe(scene.folder, scene.texts)?;
        members.breathe(scene.folder, scene.texts)?;
    }
    collectives.end_stretch(scene.folder, scene.texts)?;
    members.end_stretch(scene.folder, scene.texts)
}

fn write<T: Table>(scene: &WriteContext<'_>, fill: impl FnOnce(&mut T)) -> Result<TableSize, StoreError> {
    let mut file = TableFile::new(0);
    fill(&mut file.rows);
    file.finish(scene.folder, scene.texts)
}

/// What does not grow with the number of calls.
fn small_tables(
    scene: &WriteContext<'_>,
    dimensions: &Dimensions,
    losses: &[LossRow],
) -> Result<Vec<TableSize>, StoreError> {
    Ok(vec![
        write(scene, |to: &mut Communicators| {
            for (at, comm) in dimensions.comms.iter().enumerate() {
                to.comm_id.0.push(at as i32);
                to.comm.0.push(comm.label.clone());
                to.key.0.push(comm.key.clone());
                to.size.0.push(comm.members.len() as i32);
                to.is_inter.0.push(comm.is_inter);
                to.members.0.push(comm.members.iter().map(|m| id(m.0)).collect());
                to.dims.0.push(comm.dims.iter().map(|d| id(d.0)).collect());
                to.is_periodic.0.push(comm.dims.iter().map(|d| d.1.into()).collect());
            }
        })?,
        write(scene, |to: &mut Groups| {
            for (at, members) in dimensions.groups.iter().enumerate() {
                to.group_id.0.push(at as i32);
                to.members.0.push(members.iter().map(|m| id(m.0)).collect());
            }
        })?,
        write(scene, |to: &mut Datatypes| {
            let of_ranks = dimensions.datatypes.iter().enumerate();
            for (rank, (&datatype, row)) in of_ranks.flat_map(|(rank, all)| all.iter().map(move |row| (rank, row))) {
                to.rank.0.push(rank as i32);
                to.datatype.0.push(id(datatype));
                to.name.0.push(row.name.clone());
                to.size_bytes.0.push(int(row.size_bytes));
                to.extent_bytes.0.push(row.extent_bytes);
                to.made_by.0.push(mpiscope_abi::name(row.created_by).to_owned());
            }
        })?,
        write(scene, |to: &mut Sites| {
            for (at, site) in dimensions.sites.iter().enumerate() {
                to.site_id.0.push(at as i32);
                to.site.0.push(site.text.clone());
                to.frames.0.push(site.frames.clone());
            }
        })?,
        write(scene, |to: &mut RegionNames| {
            for (at, row) in dimensions.regions.iter().enumerate() {
                to.region_id.0.push(at as i32);
                to.region.0.push(dimensions.region(region(at)));
                to.name.0.push(row.name.clone());
                to.parent_id.0.push(row.parent.map_or(OptId::NONE, id));
            }
        })?,
        write(scene, |to: &mut Ranks| {
            for (at, rank) in dimensions.ranks.iter().enumerate() {
                to.rank.0.push(at as i32);
                to.world_rank.0.push(rank.world_rank);
                to.world.0.push(id(rank.world));
                to.host.0.push(rank.host.clone());
                to.pid.0.push(rank.pid.into());
                to.init_end_ns.0.push(int(rank.init_end_ns));
                to.finalize_start_ns.0.push(int(rank.finalize_start_ns));
                to.rows_from_ns.0.push(int(rank.rows_from_ns));
                to.rows_until_ns.0.push(int(rank.rows_until_ns));
                to.calls_lost.0.push(int(rank.rows_lost));
                to.clock_error_ns.0.push(rank.clock_error_ns.map_or(OptInt::NONE, int));
                to.copy_bytes_per_s.0.push(rank.copy_bytes_per_s.map_or(OptInt::NONE, int));
                let gap = |of: fn(&Unreadable) -> u64| rank.unreadable.as_ref().map_or(OptInt::NONE, |u| int(of(u)));
                to.unreadable_from_ns.0.push(gap(|u| u.from_ns));
                to.unreadable_until_ns.0.push(gap(|u| u.until_ns));
                to.calls_unreadable.0.push(gap(|u| u.events));
            }
        })?,
        write(scene, |to: &mut Losses| {
            for loss in losses {
                to.rank.0.push(id(loss.rank.0));
                to.what.0.push(loss.what);
                to.count.0.push(int(loss.count));
            }
        })?,
        call_info(scene)?,
    ])
}

fn call_info(scene: &WriteContext<'_>) -> Result<TableSize, StoreError> {
    let mut file: TableFile<CallInfoTable> = TableFile::new(0);
    for (rank, of_rank) in scene.call_info.iter().enumerate() {
        for (at, f) in of_rank.iter().enumerate() {
            let to = &mut file.rows;
            to.rank.0.push(rank as i32);
            to.call_info.0.push(at as i32);
            to.function.0.push(scene.function(f.function));
            to.function_id.0.push(f.function as i32);
            to.flags.0.push(f.flags.into());
            to.comm_id.0.push(id(f.comm.0));
            to.peer.0.push(id(f.peer.0));
            to.peer2.0.push(id(f.peer2.0));
            to.tag.0.push(f.tag);
            to.tag2.0.push(f.tag2);
            to.root.0.push(id(f.root.0));
            to.bytes_sent.0.push(int(f.bytes_sent));
            to.bytes_received.0.push(int(f.bytes_received));
            to.count.0.push(int(f.count));
            to.datatype.0.push(f.datatype as i32);
            to.op.0.push(f.op as i32);
            to.window.0.push(f.window as i32);
            to.file.0.push(f.file as i32);
            to.group_id.0.push(id(f.group.0));
            to.site_id.0.push(f.site.0 as i32);
            to.region_id.0.push(id(f.region.0));
            to.calls.0.push(int(f.calls));
            to.time_ns.0.push(int(f.time_ns));
        }
        file.breathe(scene.folder, scene.texts)?;
    }
    file.finish(scene.folder, scene.texts)
}
