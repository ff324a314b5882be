//! Kinds of calls and messages: what they are besides when they were and how long they took.
//!
//! Calls of all ranks that have everything in common that tables of counts are asked for are one kind. Programs have
//! some dozens. Where there would be too many, kinds distinguish less: see [`KindFields`].

use std::collections::hash_map::Entry;

use mpiscope_store::{CallInfo, flags};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::bins;

/// At most so many kinds are made of what is known before the first call.
const MOST_OF_FACTS: usize = 2048;
/// And so many altogether; what comes later is of the kind that says nothing of bytes.
const MOST: usize = 1 << 14;
/// Messages: this many sizes are distinguished exactly.
const MOST_SIZES: usize = 256;
/// Stands for any or none.
pub const ANY: u32 = u32::MAX;

/// What calls or messages have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Kind {
    /// Function id, 0 of messages.
    pub function: u16,
    /// Communicator, [`ANY`] for none, or where kinds do not say it.
    pub comm: u32,
    /// Call site.
    pub site: u32,
    /// Innermost region.
    pub region: u32,
    /// Payload of one, sent and received together: the smallest and the largest.
    pub bytes: (u64, u64),
    /// Unsuccessful polls: a row may be several calls.
    pub is_poll: bool,
}

/// What kinds distinguish.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KindFields {
    /// Sizes to the byte, as far as facts say them; otherwise bins.
    pub bytes: bool,
    /// Communicators.
    pub comm: bool,
    /// Regions.
    pub region: bool,
    /// Call sites.
    pub site: bool,
}

impl Default for KindFields {
    fn default() -> KindFields {
        KindFields { bytes: true, comm: true, region: true, site: true }
    }
}

impl KindFields {
    fn kind(self, facts: &CallInfo) -> Kind {
        let bytes = facts.bytes_sent.saturating_add(facts.bytes_received);
        Kind {
            function: u16::try_from(facts.function).unwrap_or(0),
            comm: if self.comm { facts.comm.0 } else { ANY },
            site: if self.site { facts.site.0 } else { ANY },
            region: if self.region { facts.region.0 } else { ANY },
            bytes: if self.bytes { (bytes, bytes) } else { bins::values(bins::bin(bytes)).into_inner() },
            is_poll: facts.flags & flags::POLL != 0,
        }
    }

    /// Each distinguishes less than the one before.
    fn steps() -> impl Iterator<Item = KindFields> {
        let all = KindFields::default();
        let binned = KindFields { bytes: false, ..all };
        let no_comm = KindFields { comm: false, ..binned };
        let no_region = KindFields { region: false, ..no_comm };
        [all, binned, no_comm, no_region, KindFields { site: false, ..no_region }].into_iter()
    }
}

/// Kinds that are being counted.
pub(crate) struct Kinds {
    pub kept: KindFields,
    pub all: Vec<Kind>,
    known: FxHashMap<Kind, u16>,
    /// By rank and facts.
    of_facts: Vec<Vec<u16>>,
    /// Of calls that spell out their sizes: by kind of their facts and bin.
    spelled: FxHashMap<(u16, u16), u16>,
    /// Of messages, by communicator and size: not only the kinds, so that most are found at once.
    sizes: FxHashMap<(u32, u64), u16>,
}

/// Sizes of messages that are remembered.
const MOST_REMEMBERED: usize = 1 << 12;

impl Kinds {
    pub fn of_facts(facts: &[Vec<CallInfo>]) -> Kinds {
        let mut kinds = Kinds {
            kept: KindFields::default(),
            all: Vec::new(),
            known: FxHashMap::default(),
            of_facts: Vec::new(),
            spelled: FxHashMap::default(),
            sizes: FxHashMap::default(),
        };
        for kept in KindFields::steps() {
            kinds.kept = kept;
            kinds.all.clear();
            kinds.known.clear();
            let is_last = !kept.site;
            let enough = |all: &Vec<Kind>| all.len() > MOST_OF_FACTS && !is_last;
            let of_rank = |of_rank: &Vec<CallInfo>, kinds: &mut Kinds| {
                of_rank.iter().map(|f| kinds.number(kept.kind(f))).collect::<Vec<u16>>()
            };
            kinds.of_facts = Vec::with_capacity(facts.len());
            for rows in facts {
                let found = of_rank(rows, &mut kinds);
                kinds.of_facts.push(found);
                if enough(&kinds.all) {
                    break;
                }
            }
            if !enough(&kinds.all) {
                break;
            }
        }
        kinds
    }

    /// Kinds of messages.
    pub fn of_messages() -> Kinds {
        Kinds::of_facts(&[])
    }

    /// The number of a kind; of one too many, that of one that is alike but for the size, or of the last.
    fn number(&mut self, kind: Kind) -> u16 {
        let is_full = self.all.len() >= MOST;
        match self.known.entry(kind) {
            Entry::Occupied(found) => *found.get(),
            Entry::Vacant(place) if !is_full => {
                self.all.push(kind);
                *place.insert((self.all.len() - 1) as u16)
            }
            Entry::Vacant(_) => {
                let any = Kind { bytes: (0, u64::MAX), ..kind };
                let next = self.all.len();
                // A few more, one for each that is otherwise alike.
                *self.known.entry(any).or_insert_with(|| {
                    self.all.push(any);
                    next.min(usize::from(u16::MAX) / 2) as u16
                })
            }
        }
    }

    /// That of calls with these facts.
    pub fn of_call(&self, rank: usize, facts: usize) -> u16 {
        self.of_facts.get(rank).and_then(|f| f.get(facts)).copied().unwrap_or(0)
    }

    /// That of a call of a kind that spells out its size.
    pub fn of_spelled(&mut self, base: u16, bytes: u64) -> u16 {
        let bin = bins::bin(bytes) as u16;
        if let Some(&found) = self.spelled.get(&(base, bin)) {
            return found;
        }
        let Some(&of_base) = self.all.get(usize::from(base)) else { return base };
        let kind = Kind { bytes: bins::values(usize::from(bin)).into_inner(), ..of_base };
        let found = self.number(kind);
        self.spelled.insert((base, bin), found);
        found
    }

    /// That of a message.
    pub fn of_message(&mut self, comm: u32, bytes: u64) -> u16 {
        if let Some(&found) = self.sizes.get(&(comm, bytes)) {
            return found;
        }
        let kind = |bytes| Kind { function: 0, comm, site: ANY, region: ANY, bytes, is_poll: false };
        let is_exact = self.all.len() < MOST_SIZES;
        let bytes_of_kind = if is_exact { (bytes, bytes) } else { bins::values(bins::bin(bytes)).into_inner() };
        let found = self.number(kind(bytes_of_kind));
        if self.sizes.len() < MOST_REMEMBERED {
            self.sizes.insert((comm, bytes), found);
        }
        found
    }
}
