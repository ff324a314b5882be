//! The meaning of the ids in rows.

use mpiscope_run::{Clocks, Fate, FrameRow, Hosts, Run, SiteTable};
use mpiscope_store::{DatatypeRow, Dimensions, GroupId, RankRow, RegionId, RegionRow, SiteId, SiteRow};
use rustc_hash::FxHashMap;

use crate::clocks::{RankClock, first_moment};
use crate::comms::Comms;
use crate::cores;
use crate::groups::Groups;

/// Ids of a rank's own, translated.
pub(crate) struct Local {
    pub sites: FxHashMap<u32, SiteId>,
    pub regions: FxHashMap<u32, RegionId>,
    pub groups: FxHashMap<u32, GroupId>,
}

/// The tables, and what each rank's ids became.
pub(crate) fn dimensions(
    run: &Run,
    comms: &Comms,
    sites: &SiteTable,
    hosts: &Clocks,
    (clocks, origin_ns): (&[RankClock], u64),
) -> (Dimensions, Vec<Local>) {
    let mut found = Dimensions { origin_ns, comms: comms.rows.clone(), ..Dimensions::default() };
    found.sites = sites
        .places
        .iter()
        .map(|place| SiteRow { text: place.text(), frames: place.frames.iter().map(FrameRow::text).collect() })
        .collect();
    // Files of hosts that cannot be read are told by the report's tables.
    let (machines, _) = Hosts::read(&run.path);
    let mut regions: FxHashMap<RegionRow, u32> = FxHashMap::default();
    let mut groups = Groups::new(run);
    let mut locals = Vec::new();
    for (at, (rank, clock)) in run.ranks.iter().zip(clocks).enumerate() {
        let since = |ns: u64| ns.saturating_sub(found.origin_ns);
        let ticks = |t: u64| (t != 0).then(|| clock.ns(t));
        let header = &rank.header;
        let init_end_ns = since(ticks(header.init_end).unwrap_or_else(|| clock.of_monotonic(first_moment(rank))));
        let finalize_start_ns =
            since(ticks(header.finalize_start).unwrap_or_else(|| clock.of_monotonic(rank.end_ns())));
        found.ranks.push(RankRow {
            world_rank: rank.rank(),
            world: rank.world as u32,
            host: rank.host().to_owned(),
            pid: header.pid,
            init_end_ns,
            finalize_start_ns,
            rows_from_ns: init_end_ns,
            rows_until_ns: finalize_start_ns,
            clock_error_ns: hosts.error_ns(rank.host()),
            copy_bytes_per_s: machines.copy_bytes_per_s(rank.host()),
            rows_lost: rank.losses.rows_lost(),
            unreadable: None,
            is_finalized: rank.header.finalize_end != 0,
            failed: failure(&rank.fate()),
            cores: Default::default(),
        });
        let datatypes = rank.defs.datatypes.iter().map(|(&id, d)| {
            let (created_by, size_bytes, extent_bytes) = (d.created_by, d.size_bytes, d.extent_bytes);
            (id, DatatypeRow { name: d.name.clone(), created_by, size_bytes, extent_bytes })
        });
        found.datatypes.push(datatypes.collect());
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
            groups: rank.defs.groups.iter().map(|(&id, group)| (id, groups.number(comms, at, group))).collect(),
        });
    }
    found.groups = groups.rows;
    cores::add(run, clocks, &mut found);
    (found, locals)
}

/// How a process failed, if it did.
fn failure(fate: &Fate) -> Option<String> {
    let is_known = !matches!(fate, Fate::Finalized | Fate::Running { .. } | Fate::Unfinished { .. });
    is_known.then(|| fate.text())
}
