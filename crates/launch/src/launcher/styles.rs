//! The command lines of launchers, in one table. mpiscope passes everything to its ranks on the command line of `exec`, so
//! it needs no launcher options to export variables (`-x`, `--export`), and does not change how a launcher treats the
//! environment.

/// The command line of a launcher.
#[derive(Debug)]
pub struct Style {
    /// File names, without the part after a dot (`mpirun.mpich`).
    pub names: &'static [&'static str],
    /// Subcommands, one of which is required: `flux run`.
    pub subcommands: &'static [&'static str],
    /// The option for the number of ranks.
    pub ranks: &'static str,
    /// All options for the number of ranks; those that begin with `--` also with `=`.
    pub ranks_words: &'static [&'static str],
    /// Other options with an argument.
    pub valued: &'static [&'static str],
    /// Variables of a batch job from which it takes the number.
    pub decides_in: &'static [&'static str],
    /// Whether ranks start in the current directory.
    pub keeps_directory: bool,
    /// The documentation.
    pub source: &'static str,
}

const MPIRUN: Style = Style {
    names: &["mpirun", "mpiexec", "orterun", "prterun", "prun"],
    subcommands: &[],
    ranks: "-n",
    ranks_words: &["-n", "-np", "--np", "-c"],
    valued: &[
        "-host",
        "--host",
        "-hosts",
        "-H",
        "-f",
        "-hostfile",
        "--hostfile",
        "-machinefile",
        "--bind-to",
        "-bind-to",
        "--map-by",
        "-map-by",
        "--mca",
        "-mca",
        "-x",
        "-ppn",
        "-N",
        "-genv",
        "-env",
        "-wdir",
        "--wdir",
        "--prtemca",
        "--pmixmca",
    ],
    decides_in: &[],
    keeps_directory: true,
    source: "mpirun(1) of Open MPI, MPICH's Hydra user guide, HPE PALS mpiexec(1)",
};

/// The launchers with a command line of their own; the first is that of all others.
pub static STYLES: &[Style] = &[
    MPIRUN,
    Style { names: &["mpirun_rsh"], ranks: "-np", source: "MVAPICH2 user guide", ..MPIRUN },
    Style {
        names: &["srun"],
        // `-c` is the number of cores per rank. With only nodes, one rank runs on each.
        ranks_words: &["-n", "--ntasks", "-N", "--nodes", "--ntasks-per-node"],
        valued: &["-p", "-A", "-t", "-c", "-w", "-J", "-o", "-e", "-i", "-D", "-q", "-C", "-m", "--mpi", "--export"],
        decides_in: &["SLURM_NTASKS", "SLURM_STEP_NUM_TASKS"],
        source: "srun(1)",
        ..MPIRUN
    },
    Style {
        names: &["flux"],
        subcommands: &["run"],
        ranks_words: &["-n", "--ntasks", "-N", "--nodes", "--tasks-per-node"],
        valued: &["-c", "-g", "-t", "-q", "-B", "-o", "-x", "-l"],
        source: "flux-run(1)",
        ..MPIRUN
    },
    Style {
        names: &["aprun"],
        ranks_words: &["-n"],
        valued: &["-N", "-d", "-S", "-j", "-L", "-cc", "-e"],
        source: "aprun(1)",
        ..MPIRUN
    },
    Style {
        names: &["jsrun"],
        // `-n` counts resource sets.
        ranks: "-p",
        ranks_words: &["-n", "--nrs", "-p", "--np", "-a", "--tasks_per_rs"],
        valued: &["-c", "-g", "-r", "-d", "-b", "-l", "-E", "-h"],
        source: "jsrun(1)",
        ..MPIRUN
    },
    Style { names: &["ibrun"], source: "TACC user guides", decides_in: &["SLURM_NTASKS"], ..MPIRUN },
    Style {
        names: &["pbsdsh"],
        // `-n` selects one node; without a number there is one copy for each.
        ranks: "-c",
        ranks_words: &["-c", "-n"],
        valued: &["-h"],
        decides_in: &["PBS_JOBID"],
        // Programs start in the home directory.
        keeps_directory: false,
        source: "pbsdsh(1)",
        ..MPIRUN
    },
];

impl Style {
    /// The style of a launcher, by its file name.
    pub fn by_name(word: &str) -> Option<&'static Self> {
        let name = word.rsplit('/').next().unwrap_or(word);
        let named =
            |known: &&str| name.strip_prefix(*known).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
        STYLES.iter().find(|style| style.names.iter().any(named))
    }

    /// The style of an unknown launcher: the most common one.
    pub fn usual() -> &'static Self {
        &STYLES[0]
    }

    /// Whether these words, of which the first is the launcher, start a job.
    pub fn launches(&self, words: &[String]) -> bool {
        let wanted = |word: &String| self.subcommands.contains(&word.as_str());
        self.subcommands.is_empty() || words.iter().skip(1).any(wanted)
    }

    /// Whether a word is the option for the number of ranks; `Some(true)`: the number is the next word.
    pub fn says_ranks(&self, word: &str) -> Option<bool> {
        if self.ranks_words.contains(&word) {
            return Some(true);
        }
        let joined = |known: &&str| {
            let Some(rest) = word.strip_prefix(*known) else { return false };
            match known.starts_with("--") {
                true => rest.starts_with('='),
                // `-n4`, but `-np` is another option.
                false => known.len() == 2 && rest.parse::<u32>().is_ok(),
            }
        };
        self.ranks_words.iter().any(joined).then_some(false)
    }
}
