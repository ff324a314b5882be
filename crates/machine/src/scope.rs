//! Which ranks a number belongs to.

use serde::{Deserialize, Serialize};

/// The ranks that a sample, a curve or a parameter is about. In JSON and in Parquet `pair` or `rank`; neither for all ranks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "Members", try_from = "Members")]
pub enum Scope {
    /// Index in the profile's `pairs`.
    Pair(usize),
    /// All ranks of the job.
    #[default]
    All,
    /// One rank of `MPI_COMM_WORLD`.
    Rank(i32),
}

impl Scope {
    /// From the two numbers of a row; `None` if it has both.
    pub(crate) fn from_columns(pair: Option<usize>, rank: Option<i32>) -> Option<Scope> {
        match (pair, rank) {
            (Some(pair), None) => Some(Scope::Pair(pair)),
            (None, Some(rank)) => Some(Scope::Rank(rank)),
            (None, None) => Some(Scope::All),
            (Some(_), Some(_)) => None,
        }
    }

    /// Index of the pair in the profile; `None` for other scopes.
    pub fn pair(self) -> Option<usize> {
        if let Scope::Pair(pair) = self { Some(pair) } else { None }
    }

    /// The rank, if the number is about one rank only.
    pub fn rank(self) -> Option<i32> {
        if let Scope::Rank(rank) = self { Some(rank) } else { None }
    }
}

/// As it is written.
#[derive(Serialize, Deserialize)]
struct Members {
    pair: Option<usize>,
    rank: Option<i32>,
}

impl From<Scope> for Members {
    fn from(scope: Scope) -> Members {
        Members { pair: scope.pair(), rank: scope.rank() }
    }
}

impl TryFrom<Members> for Scope {
    type Error = &'static str;

    fn try_from(members: Members) -> Result<Scope, &'static str> {
        Scope::from_columns(members.pair, members.rank).ok_or("a number belongs to a pair or to a rank, not to both")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_has_a_pair_or_a_rank_or_neither() {
        for (scope, text) in [
            (Scope::Pair(3), r#"{"pair":3,"rank":null}"#),
            (Scope::Rank(2), r#"{"pair":null,"rank":2}"#),
            (Scope::All, r#"{"pair":null,"rank":null}"#),
        ] {
            assert_eq!(serde_json::to_string(&scope).unwrap(), text);
            assert_eq!(serde_json::from_str::<Scope>(text).unwrap(), scope);
        }
        assert!(serde_json::from_str::<Scope>(r#"{"pair":3,"rank":2}"#).is_err());
    }
}
