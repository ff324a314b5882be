//! Letters of a rank's sequence of calls: function, site, communicator, and the peer where there are few.

use mpiscope_abi::role::Role;
use mpiscope_store::{CallInfo, CommId, Dimensions, RankId, RegionId, SiteId, flags};
use rustc_hash::{FxHashMap, FxHashSet};

/// A call that takes no part: asks MPI something, or makes a persistent request.
pub(crate) const IGNORED: u16 = u16::MAX;
/// A run of polls: time in MPI, but how many there are is chance.
pub(crate) const POLL: u16 = u16::MAX - 1;
/// First value that is not a letter.
pub(crate) const NO_LETTER: u16 = POLL;

/// Communicators distinguished at one site; a site with more of them makes a new one each time.
const MOST_COMMS: usize = 4;

/// Peers and tags distinguished in calls at one site on one communicator: an exchange with each neighbour in a loop is
/// then a letter for each. Where there are more they say nothing.
const MOST_PEERS: usize = 8;

/// Where something is called: the same on all ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct CallSite {
    pub function: u32,
    pub site: SiteId,
}

/// What a letter stands for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Meaning {
    /// Index into [`Tables::places`].
    pub place: u32,
    /// Partner of these calls, if they have one and it is always the same.
    pub peer: RankId,
    pub region: RegionId,
    /// Several regions have it: `region` is none of them.
    pub is_shared: bool,
    pub role: Role,
    /// Who a call that also sends receives from.
    pub peer2: RankId,
    pub comm: CommId,
    /// Sizes of its messages, and calls with the rarest of them.
    pub sizes: u32,
    pub rarest: u64,
}

/// The alphabet of one rank.
#[derive(Clone, Debug, Default)]
pub(crate) struct Alphabet {
    /// By facts.
    pub letters: Vec<u16>,
    /// By letter.
    pub meanings: Vec<Meaning>,
    /// By letter: which function of the program makes these calls. Nothing where all are made by one.
    pub functions: Vec<u16>,
    /// By function: one of its letters.
    pub of_functions: Vec<u16>,
}

impl Alphabet {
    /// Numbers the functions of the program; `names` are those of all places.
    fn number_functions(&mut self, names: &[&str]) {
        let mut numbers: FxHashMap<&str, u16> = FxHashMap::default();
        for (letter, meaning) in self.meanings.iter().enumerate() {
            let next = numbers.len() as u16;
            let number = *numbers.entry(names[meaning.place as usize]).or_insert(next);
            if number == next {
                self.of_functions.push(letter as u16);
            }
            self.functions.push(number);
        }
        if numbers.len() < 2 {
            self.functions.clear();
            self.of_functions.clear();
        }
    }
}

/// Alphabets of all ranks.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tables {
    pub ranks: Vec<Alphabet>,
    pub places: Vec<CallSite>,
    /// Of each place: who calls it, and with whom.
    users: Vec<Users>,
    /// Functions of the program that are parts of several others.
    shared: FxHashSet<String>,
}

/// One rank, several or none yet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Who {
    #[default]
    None,
    One(u32),
    Several,
}

impl Who {
    fn add(&mut self, rank: u32) {
        *self = match *self {
            Who::None => Who::One(rank),
            Who::One(one) if one == rank => Who::One(one),
            _ => Who::Several,
        };
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Users {
    ranks: Who,
    peers: Who,
    role: Option<Role>,
}

impl Tables {
    pub fn new(facts: &[Vec<CallInfo>], dimensions: &Dimensions) -> Tables {
        let mut numbers: FxHashMap<CallSite, u32> = FxHashMap::default();
        let mut tables = Tables::default();
        for (rank, facts) in facts.iter().enumerate() {
            let kinds = Kinds::of(facts, dimensions);
            let mut known: FxHashMap<(u32, CommId, Partner), u16> = FxHashMap::default();
            let mut alphabet = Alphabet::default();
            let mut bytes: Vec<FxHashMap<u64, u64>> = Vec::new();
            for f in facts {
                let letter = match kind(f) {
                    Some(other) => other,
                    None => {
                        let place = place_of(f);
                        let number = *numbers.entry(place).or_insert_with(|| {
                            tables.places.push(place);
                            tables.users.push(Users::default());
                            tables.places.len() as u32 - 1
                        });
                        let users = &mut tables.users[number as usize];
                        users.ranks.add(rank as u32);
                        users.role = Some(f.role);
                        if f.peer.is_some() {
                            users.peers.add(f.peer.0);
                        }
                        let (comm, partner) = kinds.class(f);
                        let next = alphabet.meanings.len();
                        let known_as = known.get(&(number, comm, partner)).map(|&l| usize::from(l));
                        if let Some(meaning) = known_as.and_then(|l| alphabet.meanings.get_mut(l))
                            && meaning.region != f.region
                        {
                            (meaning.region, meaning.is_shared) = (RegionId::NONE, true);
                        }
                        let letter = *known.entry((number, comm, partner)).or_insert_with(|| {
                            if next >= usize::from(NO_LETTER) {
                                return IGNORED;
                            }
                            let (peer, region, role) = (partner.peer, f.region, f.role);
                            let (sizes, rarest) = (0, u64::MAX);
                            alphabet.meanings.push(Meaning {
                                place: number,
                                peer,
                                region,
                                is_shared: false,
                                role,
                                peer2: partner.peer2,
                                comm,
                                sizes,
                                rarest,
                            });
                            bytes.push(FxHashMap::default());
                            next as u16
                        });
                        if let Some(bytes) = bytes.get_mut(usize::from(letter)) {
                            *bytes.entry(f.bytes_sent.max(f.bytes_received)).or_default() += f.calls;
                        }
                        letter
                    }
                };
                alphabet.letters.push(letter);
            }
            for (meaning, bytes) in alphabet.meanings.iter_mut().zip(&bytes) {
                meaning.sizes = bytes.len() as u32;
                meaning.rarest = bytes.values().min().copied().unwrap_or(0);
            }
            tables.ranks.push(alphabet);
        }
        tables.shared = super::phases::parts_of_several(&tables.places, dimensions);
        let name = |place| super::phases::program_function(place, &tables, dimensions);
        let names: Vec<&str> = (0..tables.places.len() as u32).map(name).collect();
        tables.ranks.iter_mut().for_each(|alphabet| alphabet.number_functions(&names));
        tables
    }

    /// Sizes of the messages that one call sends to one rank, where they are most.
    pub fn most_sizes(&self) -> u32 {
        let sends = self.ranks.iter().flat_map(|r| &r.meanings).filter(|m| matches!(m.role, Role::Send(_)));
        sends.map(|m| m.sizes).max().unwrap_or(0)
    }

    /// Whether messages of a place all go to or come from one rank.
    pub fn is_hub(&self, place: u32) -> bool {
        let users = self.users.get(place as usize).copied().unwrap_or_default();
        matches!(users.peers, Who::One(_)) || matches!(users.ranks, Who::One(_))
    }

    /// Whether calls in a function of the program are made for several others.
    pub fn is_part_of_several(&self, function: &str) -> bool {
        self.shared.contains(function)
    }

    /// Whether a place is a collective operation that hands out data of several ranks.
    pub fn hands_out(&self, place: u32) -> bool {
        let role = self.users.get(place as usize).and_then(|u| u.role);
        role.is_some_and(|role| super::step::hands_out(self.function(place), role))
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

/// With whom a call is.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Partner {
    peer: RankId,
    peer2: RankId,
    tag: i32,
}

impl Partner {
    const ANY: Partner = Partner { peer: RankId::NONE, peer2: RankId::NONE, tag: 0 };

    fn of(facts: &CallInfo) -> Partner {
        // The root of a collective operation is as good as a peer.
        let peer = if facts.peer.is_some() { facts.peer } else { facts.root };
        Partner { peer, peer2: facts.peer2, tag: facts.tag }
    }
}

/// Which calls of each place are different letters.
#[derive(Default)]
struct Kinds {
    /// Places where the arguments of some calls are not in the facts.
    vague: FxHashSet<CallSite>,
    comms: FxHashMap<CallSite, Vec<CommId>>,
    partners: FxHashMap<(CallSite, CommId), Vec<Partner>>,
    /// Places where all members are root in turn: one of them in each iteration of a loop over panels or columns.
    in_turn: FxHashSet<(CallSite, CommId)>,
}

fn note<T: PartialEq>(seen: &mut Vec<T>, value: T, most: usize) {
    if seen.len() <= most && !seen.contains(&value) {
        seen.push(value);
    }
}

/// Places where all members of a communicator are root equally often.
fn in_turn(facts: &[CallInfo], dimensions: &Dimensions) -> FxHashSet<(CallSite, CommId)> {
    let mut roots: FxHashMap<(CallSite, CommId), FxHashMap<RankId, u64>> = FxHashMap::default();
    for f in facts.iter().filter(|f| f.root.is_some() && kind(f).is_none() && f.flags & flags::SPELLED == 0) {
        *roots.entry((place_of(f), f.comm)).or_default().entry(f.root).or_default() += f.calls;
    }
    let members =
        |comm: CommId| comm.index().and_then(|at| dimensions.comms.get(at)).map_or(0, |row| row.members.len());
    roots.retain(|(_, comm), calls| {
        let (least, most) = (calls.values().min().copied(), calls.values().max().copied());
        calls.len() > 1
            && calls.len() == members(*comm)
            && least.zip(most).is_some_and(|(least, most)| most - least <= 1)
    });
    roots.into_keys().collect()
}

impl Kinds {
    fn of(facts: &[CallInfo], dimensions: &Dimensions) -> Kinds {
        let mut kinds = Kinds { in_turn: in_turn(facts, dimensions), ..Kinds::default() };
        for f in facts.iter().filter(|f| kind(f).is_none()) {
            let place = place_of(f);
            if f.flags & flags::SPELLED != 0 {
                kinds.vague.insert(place);
                continue;
            }
            note(kinds.comms.entry(place).or_default(), f.comm, MOST_COMMS);
            let partner = kinds.partner(f);
            note(kinds.partners.entry((place, f.comm)).or_default(), partner, MOST_PEERS);
        }
        kinds
    }

    /// The communicator and the partner of those calls at a place whose arguments are known; any, if there are several.
    fn only(&self, place: CallSite) -> (CommId, Partner) {
        let Some(&[comm]) = self.comms.get(&place).map(Vec::as_slice) else { return (CommId::NONE, Partner::ANY) };
        match self.partners.get(&(place, comm)).map(Vec::as_slice) {
            Some(&[partner]) => (comm, partner),
            _ => (comm, Partner::ANY),
        }
    }

    fn class(&self, f: &CallInfo) -> (CommId, Partner) {
        let place = place_of(f);
        if self.vague.contains(&place) {
            return self.only(place);
        }
        let few = |n: Option<usize>, most: usize| n.is_some_and(|n| n <= most);
        if !few(self.comms.get(&place).map(Vec::len), MOST_COMMS) {
            return (CommId::NONE, Partner::ANY);
        }
        let is_few = few(self.partners.get(&(place, f.comm)).map(Vec::len), MOST_PEERS);
        (f.comm, if is_few { self.partner(f) } else { Partner::ANY })
    }

    /// A root says nothing where all are root in turn.
    fn partner(&self, f: &CallInfo) -> Partner {
        if self.in_turn.contains(&(place_of(f), f.comm)) { Partner::ANY } else { Partner::of(f) }
    }
}

fn place_of(facts: &CallInfo) -> CallSite {
    CallSite { function: facts.function, site: facts.site }
}

fn kind(facts: &CallInfo) -> Option<u16> {
    if facts.is_poll() {
        return Some(POLL);
    }
    if facts.flags & (flags::MAKES_PERSISTENT | flags::ASKS) != 0 {
        return Some(IGNORED);
    }
    matches!(facts.role, Role::Local | Role::Init | Role::Finalize).then_some(IGNORED)
}
