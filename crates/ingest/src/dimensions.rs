//! What the ids in rows stand for.

use std::collections::BTreeMap;

use mpiscope_query::{FrameRow, Rank, Run, SiteTable};
use mpiscope_store::{DatatypeRow, Dimensions, RankId, RankRow, RegionId, RegionRow, SiteId, SiteRow};
use rustc_hash::FxHashMap;

use crate::comms::Comms;

/// Ids of a rank's own, translated.
pub(crate) struct Local {
    pub sites: FxHashMap<u32, SiteId>,
    pub regions: FxHashMap<u32, RegionId>,
}

/// Which world each rank belongs to: ranks of the same number in one run are of different worlds.
pub(crate) fn worlds(run: &Run) -> Vec<usize> {
    let mut seen: BTreeMap<i32, usize> = BTreeMap::new();
    // Processes of one world agree on the members of `MPI_COMM_WORLD`; its hash tells apart what was spawned.
    let mut known: BTreeMap<(u64, i32), usize> = BTreeMap::new();
    let mut worlds = Vec::new();
    for rank in &run.ranks {
        let nth = seen.entry(rank.rank()).or_insert(0);
        let membership = rank.defs.comms.get(&1).map_or(0, |c| c.membership);
        let next = known.len();
        let world = *known.entry((membership, rank.header.world_size)).or_insert(next);
        worlds.push(world.max(*nth));
        *nth += 1;
    }
    worlds
}

/// The tables, and what each rank's ids became.
pub(crate) fn dimensions(run: &Run, comms: &Comms, worlds: &[usize], sites: &SiteTable) -> (Dimensions, Vec<Local>) {
    let mut found = Dimensions { comms: comms.rows.clone(), ..Dimensions::default() };
    found.origin_ns = run.ranks.iter().map(first_moment).min().unwrap_or(0);
    found.sites = sites
        .places
        .iter()
        .map(|place| SiteRow { text: place.text(), frames: place.frames.iter().map(FrameRow::text).collect() })
        .collect();
    let mut regions: FxHashMap<RegionRow, u32> = FxHashMap::default();
    let mut locals = Vec::new();
    for (at, rank) in run.ranks.iter().enumerate() {
        let since = |ns: u64| ns.saturating_sub(found.origin_ns);
        let ticks = |t: u64| (t != 0).then(|| rank.clock.ns(t));
        let header = &rank.header;
        let last = rank.end_ns();
        found.ranks.push(RankRow {
            world_rank: rank.rank(),
            world: worlds[at] as u32,
            host: rank.host().to_owned(),
            pid: header.pid,
            init_end_ns: since(ticks(header.init_end).unwrap_or_else(|| first_moment(rank))),
            finalize_start_ns: since(ticks(header.finalize_start).unwrap_or(last)),
            rows_lost: rank.losses.rows_lost(),
        });
        found.datatypes.extend(rank.defs.datatypes.iter().map(|(&datatype, known)| DatatypeRow {
            rank: RankId(at as u32),
            datatype,
            name: known.name.clone(),
            size_bytes: known.size_bytes,
            extent_bytes: known.extent_bytes,
            made_by: known.created_by,
        }));
        let mut local = FxHashMap::default();
        for (&id, region) in &rank.defs.regions {
            // A parent is defined before what is inside it, and has the smaller id.
            let parent = local.get(&region.parent).map(|r: &RegionId| r.0);
            let row = RegionRow { name: region.name.clone(), parent };
            let next = regions.len() as u32;
            let number = *regions.entry(row.clone()).or_insert_with(|| {
                found.regions.push(row);
                next
            });
            local.insert(id, RegionId(number));
        }
        locals.push(Local {
            sites: sites.of_rank(at).map(|(id, place)| (id, SiteId(place as u32))).collect(),
            regions: local,
        });
    }
    (found, locals)
}

/// First moment that a rank's file knows of, ns of `CLOCK_MONOTONIC`.
fn first_moment(rank: &Rank) -> u64 {
    let anchors = rank.header.anchors.iter().filter(|a| a.monotonic_ns != 0).map(|a| a.monotonic_ns);
    anchors.min().unwrap_or(0)
}
