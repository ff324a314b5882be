//! Probes: the functions to record, by group or by name.

use serde::{Deserialize, Serialize};

use super::{OptionError, nearest};

/// Names that a list may contain besides the groups and functions of the interface. `user` means the regions, markers and
/// values of the program: they are recorded unless the list excludes it.
const EVERYTHING: [&str; 3] = ["all", "none", "user"];

/// Every valid name: groups, functions, `all`, `none`, `user`.
fn names() -> impl Iterator<Item = &'static str> {
    EVERYTHING.into_iter().chain(mpiscope_abi::GROUPS).chain(mpiscope_abi::ids().map(mpiscope_abi::name))
}

/// A valid list, as the collector reads it. A first item without a sign replaces `all`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Probes(String);

impl Default for Probes {
    fn default() -> Self {
        Self("all".into())
    }
}

impl Probes {
    /// The list without spaces, as the collector reads it.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Checks a list against the groups and functions of the interface.
    ///
    /// # Errors
    ///
    /// If an item is empty or not the name of a group or function.
    pub fn parse(text: &str) -> Result<Self, OptionError> {
        let compact: String = text.chars().filter(|c| !c.is_whitespace()).collect();
        for item in compact.split(',') {
            let name = item.strip_prefix(['+', '-']).unwrap_or(item);
            if name.is_empty() {
                return Err(OptionError::Probes { given: text.into() });
            }
            if !names().any(|known| known == name) {
                return Err(OptionError::UnknownProbe {
                    given: name.into(),
                    nearest: nearest(name, names()).map(str::to_owned),
                });
            }
        }
        Ok(Self(compact))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_signs_and_functions() {
        for text in
            ["all", "none,+mpi_coll", "-mpi_time", "mpi_pt2pt, -MPI_Iprobe", "MPI_Send", "-user", "mpi_coll,-user"]
        {
            assert!(Probes::parse(text).is_ok(), "{text}");
        }
        assert_eq!(Probes::parse("mpi_coll , -MPI_Bcast").unwrap().as_str(), "mpi_coll,-MPI_Bcast");
    }

    #[test]
    fn an_unknown_name_is_answered_with_the_nearest() {
        let say = |text| Probes::parse(text).unwrap_err().to_string();
        assert_eq!(say("mpi_col"), "unknown probe group or function 'mpi_col'; the nearest name is 'mpi_coll'");
        assert_eq!(say("+coll"), "unknown probe group or function 'coll'; the nearest name is 'mpi_coll'");
        assert_eq!(say("MPI_Sendd"), "unknown probe group or function 'MPI_Sendd'; the nearest name is 'MPI_Send'");
        assert_eq!(say("zebra"), "unknown probe group or function 'zebra'");
        assert!(say("all,,none").contains("invalid list of probes"));
    }
}
