//! Terms of the performance model normal form: how a quantity depends on the number of ranks and on the problem size.

use serde::Serialize;

/// Where a quantity is measured or predicted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct At {
    /// Ranks, p.
    pub ranks: f64,
    /// Problem size, n; 1 if it is unknown.
    pub size: f64,
}

/// `n^a · p^b · log₂(p)^c`; without n and growing with p, less what that is for one rank: a rank alone has no partners.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Term {
    /// a.
    pub size_exponent: f64,
    /// b.
    pub ranks_exponent: f64,
    /// c.
    pub log_exponent: i32,
    /// Multiplied by (p − 1)/p, the share of the other ranks: neighbours in a grid with ends, data for others.
    pub of_others: bool,
}

const fn term(size_exponent: f64, ranks_exponent: f64, log_exponent: i32) -> Term {
    Term { size_exponent, ranks_exponent, log_exponent, of_others: false }
}

/// The same for any number of ranks.
pub const CONSTANT: Term = term(0.0, 0.0, 0);

const OTHERS: Term = Term { of_others: true, ..CONSTANT };

const THIRD: f64 = 1.0 / 3.0;

/// Terms in p, with the number of different sizes from which they are considered. Those that fall are what a part of a fixed whole is: its volume (1/p), the
/// faces of a cube (p^-2/3) or the edges of a square (p^-1/2). Those that grow are rounds of trees and of algorithms with many partners. Few sizes cannot tell
/// similar terms from each other, and a steep one that is wrong does most harm.
const OF_RANKS: [(usize, Term); 12] = [
    (1, CONSTANT),
    (1, term(0.0, -1.0, 0)),
    (1, term(0.0, -2.0 * THIRD, 0)),
    (1, term(0.0, -0.5, 0)),
    (3, OTHERS),
    (1, term(0.0, 0.0, 1)),
    (4, term(0.0, 0.0, 2)),
    (3, term(0.0, 0.5, 0)),
    (4, term(0.0, 2.0 * THIRD, 0)),
    (1, term(0.0, 1.0, 0)),
    (4, term(0.0, 1.0, 1)),
    (5, term(0.0, 2.0, 0)),
];

/// Terms in n: what every rank does for the whole problem, for its part, for the surface of its part.
const OF_SIZE: [Term; 10] = [
    term(1.0, -1.0, 0),
    term(2.0 * THIRD, -2.0 * THIRD, 0),
    term(0.5, -0.5, 0),
    term(1.0, 0.0, 0),
    term(2.0 * THIRD, 0.0, 0),
    term(0.5, 0.0, 0),
    term(2.0 * THIRD, -0.5, 0),
    term(1.0, -0.5, 0),
    term(1.0, 0.0, 1),
    term(1.0, 1.0, 0),
];

/// Terms for so many different sizes of runs; `with_size` if the problem size varies independently of the ranks.
pub fn terms(configurations: usize, with_size: bool) -> Vec<Term> {
    let of_ranks = OF_RANKS.iter().filter(|(least, _)| configurations >= *least).map(|(_, term)| term);
    of_ranks.chain(OF_SIZE.iter().filter(|_| with_size)).copied().collect()
}

/// In which direction a term goes. A model has at most one of each kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The same for all.
    Constant,
    /// With more ranks, less is left for each. (p − 1)/p belongs to these: with 1/p it is a constant.
    Part,
    /// With more ranks, each has more to do.
    GrowsWithRanks,
    /// With a larger problem, each rank has more to do, whatever their number.
    GrowsWithSize,
}

impl Term {
    /// In which direction it goes.
    pub fn kind(&self) -> Kind {
        match *self {
            CONSTANT => Kind::Constant,
            OTHERS => Kind::Part,
            term if term.ranks_exponent < 0.0 => Kind::Part,
            term if term.ranks_exponent > 0.0 || term.log_exponent > 0 => Kind::GrowsWithRanks,
            _ => Kind::GrowsWithSize,
        }
    }

    /// Its value.
    pub fn value(&self, at: At) -> f64 {
        let log = if self.log_exponent == 0 { 1.0 } else { at.ranks.log2().powi(self.log_exponent) };
        let grows = self.kind() == Kind::GrowsWithRanks && self.size_exponent == 0.0 && self.log_exponent == 0;
        let of_one = f64::from(u8::from(grows));
        let others = if self.of_others { (at.ranks - 1.0) / at.ranks } else { 1.0 };
        (at.size.powf(self.size_exponent) * at.ranks.powf(self.ranks_exponent) * log - of_one) * others
    }

    /// Whether it is the same for all ranks and sizes.
    pub fn is_constant(&self) -> bool {
        self.kind() == Kind::Constant
    }

    /// In words: `grows with p log p`, `falls with 1/p`.
    pub fn text(&self) -> String {
        let power = |letter: &str, exponent: f64| match exponent {
            e if e <= 0.0 => None,
            1.0 => Some(letter.to_owned()),
            0.5 => Some(format!("√{letter}")),
            e if e == 2.0 * THIRD => Some(format!("{letter}^(2/3)")),
            e => Some(format!("{letter}^{e}")),
        };
        let log = match self.log_exponent {
            0 => None,
            1 => Some("log p".to_owned()),
            c => Some(format!("log^{c} p")),
        };
        let above = [power("n", self.size_exponent), power("p", self.ranks_exponent), log];
        let above = above.into_iter().flatten().collect::<Vec<_>>().join(" ");
        match (self.kind(), power("p", -self.ranks_exponent)) {
            (Kind::Constant, _) => "is constant".into(),
            _ if self.of_others => "grows with (p - 1)/p".into(),
            // A part of the problem, and its surface.
            (_, Some(_)) if self.size_exponent == -self.ranks_exponent => match self.size_exponent {
                1.0 => "follows n/p".into(),
                0.5 => "follows √(n/p)".into(),
                _ => "follows (n/p)^(2/3)".into(),
            },
            (_, Some(below)) if above.is_empty() => format!("falls with 1/{below}"),
            (_, Some(below)) => format!("follows {above}/{below}"),
            (_, None) => format!("grows with {above}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_are_read_as_plain_words() {
        let texts: Vec<String> = terms(5, true).iter().map(Term::text).collect();
        assert_eq!(
            texts,
            [
                "is constant",
                "falls with 1/p",
                "falls with 1/p^(2/3)",
                "falls with 1/√p",
                "grows with (p - 1)/p",
                "grows with log p",
                "grows with log^2 p",
                "grows with √p",
                "grows with p^(2/3)",
                "grows with p",
                "grows with p log p",
                "grows with p^2",
                "follows n/p",
                "follows (n/p)^(2/3)",
                "follows √(n/p)",
                "grows with n",
                "grows with n^(2/3)",
                "grows with √n",
                "follows n^(2/3)/√p",
                "follows n/√p",
                "grows with n log p",
                "grows with n p",
            ]
        );
    }

    #[test]
    fn values_are_those_of_the_formula() {
        let at = At { ranks: 8.0, size: 27.0 };
        assert_eq!(CONSTANT.value(at), 1.0);
        assert_eq!((term(0.0, 1.0, 1).value(at), term(0.0, 1.0, 0).value(at)), (24.0, 7.0));
        assert!((term(2.0 * THIRD, -2.0 * THIRD, 0).value(at) - 9.0 / 4.0).abs() < 1e-9);
        assert_eq!(OTHERS.value(at), 7.0 / 8.0);
        for growing in terms(5, false).iter().filter(|term| term.kind() == Kind::GrowsWithRanks) {
            assert_eq!(growing.value(At { ranks: 1.0, size: 1.0 }), 0.0, "{growing:?}");
        }
    }
}
