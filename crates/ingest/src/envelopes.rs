//! Envelopes of a rank's call infos, each different one stored once: calls that differ only in their sizes have the same
//! envelope.

use rustc_hash::FxHashMap;

use crate::call_info::Envelope;

/// The different envelopes of a rank, by index of the call info.
#[derive(Default)]
pub(crate) struct Envelopes {
    all: Vec<Envelope>,
    /// For each call info, the index of its envelope.
    of: Vec<u32>,
    /// Index in `all` by envelope, until [`Self::close`].
    known: FxHashMap<Envelope, u32>,
}

impl Envelopes {
    /// Adds the envelope of the next call info.
    pub fn push(&mut self, envelope: Envelope) {
        let all = &mut self.all;
        let place = *self.known.entry(envelope).or_insert_with(|| {
            all.push(envelope);
            all.len() as u32 - 1
        });
        self.of.push(place);
    }

    /// No more will be added: frees the memory that only adding needs.
    pub fn close(&mut self) {
        self.known = FxHashMap::default();
        self.all.shrink_to_fit();
        self.of.shrink_to_fit();
    }

    /// The envelope of an existing call info.
    #[inline]
    pub fn envelope_of(&self, facts: u32) -> Envelope {
        self.all[self.of[facts as usize] as usize]
    }

    /// All envelopes, by call info.
    pub fn iter(&self) -> impl Iterator<Item = &Envelope> {
        self.of.iter().map(|&place| &self.all[place as usize])
    }
}

#[cfg(test)]
mod tests {
    use mpiscope_store::RankId;

    use super::*;
    use crate::call_info::Peer;

    #[test]
    fn memory_grows_with_different_ones() {
        let to = |rank| {
            let to = Peer::Rank(RankId(rank));
            Envelope { to, from: Peer::Any, tag_to: 1, tag_from: None, source: 0 }
        };
        let mut envelopes = Envelopes::default();
        (0..1000).for_each(|at| envelopes.push(to(at % 3)));
        envelopes.close();
        assert_eq!((envelopes.all.capacity(), envelopes.known.capacity()), (3, 0));
        assert!((0..1000).all(|at| envelopes.envelope_of(at) == to(at % 3)));
        assert!(envelopes.iter().copied().eq((0..1000).map(|at| to(at % 3))));
    }
}
