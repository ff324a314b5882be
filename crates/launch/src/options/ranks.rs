//! A set of ranks: `0,7-11`.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::OptionError;

/// A valid list of ranks, as given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RankSet(String);

impl RankSet {
    /// The list as given, as the collector reads it.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether a rank is in the set.
    pub fn contains(&self, rank: u32) -> bool {
        self.stretches().any(|(first, last)| (first..=last).contains(&rank))
    }

    /// First and last rank of each range, as given: unsorted, possibly overlapping.
    pub fn stretches(&self) -> impl Iterator<Item = (u32, u32)> {
        self.0.split(',').filter_map(range)
    }
}

impl FromStr for RankSet {
    type Err = OptionError;

    fn from_str(text: &str) -> Result<Self, OptionError> {
        let compact: String = text.chars().filter(|c| !c.is_whitespace()).collect();
        if compact.split(',').all(|item| range(item).is_some()) {
            Ok(Self(compact))
        } else {
            Err(OptionError::Ranks { given: text.into() })
        }
    }
}

fn range(item: &str) -> Option<(u32, u32)> {
    let number = |text: &str| {
        // `parse` would accept a sign.
        text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten()
    };
    match item.split_once('-') {
        None => number(item).map(|rank| (rank, rank)),
        Some((first, last)) => {
            let (first, last) = (number(first)?, number(last)?);
            (first <= last).then_some((first, last))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_ranges() {
        let set: RankSet = "0, 7-11".parse().unwrap();
        assert_eq!(set.as_str(), "0,7-11");
        let inside: Vec<u32> = (0..14).filter(|rank| set.contains(*rank)).collect();
        assert_eq!(inside, [0, 7, 8, 9, 10, 11]);
        assert_eq!(set.stretches().collect::<Vec<_>>(), [(0, 0), (7, 11)]);
    }

    #[test]
    fn what_is_not_a_set_is_said() {
        for text in ["", ",", "1,", "a", "3-1", "-1", "1-", "+1", "1-2-3", "4294967296"] {
            assert!(text.parse::<RankSet>().is_err(), "{text}");
        }
    }
}
