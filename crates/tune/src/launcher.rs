//! What the words of a launcher set, and which variables it hands to ranks on other hosts.

use crate::setting::{Setting, Source};

/// Which variables of its environment a launcher hands to ranks on other hosts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Handed {
    /// All of them.
    All,
    /// Those of Open MPI; others only by `-x`.
    OpenMpi,
    /// Only those that its options name.
    Named,
}

/// What the words of a launcher mean for variables.
#[derive(Debug, Clone)]
pub struct Words {
    /// Values that they set.
    pub settings: Vec<Setting>,
    /// Files that they name, with their option.
    pub files: Vec<(String, String)>,
    /// Variables that they hand over.
    pub exported: Vec<String>,
    /// What happens with all others.
    pub handed: Handed,
    /// Its options that hand a variable over, for advice.
    pub export_option: &'static str,
}

/// Options with a name and a value.
const PAIRS: [&str; 10] =
    ["--mca", "-mca", "--gmca", "-gmca", "--omca", "--prtemca", "--pmixmca", "-genv", "-env", "--pmca"];
/// Options with a file of parameters.
const FILES: [&str; 4] = ["-am", "--am", "--tune", "-tune"];

impl Words {
    /// Of Open MPI's launcher, of Hydra, of srun, or of an unknown one.
    pub fn read(words: &[String], is_open_mpi: bool) -> Self {
        let name = words.first().map(|word| word.rsplit('/').next().unwrap_or(word)).unwrap_or_default();
        let is_srun = name == "srun";
        let mut found = Self {
            settings: Vec::new(),
            files: Vec::new(),
            exported: Vec::new(),
            handed: if is_open_mpi && !is_srun { Handed::OpenMpi } else { Handed::All },
            export_option: if is_srun {
                "--export"
            } else if is_open_mpi {
                "-x"
            } else {
                "-genvlist"
            },
        };
        let mut rest = words.iter().skip(1);
        while let Some(word) = rest.next() {
            let (option, joined) = match word.split_once('=') {
                Some((option, value)) if option.starts_with("--") => (option, Some(value.to_owned())),
                _ => (word.as_str(), None),
            };
            if PAIRS.contains(&option) {
                if let (Some(name), Some(value)) = (rest.next(), rest.next()) {
                    found.set(option, name, value);
                }
            } else if FILES.contains(&option) {
                let list = joined.or_else(|| rest.next().cloned()).unwrap_or_default();
                found.files.extend(list.split([',', ':']).map(|file| (option.to_owned(), file.to_owned())));
            } else if option == "-x" {
                let text = rest.next().cloned().unwrap_or_default();
                match text.split_once('=') {
                    Some((name, value)) => found.set(option, name, value),
                    None => found.exported.push(text),
                }
            } else if matches!(option, "-genvlist" | "-envlist") {
                found.handed = Handed::Named;
                let list = rest.next().cloned().unwrap_or_default();
                found.exported.extend(list.split(',').map(Into::into));
            } else if matches!(option, "-genvnone" | "-envnone") {
                found.handed = Handed::Named;
            } else if option == "--export" && is_srun {
                let list = joined.or_else(|| rest.next().cloned()).unwrap_or_default();
                found.export_list(&list);
            }
        }
        found
    }

    /// Slurm's list: `ALL`, `NONE`, or names with optional values.
    fn export_list(&mut self, list: &str) {
        let parts: Vec<&str> = list.split(',').collect();
        self.handed = if parts.contains(&"ALL") { Handed::All } else { Handed::Named };
        for part in parts {
            match part.split_once('=') {
                Some((name, value)) => self.set("--export", name, value),
                None => self.exported.push(part.to_owned()),
            }
        }
    }

    fn set(&mut self, option: &str, name: &str, value: &str) {
        self.exported.push(name.to_owned());
        self.settings.push(Setting {
            name: name.to_owned(),
            value: value.to_owned(),
            source: Source::Launcher { option: option.to_owned() },
        });
    }

    /// Whether ranks on other hosts get this variable of the environment.
    pub fn hands_over(&self, name: &str) -> bool {
        let is_open_mpi = ["OMPI_", "PMIX_", "PRTE_"].iter().any(|prefix| name.starts_with(prefix));
        self.exported.iter().any(|known| known == name)
            || match self.handed {
                Handed::All => true,
                Handed::OpenMpi => is_open_mpi,
                Handed::Named => false,
            }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str, is_open_mpi: bool) -> Words {
        let words: Vec<String> = line.split(' ').map(Into::into).collect();
        Words::read(&words, is_open_mpi)
    }

    #[test]
    fn options_of_open_mpi_set_parameters_and_hand_over() {
        let words = read("mpirun --mca btl tcp,self -x UCX_TLS -x A=b --tune f1,f2 -n 4", true);
        let pairs: Vec<_> = words.settings.iter().map(|set| (set.name.as_str(), set.value.as_str())).collect();
        assert_eq!(pairs, [("btl", "tcp,self"), ("A", "b")]);
        assert_eq!(words.files.len(), 2);
        assert!(words.hands_over("UCX_TLS") && words.hands_over("OMPI_MCA_btl") && words.hands_over("A"));
        assert!(!words.hands_over("UCX_NET_DEVICES"));
    }

    #[test]
    fn hydra_and_slurm_hand_over_everything_unless_told_otherwise() {
        assert!(read("mpiexec -n 4", false).hands_over("UCX_TLS"));
        assert!(!read("mpiexec -genvnone", false).hands_over("UCX_TLS"));
        assert!(read("mpiexec -genvlist A,UCX_TLS", false).hands_over("UCX_TLS"));
        assert!(read("srun --mpi=pmix", true).hands_over("UCX_TLS"));
        assert!(!read("srun --export=NONE", true).hands_over("OMPI_MCA_btl"));
        assert!(read("srun --export=ALL,X=1", true).hands_over("UCX_TLS"));
    }
}
