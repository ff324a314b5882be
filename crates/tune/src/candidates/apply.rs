//! Changes applied to the launcher's words and to the environment, and written down for people and other tools.

use std::collections::{BTreeMap, BTreeSet};

use super::{Change, Launching};
use crate::Family;

/// What a program is started with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Start {
    /// The launcher's words.
    pub words: Vec<String>,
    /// Variables that are set or replaced.
    pub set: BTreeMap<String, String>,
    /// Variables that are removed.
    pub unset: BTreeSet<String>,
    /// A library that is loaded before the others.
    pub preload: Option<String>,
    launching: Launching,
}

/// Beginnings of variables that Open MPI's launcher hands to ranks on other hosts by itself.
const HANDED: [&str; 3] = ["OMPI_", "PMIX_", "PRTE_"];

impl Start {
    /// As by these words of the launcher of this MPI, with changes.
    pub fn new<'a>(launcher: &[String], mpi: Option<Family>, changes: impl IntoIterator<Item = &'a Change>) -> Start {
        let mut start = Start {
            words: launcher.to_vec(),
            set: BTreeMap::new(),
            unset: BTreeSet::new(),
            preload: None,
            launching: Launching::of(launcher, mpi),
        };
        changes.into_iter().for_each(|change| start.apply(change));
        start
    }

    fn apply(&mut self, change: &Change) {
        match change {
            Change::Set { variable, value } => {
                // The launcher's own words would be stronger.
                let bare = variable.strip_prefix("OMPI_MCA_").unwrap_or(variable);
                self.remove_named(bare);
                self.set.insert(variable.clone(), value.clone());
            }
            Change::Unset { variable } => {
                self.unset.insert(variable.clone());
            }
            Change::Option { option, value } => {
                let bare = option.trim_start_matches('-');
                while let Some(at) = self.words.iter().position(|word| word.trim_start_matches('-') == bare) {
                    self.words.drain(at..(at + 2).min(self.words.len()));
                }
                self.words.extend([option.clone(), value.clone()]);
            }
            Change::WithoutOption { name, .. } => self.remove_named(name),
            Change::Preload { library } => self.preload = Some(library.clone()),
        }
    }

    /// Removes `--mca NAME VALUE`, `-genv NAME VALUE`, `-x NAME=VALUE`.
    fn remove_named(&mut self, name: &str) {
        let mut at = 1;
        while at + 1 < self.words.len() {
            let (option, next) = (self.words[at].trim_start_matches('-'), self.words[at + 1].as_str());
            let is_option = self.words[at].starts_with('-');
            let is_pair = is_option && (option.ends_with("mca") || matches!(option, "genv" | "env")) && next == name;
            let is_joined = is_option && option == "x" && next.split_once('=').is_some_and(|(set, _)| set == name);
            match (is_pair, is_joined) {
                (true, _) => drop(self.words.drain(at..(at + 3).min(self.words.len()))),
                (_, true) => drop(self.words.drain(at..at + 2)),
                _ => at += 1,
            }
        }
    }

    /// The words that hand variables to ranks on other hosts, which the launcher would not do by itself.
    pub fn handing(&self) -> Vec<String> {
        let names = self.set.keys().filter(|name| !HANDED.iter().any(|prefix| name.starts_with(prefix)));
        match self.launching {
            Launching::OpenMpi => names.flat_map(|name| ["-x".to_owned(), name.clone()]).collect(),
            _ => Vec::new(),
        }
    }

    /// The launcher's words with everything that is set as its own options, as far as it has some; without them, the rest is in the
    /// environment.
    pub fn as_options(&self) -> Vec<String> {
        let mut words = self.words.clone();
        for (name, value) in &self.set {
            match (self.launching, name.strip_prefix("OMPI_MCA_")) {
                (Launching::OpenMpi, Some(bare)) => words.extend(["--mca".into(), bare.into(), value.clone()]),
                (Launching::OpenMpi, None) => words.extend(["-x".into(), format!("{name}={value}")]),
                (Launching::Hydra, _) => words.extend(["-genv".into(), name.clone(), value.clone()]),
                (Launching::Other, _) => {}
            }
        }
        words
    }

    /// What [`Start::as_options`] does not contain, as words before the launcher.
    pub fn before(&self) -> Vec<String> {
        let mut words = Vec::new();
        words.extend(self.unset.iter().flat_map(|name| ["-u".to_owned(), name.clone()]));
        if self.launching == Launching::Other {
            words.extend(self.set.iter().map(|(name, value)| format!("{name}={value}")));
        }
        words.extend(self.preload.iter().map(|library| format!("LD_PRELOAD={library}")));
        if !words.is_empty() {
            words.insert(0, "env".to_owned());
        }
        words
    }

    /// Lines for a shell that set the same.
    pub fn shell(&self, quoted: impl Fn(&str) -> String) -> String {
        let unset = self.unset.iter().map(|name| format!("unset {name}\n"));
        let set = self.set.iter().map(|(name, value)| format!("export {name}={}\n", quoted(value)));
        let preload = self
            .preload
            .iter()
            .map(|library| format!("export LD_PRELOAD={}${{LD_PRELOAD:+:$LD_PRELOAD}}\n", quoted(library)));
        unset.chain(set).chain(preload).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    fn words(line: &str) -> Vec<String> {
        line.split(' ').map(Into::into).collect()
    }

    fn set(variable: &str, value: &str) -> Change {
        Change::Set { variable: variable.into(), value: value.into() }
    }

    #[test]
    fn options_replace_those_of_the_launcher() {
        let launcher = words("mpirun --bind-to core --mca btl_vader_eager_limit 1 -x A=2 -q");
        let changes = [
            Change::Option { option: "--bind-to".into(), value: "none".into() },
            set("OMPI_MCA_btl_vader_eager_limit", "65536"),
            Change::WithoutOption { option: "-x".into(), name: "A".into() },
            set("UCX_TLS", "a b"),
        ];
        let start = Start::new(&launcher, Some(Family::OpenMpi), &changes);
        assert_eq!(start.words, ["mpirun", "-q", "--bind-to", "none"]);
        assert_eq!(start.handing(), ["-x", "UCX_TLS"]);
        assert_eq!(start.as_options()[4..], ["--mca", "btl_vader_eager_limit", "65536", "-x", "UCX_TLS=a b"]);
        assert_eq!(start.before(), [""; 0]);
        let shell = start.shell(|value| format!("'{value}'"));
        assert_eq!(shell, "export OMPI_MCA_btl_vader_eager_limit='65536'\nexport UCX_TLS='a b'\n");
    }

    #[test]
    fn what_a_launcher_cannot_express_is_before_it() {
        let changes = [
            Change::Unset { variable: "UCX_TLS".into() },
            set("A", "1"),
            Change::Preload { library: "/l/y.so".into() },
        ];
        let hydra = Start::new(&words("mpiexec.hydra"), Some(Family::Mpich), &changes);
        assert_eq!(hydra.before(), ["env", "-u", "UCX_TLS", "LD_PRELOAD=/l/y.so"]);
        assert_eq!(hydra.as_options(), ["mpiexec.hydra", "-genv", "A", "1"]);
        let srun = Start::new(&words("srun"), Some(Family::Mpich), &changes);
        assert_eq!(srun.before(), ["env", "-u", "UCX_TLS", "A=1", "LD_PRELOAD=/l/y.so"]);
        assert_eq!(srun.as_options(), ["srun"]);
    }
}
