//! Whose variable it is.

use serde::{Deserialize, Serialize};

/// The MPI, the launcher or the library that reads a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Family {
    /// MCA parameters of Open MPI.
    OpenMpi,
    /// MPICH and its launcher Hydra.
    Mpich,
    /// Cray MPICH: HPE's, of which the oldest is that of the XT.
    CrayMpich,
    /// Intel MPI.
    Intel,
    /// MVAPICH2 and MVAPICH.
    Mvapich,
    /// Fujitsu MPI: Open MPI with components for Tofu.
    Fujitsu,
    /// Sun MPI, which is history; its ideas have other names today.
    SunMpi,
    /// IBM's MPIs for Blue Gene, which are history, too.
    BlueGene,
    /// PMIx.
    Pmix,
    /// The launcher of Open MPI 5.
    Prrte,
    /// Slurm.
    Slurm,
    /// UCX.
    Ucx,
    /// libfabric.
    Libfabric,
    /// Omni-Path's PSM2.
    Psm2,
    /// HCOLL and SHARP.
    Hcoll,
    /// NCCL and RCCL, where an MPI uses them.
    Nccl,
    /// OpenMP runtimes.
    OpenMp,
    /// The C library's malloc and huge pages.
    Memory,
}

impl Family {
    /// All of them, the MPIs first.
    pub const ALL: [Self; 18] = [
        Self::OpenMpi,
        Self::Mpich,
        Self::CrayMpich,
        Self::Intel,
        Self::Mvapich,
        Self::Fujitsu,
        Self::SunMpi,
        Self::BlueGene,
        Self::Pmix,
        Self::Prrte,
        Self::Slurm,
        Self::Ucx,
        Self::Libfabric,
        Self::Psm2,
        Self::Hcoll,
        Self::Nccl,
        Self::OpenMp,
        Self::Memory,
    ];

    /// As people write it.
    pub fn title(self) -> &'static str {
        match self {
            Self::OpenMpi => "Open MPI",
            Self::Mpich => "MPICH",
            Self::CrayMpich => "Cray MPICH",
            Self::Intel => "Intel MPI",
            Self::Mvapich => "MVAPICH",
            Self::Fujitsu => "Fujitsu MPI",
            Self::SunMpi => "Sun MPI",
            Self::BlueGene => "MPI of Blue Gene",
            Self::Pmix => "PMIx",
            Self::Prrte => "PRRTE",
            Self::Slurm => "Slurm",
            Self::Ucx => "UCX",
            Self::Libfabric => "libfabric",
            Self::Psm2 => "PSM2",
            Self::Hcoll => "HCOLL",
            Self::Nccl => "NCCL",
            Self::OpenMp => "OpenMP",
            Self::Memory => "memory of the C library",
        }
    }

    /// As on the command line: `openmpi`, `cray-mpich`.
    pub fn word(self) -> &'static str {
        match self {
            Self::OpenMpi => "openmpi",
            Self::Mpich => "mpich",
            Self::CrayMpich => "cray-mpich",
            Self::Intel => "intel",
            Self::Mvapich => "mvapich",
            Self::Fujitsu => "fujitsu",
            Self::SunMpi => "sun",
            Self::BlueGene => "bluegene",
            Self::Pmix => "pmix",
            Self::Prrte => "prrte",
            Self::Slurm => "slurm",
            Self::Ucx => "ucx",
            Self::Libfabric => "libfabric",
            Self::Psm2 => "psm2",
            Self::Hcoll => "hcoll",
            Self::Nccl => "nccl",
            Self::OpenMp => "openmp",
            Self::Memory => "memory",
        }
    }

    /// The family of a word; a dash more or less does not matter.
    pub fn by_word(word: &str) -> Option<Self> {
        let plain = |text: &str| text.replace(['-', '_', ' '], "").to_ascii_lowercase();
        let wanted = plain(word);
        Self::ALL.into_iter().find(|family| plain(family.word()) == wanted || plain(family.title()) == wanted)
    }

    /// Whether it is an MPI, of which a program uses one.
    pub fn is_mpi(self) -> bool {
        self <= Self::BlueGene
    }

    /// Whether variables of this family are read when `mpi` is used.
    pub fn is_read_by(self, mpi: Self) -> bool {
        self == mpi
            || match self {
                // Other libraries may be below any MPI.
                _ if !self.is_mpi() => !matches!(self, Self::Prrte) || mpi == Self::OpenMpi,
                Self::Mpich => matches!(mpi, Self::CrayMpich | Self::Intel | Self::Mvapich),
                Self::OpenMpi => mpi == Self::Fujitsu,
                _ => false,
            }
    }
}
