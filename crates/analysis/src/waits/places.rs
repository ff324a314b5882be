//! Where calls are made: function, site and region, as one number.

use mpiscope_store::{CallInfo, Dimensions, RegionId, SiteId};
use rustc_hash::FxHashMap;

/// A function called at a place of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CallPath {
    /// Function id.
    pub function: u32,
    /// Call site.
    pub site: SiteId,
    /// Region around it.
    pub region: RegionId,
}

/// Numbers of places, by rank and index of facts.
#[derive(Debug, Default)]
pub struct Places {
    rows: Vec<CallPath>,
    of: Vec<Vec<u32>>,
}

impl Places {
    /// Of all facts of a run.
    pub fn new(facts: &[Vec<CallInfo>]) -> Places {
        let mut known: FxHashMap<CallPath, u32> = FxHashMap::default();
        let mut rows = Vec::new();
        let mut number = |f: &CallInfo| {
            let place = CallPath { function: f.function, site: f.site, region: f.region };
            *known.entry(place).or_insert_with(|| {
                rows.push(place);
                rows.len() as u32 - 1
            })
        };
        let of = facts.iter().map(|rank| rank.iter().map(&mut number).collect()).collect();
        Places { rows, of }
    }

    /// Of a call: rank and index of its facts.
    pub fn id_of(&self, rank: usize, facts: u32) -> Option<u32> {
        self.of.get(rank)?.get(facts as usize).copied()
    }

    /// Calls at places of which `wanted` is true, by rank and facts.
    pub(crate) fn calls(&self, wanted: impl Fn(usize, u32) -> bool) -> impl Iterator<Item = (u32, u32)> {
        let of_rank = move |(rank, places): (usize, &Vec<u32>)| {
            let here = places.iter().enumerate().filter(|&(_, &place)| wanted(rank, place));
            here.map(|(facts, _)| (rank as u32, facts as u32)).collect::<Vec<_>>()
        };
        self.of.iter().enumerate().flat_map(of_rank)
    }

    /// What a number stands for.
    pub fn get(&self, place: u32) -> CallPath {
        let nowhere = CallPath { function: u32::MAX, site: SiteId(0), region: RegionId::NONE };
        self.rows.get(place as usize).copied().unwrap_or(nowhere)
    }
}

impl CallPath {
    /// C name of the function.
    pub fn function(&self) -> &'static str {
        mpiscope_abi::name(self.function)
    }
    /// Text of the call site, if it is known.
    pub fn site(&self, dimensions: &Dimensions) -> Option<String> {
        Some(dimensions.site(self.site)).filter(|s| !s.is_empty()).map(str::to_owned)
    }
    /// Name of the region, if there is one.
    pub fn region(&self, dimensions: &Dimensions) -> Option<String> {
        Some(dimensions.region(self.region)).filter(|r| !r.is_empty())
    }
}
