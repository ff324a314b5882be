//! Versions, and ranges of them.

/// A version as numbers: `5.0.8rc1` is 5, 0, 8.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version(Vec<u32>);

impl Version {
    /// The leading numbers; `None` without any.
    pub fn parse(text: &str) -> Option<Self> {
        let numbers = text.split('.').map_while(|part| {
            let digits = part.len() - part.trim_start_matches(|c: char| c.is_ascii_digit()).len();
            part[..digits].parse().ok()
        });
        let numbers: Vec<u32> = numbers.take(4).collect();
        (!numbers.is_empty()).then_some(Self(numbers))
    }

    /// The first numbers: 5.0 of 5.0.8.
    pub fn series(&self) -> &[u32] {
        &self.0[..self.0.len().min(2)]
    }

    /// Compares only as many numbers as the other one has: 4.1.4 equals 4.1.
    fn against(&self, bound: &Self) -> std::cmp::Ordering {
        let count = self.0.len().min(bound.0.len());
        self.0[..count].cmp(&bound.0[..count])
    }
}

/// An inclusive range: `4.0..4.1`, `5..`, `..4`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Range {
    first: Option<Version>,
    last: Option<Version>,
}

impl Range {
    /// `None` if the text has no `..`.
    pub fn parse(text: &str) -> Option<Self> {
        let (first, last) = text.split_once("..")?;
        Some(Self { first: Version::parse(first), last: Version::parse(last) })
    }

    /// Whether a version lies in it; 4.1.4 lies in `..4`.
    pub fn contains(&self, version: &Version) -> bool {
        self.first.as_ref().is_none_or(|first| version.against(first).is_ge()) && !self.is_before(version)
    }

    /// Whether it ended before this version.
    pub fn is_before(&self, version: &Version) -> bool {
        self.last.as_ref().is_some_and(|last| version.against(last).is_gt())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_cover_everything_that_begins_with_them() {
        let holds =
            |range: &str, version: &str| Range::parse(range).unwrap().contains(&Version::parse(version).unwrap());
        assert!(holds("..4", "4.1.8") && holds("4.1..", "4.1.0") && holds("..", "1"));
        assert!(!holds("..4.0", "4.1.4") && !holds("5..", "4.1.4"));
        assert!(holds("5..", "5.0.8rc1"));
        assert_eq!(Version::parse("v5"), None);
        assert_eq!(Range::parse("5"), None);
    }
}
