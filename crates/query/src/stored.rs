//! From a run to its store.

use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use mpiscope_analysis::waits::Waits;
use mpiscope_analysis::{Input, Wait};
use mpiscope_ingest::{Ingest, Tables};
use mpiscope_pyramid::{Builder, Live};
use mpiscope_run::{Clocks, Diagnostic, Losses, RankHead, Resolver, Run};
use mpiscope_store::{About, Dimensions, LossRow, Manifest, RankId, Store, StoreError, WaitCause, WaitRow, Writer};

use crate::batches::each_batch;
use crate::{QueryError, Watch, preview};

/// The result.
pub struct Stored {
    /// Its description, `store.json`.
    pub manifest: Manifest,
    /// Whether it existed already.
    pub was_there: bool,
    /// What could not be read of the run.
    pub problems: Vec<Diagnostic>,
}

/// The default place of the store of a run.
pub fn store_place(run: &Path) -> PathBuf {
    run.join("store")
}

/// Builds the store of `run` at `place`, unless there is one that was made from the same files; `force` rebuilds
/// it. An interrupted build is resumed, if it was long enough to have finished anything.
///
/// # Errors
///
/// If `place` is something else than a store or cannot be written, the run cannot be read, or `watch` cancels.
pub fn store(
    run: &Run,
    resolver: &Resolver,
    place: &Path,
    force: bool,
    watch: &mut Watch<'_>,
) -> Result<Stored, QueryError> {
    store_with(run, resolver, place, force, watch, |_, _| ())
}

/// As [`store`], which makes the preview as well. Before the first batch, `begun` gets the facts of the
/// whole run, and a handle to query the preview while it grows. (Not when an interrupted store is resumed: its
/// preview is made from the finished store.)
///
/// # Errors
///
/// As [`store`].
pub fn store_with(
    run: &Run,
    resolver: &Resolver,
    place: &Path,
    force: bool,
    watch: &mut Watch<'_>,
    begun: impl FnOnce(&Tables, Live),
) -> Result<Stored, QueryError> {
    let source = source(run);
    match Manifest::read(place) {
        Ok(Some(manifest)) if !force && manifest.source == source => {
            return Ok(Stored { manifest, was_there: true, problems: Vec::new() });
        }
        // Another process uses a later version: it would rebuild its own store, and so on.
        Err(newer @ StoreError::Newer(..)) if !force => return Err(newer.into()),
        // An unreadable store does not prevent a new one.
        _ => {}
    }
    refuse_others(place)?;
    let mut ingest = Ingest::new(run, resolver)?;
    let (_, bytes) = ingest.progress();
    // About five bytes per call.
    let about =
        About { source: source.clone(), calls: bytes / 5, has_waits: true, is_anew: force, calls_of_section: None };
    let mut writer = Writer::create(place, &about, ingest.dimensions(), ingest.call_info())?;
    let mut previewer = None;
    if writer.stretches_finished() == 0 {
        let file = writer.folder().join(Manifest::PREVIEW);
        let made = Builder::create(&file, &source, ingest.dimensions(), ingest.call_info())?;
        begun(&ingest.tables(), made.live());
        previewer = Some(made);
    }
    let (mut waits, mut rows) = (Waits::default(), Vec::new());
    let written = each_batch(&mut ingest, watch, |Tables { dimensions, facts }, batch| {
        let found = waits.detect(&Input::without_waits(dimensions, facts, batch));
        rows.clear();
        rows.extend(found.iter().map(row));
        waits.give_back(found);
        let preview = || previewer.as_mut().map_or(Ok(()), |previewer| previewer.add_batch(batch, &rows));
        let (written, previewed) = rayon::join(|| writer.append(facts, batch, &rows), preview);
        written?;
        Ok(previewed?)
    });
    match written {
        Err(QueryError::Interrupted { .. }) => return Err(QueryError::Interrupted { is_kept: writer.is_kept() }),
        other => other?,
    }
    let is_previewed = previewer.is_some();
    if let Some(previewer) = previewer {
        writer.has_preview(previewer.finish()?);
    }
    let mut manifest = writer.finish(ingest.dimensions(), ingest.call_info(), &losses(run, ingest.dimensions()))?;
    if !is_previewed {
        preview(&Store::open(place)?, watch)?;
        manifest = Manifest::read(place)?.unwrap_or(manifest);
    }
    Ok(Stored { manifest, was_there: false, problems: ingest.problems().to_vec() })
}

fn row(wait: &Wait) -> WaitRow {
    let cause = |c: mpiscope_analysis::Cause| WaitCause { rank: c.rank, row: c.row, facts: c.facts, start_ns: c.at_ns };
    WaitRow {
        kind: wait.kind.id(),
        rank: wait.rank,
        row: wait.row,
        facts: wait.facts,
        start_ns: wait.start_ns,
        end_ns: wait.end_ns,
        cause: wait.cause.map(cause),
    }
}

/// A folder that is not a store belongs to someone else.
fn refuse_others(place: &Path) -> Result<(), QueryError> {
    let is_empty = std::fs::read_dir(place).map_or(true, |mut entries| entries.next().is_none());
    let is_folder = !place.exists() || place.is_dir();
    let is_ours = Manifest::read(place).is_ok_and(|m| m.is_some()) || place.join("store.json").exists();
    if is_folder && (is_empty || is_ours) { Ok(()) } else { Err(QueryError::NotAStore(place.to_owned())) }
}

/// Identifies the files of a store: the text differs when a file has changed, appeared or disappeared.
pub(crate) fn source(run: &Run) -> String {
    source_of(&run.path, run.ranks.iter().map(|rank| (rank.path.as_path(), rank.header.run_id)))
}

/// The same for a run that was not read yet. (Another text if a file turns out to be damaged after its first page.)
pub(crate) fn source_of_heads(run: &Path, heads: &[RankHead]) -> String {
    source_of(run, heads.iter().map(|head| (head.path.as_path(), head.run_id)))
}

fn source_of<'a>(run: &Path, ranks: impl Iterator<Item = (&'a Path, u64)> + Clone) -> String {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut mix = |bytes: &[u8]| {
        for &byte in bytes {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    };
    let mut mix_file = |path: &Path| {
        mix(path.file_name().unwrap_or_default().as_encoded_bytes());
        if let Ok(meta) = path.metadata() {
            let modified = meta.modified().ok().and_then(|t| t.duration_since(UNIX_EPOCH).ok());
            mix(&meta.len().to_le_bytes());
            mix(&modified.map_or(0, |t| t.as_nanos()).to_le_bytes());
        }
    };
    ranks.clone().for_each(|(path, _)| mix_file(path));
    // The inputs that times of several hosts depend on.
    Clocks::files(run).iter().for_each(|path| mix_file(path));
    let mut count = 0;
    for (_, run_id) in ranks {
        mix(&run_id.to_le_bytes());
        count += 1;
    }
    format!("{count} rank files, {hash:016x}")
}

fn losses(run: &Run, dimensions: &Dimensions) -> Vec<LossRow> {
    let of_rank = |(at, losses): (usize, &Losses)| {
        let unreadable = dimensions.ranks.get(at).and_then(|row| row.unreadable);
        let counts = [
            ("events_overwritten", losses.events_overwritten),
            ("events_dropped", losses.events_dropped),
            ("events_unreadable", unreadable.map_or(0, |gap| gap.events)),
            ("calls_coarse", losses.calls_coarse),
            ("requests_cut", losses.requests_cut),
            ("requests_lost", losses.requests_lost),
            ("definitions_lost", losses.definitions_lost),
            ("calls_without_thread", losses.calls_without_thread),
            ("calls_filtered", losses.calls_filtered),
            ("damaged_parts", losses.damaged_parts),
            ("ranks_without_trace", losses.ranks_without_trace),
            ("ranks_switched_off", losses.ranks_switched_off),
            ("ranks_not_wanted", losses.ranks_not_wanted),
        ];
        let rank = RankId(at as u32);
        counts.into_iter().filter(|(_, count)| *count > 0).map(move |(what, count)| LossRow { rank, what, count })
    };
    run.ranks.iter().map(|r| &r.losses).enumerate().flat_map(of_rank).collect()
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use super::*;
    use mpiscope_analysis::Explainer;
    use mpiscope_ingest::testing;
    use mpiscope_store::Wanted;

    /// Ring exchanges with a wildcard, probes, reductions, a region, and messages that are never received.
    fn text(rounds: u64) -> String {
        let mut text = String::from("comm 2 = 0,2\n");
        for round in 0..rounds {
            let at = 100 * round;
            for rank in 0..4 {
                let (next, before) = ((rank + 1) % 4, (rank + 3) % 4);
                text += &format!("{rank} {} {} Irecv from=any tag=any bytes=80 request=1\n", at, at + 1);
                text += &format!("{rank} {} {} Isend to={next} tag=3 bytes=80 request=2\n", at + 2, at + 4 + rank);
                text +=
                    &format!("{rank} {} {} Waitall requests=1,2 status={before}:3:80 region=solve\n", at + 9, at + 20);
                text += &format!("{rank} {} {} Iprobe from={next} tag=9 calls=7\n", at + 21, at + 22);
                text += &format!("{rank} {} {} Allreduce bytes=8\n", at + 30 + 3 * rank, at + 40);
                text += &format!("{rank} {} {} region region=solve\n", at, at + 45);
            }
            for rank in [0, 2] {
                text += &format!("{rank} {} {} Bcast root=0 bytes=100 comm=2\n", at + 50 + rank, at + 60);
            }
        }
        text + "0 900000 900001 Send to=1 tag=77 bytes=5\n"
    }

    #[test]
    fn what_the_store_says_explains_the_same() {
        for rounds in [0, 1, 300] {
            let folder = tempfile::tempdir().unwrap();
            testing::write(&text(rounds), folder.path());
            let run = Run::open(folder.path(), &Default::default()).unwrap();
            let resolver = Resolver::default();
            let place = store_place(folder.path());
            let mut go_on = |_, _| ControlFlow::Continue(());
            let made = store(&run, &resolver, &place, false, &mut go_on).unwrap();
            assert!(!made.was_there);
            assert!(store(&run, &resolver, &place, false, &mut go_on).unwrap().was_there);
            let (explained, _) = crate::explain(&run, &resolver, None, &mut go_on).unwrap();

            let stored = Store::open(&place).unwrap();
            let mut explainer = Explainer::new(stored.dimensions());
            let mut batches = stored.batches(Wanted::default()).unwrap();
            let mut ingest = Ingest::new(&run, &resolver).unwrap();
            while let Some(batch) = batches.next_batch().unwrap() {
                let from_files = ingest.next_batch().unwrap().unwrap();
                assert_eq!(format!("{batch:?}"), format!("{from_files:?}"));
                explainer.add_batch(stored.dimensions(), stored.call_info(), &batch);
            }
            assert!(ingest.next_batch().unwrap().is_none());
            assert_eq!(format!("{:?}", stored.call_info()), format!("{:?}", ingest.call_info()));
            let again = explainer.finish(stored.dimensions(), stored.call_info());
            assert_eq!(serde_json::to_value(&again).unwrap(), serde_json::to_value(&explained).unwrap());
            // The preview made from the tables equals the one made from the files.
            let file = place.join(Manifest::PREVIEW);
            let from_files = std::fs::read(&file).unwrap();
            assert_eq!(made.manifest.preview_bytes, Some(from_files.len() as u64));
            let calls = crate::preview(&stored, &mut go_on).unwrap().calls();
            assert_eq!(made.manifest.tables.iter().find(|t| t.name == "calls").unwrap().rows, calls);
            std::fs::remove_file(&file).unwrap();
            assert!(crate::preview_if_there(&stored).is_none());
            assert_eq!(crate::preview(&stored, &mut go_on).unwrap().calls(), calls);
            assert!(std::fs::read(&file).unwrap() == from_files);
            assert_eq!(*Store::open(&place).unwrap().manifest(), made.manifest);
            // A run that has changed is written again.
            let rank = &run.ranks[0].path;
            std::fs::File::options().append(true).open(rank).unwrap().set_len(6 << 20).unwrap();
            let made = store(&run, &resolver, &place, false, &mut |_, _| ControlFlow::Break(()));
            assert!(matches!(made, Err(QueryError::Interrupted { is_kept: false })));
            assert!(!store(&run, &resolver, &place, false, &mut go_on).unwrap().was_there);
        }
    }
}
