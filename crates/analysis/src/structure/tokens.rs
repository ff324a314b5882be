//! Letters of a rank's sequence of calls: function, site and communicator.

use mpiscope_abi::role::Role;
use mpiscope_store::{CommId, Dimensions, Facts, RegionId, SiteId, flags};
use rustc_hash::FxHashMap;

/// A call that takes no part: asks MPI something, or makes a persistent request.
pub(crate) const IGNORED: u16 = u16::MAX;
/// A run of polls: time in MPI, but how many there are is chance.
pub(crate) const POLL: u16 = u16::MAX - 1;
/// First value that is not a letter.
pub(crate) const NO_LETTER: u16 = POLL;

/// Communicators told apart at one site; a site with more of them makes a new one each time.
const MOST_COMMS: usize = 4;

/// Where something is called: the same on all ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Place {
    pub function: u32,
    pub site: SiteId,
}

/// What a letter stands for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Meaning {
    /// Index into [`Tables::places`].
    pub place: u32,
    pub comm: CommId,
    pub region: RegionId,
    pub role: Role,
}

/// The alphabet of one rank.
#[derive(Clone, Debug, Default)]
pub(crate) struct Alphabet {
    /// By facts.
    pub letters: Vec<u16>,
    /// By letter.
    pub meanings: Vec<Meaning>,
}

/// Alphabets of all ranks.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tables {
    pub ranks: Vec<Alphabet>,
    pub places: Vec<Place>,
}

impl Tables {
    pub fn new(facts: &[Vec<Facts>]) -> Tables {
        let mut numbers: FxHashMap<Place, u32> = FxHashMap::default();
        let mut tables = Tables::default();
        for facts in facts {
            let mut comms: FxHashMap<Place, Vec<CommId>> = FxHashMap::default();
            for f in facts {
                let seen = comms.entry(place_of(f)).or_default();
                if seen.len() <= MOST_COMMS && !seen.contains(&f.comm) {
                    seen.push(f.comm);
                }
            }
            let mut known: FxHashMap<(u32, CommId), u16> = FxHashMap::default();
            let mut alphabet = Alphabet::default();
            for f in facts {
                let letter = match kind(f) {
                    Some(other) => other,
                    None => {
                        let place = place_of(f);
                        let number = *numbers.entry(place).or_insert_with(|| {
                            tables.places.push(place);
                            tables.places.len() as u32 - 1
                        });
                        let comm = if comms[&place].len() > MOST_COMMS { CommId::NONE } else { f.comm };
                        let next = alphabet.meanings.len();
                        *known.entry((number, comm)).or_insert_with(|| {
                            if next >= usize::from(NO_LETTER) {
                                return IGNORED;
                            }
                            alphabet.meanings.push(Meaning { place: number, comm, region: f.region, role: f.role });
                            next as u16
                        })
                    }
                };
                alphabet.letters.push(letter);
            }
            tables.ranks.push(alphabet);
        }
        tables
    }

    /// Place of a rank's facts, if its calls take part.
    pub fn place(&self, rank: usize, facts: u32) -> Option<u32> {
        let alphabet = self.ranks.get(rank)?;
        let letter = *alphabet.letters.get(facts as usize)?;
        alphabet.meanings.get(usize::from(letter)).map(|m| m.place)
    }

    /// Text of a place: the site, or the name of the function where the site is unknown.
    pub fn text(&self, place: u32, dimensions: &Dimensions) -> String {
        let Some(place) = self.places.get(place as usize) else { return String::new() };
        match dimensions.site(place.site) {
            "" => mpiscope_abi::name(place.function).to_owned(),
            site => site.to_owned(),
        }
    }

    pub fn function(&self, place: u32) -> &'static str {
        self.places.get(place as usize).map_or("", |p| mpiscope_abi::name(p.function))
    }

    /// `MPI_Wait at solve.c:12`.
    pub fn call(&self, place: u32, dimensions: &Dimensions) -> String {
        let function = self.function(place);
        match self.places.get(place as usize).map_or("", |p| dimensions.site(p.site)) {
            "" => function.to_owned(),
            site => format!("{function} at {site}"),
        }
    }
}

fn place_of(facts: &Facts) -> Place {
    Place { function: facts.function, site: facts.site }
}

fn kind(facts: &Facts) -> Option<u16> {
    if facts.flags & flags::POLL != 0 {
        return Some(POLL);
    }
    if facts.flags & (flags::MAKES_PERSISTENT | flags::ASKS) != 0 {
        return Some(IGNORED);
    }
    matches!(facts.role, Role::Local | Role::Init | Role::Finalize).then_some(IGNORED)
}
