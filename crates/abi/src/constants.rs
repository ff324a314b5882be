//! Constants of each ABI family.
//!
//! Sources: `mpi.h` of MPICH 4.0–5.0 and of Intel MPI (equal since the MPICH ABI initiative), of
//! Open MPI 4.1–5.0, and MPI-5.0 §20 (standard ABI).

/// Which layout a library has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Family {
    /// MPICH and its derivatives (Intel, MVAPICH, Cray, ParaStation): handles are `int`.
    Mpich = 1,
    /// Open MPI and its derivatives: handles are pointers.
    OpenMpi = 2,
    /// The standard ABI of MPI-5.0: handles are pointer-sized, constants are fixed.
    Standard = 3,
}

impl Family {
    /// The family of a library, by the symbols that it defines. `is_standard`: its `PMPI_Abi_get_version` returns a version.
    pub fn of(is_standard: bool, defines: impl Fn(&str) -> bool) -> Family {
        match is_standard {
            true => Family::Standard,
            false if defines("ompi_mpi_comm_world") => Family::OpenMpi,
            false => Family::Mpich,
        }
    }
}

/// Where source, tag and error stand in a status, and how long it is.
#[derive(Clone, Copy, Debug)]
pub struct StatusLayout {
    /// `sizeof(MPI_Status)`.
    pub size: usize,
    /// Offset of `MPI_SOURCE`.
    pub source: usize,
    /// Offset of `MPI_TAG`.
    pub tag: usize,
    /// Offset of `MPI_ERROR`.
    pub error: usize,
}

/// What recording needs to know of a family.
#[derive(Clone, Copy, Debug)]
pub struct Constants {
    /// Which family.
    pub family: Family,
    /// Handles are 32-bit integers.
    pub int_handles: bool,
    /// Layout of a status.
    pub status: StatusLayout,
    /// `MPI_ANY_SOURCE`.
    pub any_source: i32,
    /// `MPI_ANY_TAG`.
    pub any_tag: i32,
    /// `MPI_PROC_NULL`.
    pub proc_null: i32,
    /// `MPI_ROOT`.
    pub root: i32,
    /// `MPI_UNDEFINED`.
    pub undefined: i32,
    /// `MPI_IN_PLACE` in C.
    pub in_place: usize,
    /// `MPI_STATUS_IGNORE` in C.
    pub status_ignore: usize,
    /// `MPI_STATUSES_IGNORE` in C.
    pub statuses_ignore: usize,
    /// `MPI_COMM_WORLD` where it is a constant.
    pub comm_world: usize,
    /// `MPI_COMM_SELF` where it is a constant.
    pub comm_self: usize,
    /// `MPI_COMM_NULL` where it is a constant.
    pub comm_null: usize,
    /// `MPI_REQUEST_NULL` where it is a constant.
    pub request_null: usize,
    /// `MPI_DATATYPE_NULL` where it is a constant.
    pub datatype_null: usize,
    /// `MPI_BYTE` where it is a constant.
    pub byte: usize,
    /// `MPI_CART`, `MPI_GRAPH`, `MPI_DIST_GRAPH`.
    pub topologies: [i32; 3],
    /// `MPI_MAX_OBJECT_NAME`.
    pub max_object_name: usize,
    /// `MPI_THREAD_SINGLE` to `MPI_THREAD_MULTIPLE`.
    pub thread_levels: [i32; 4],
}

impl Constants {
    /// The constants of a family. `address` looks up a symbol: Open MPI's handles are addresses. It is called for no other
    /// family.
    pub fn of(family: Family, address: impl Fn(&str) -> usize) -> Constants {
        match family {
            Family::Mpich => MPICH,
            Family::Standard => STANDARD,
            Family::OpenMpi => Constants {
                comm_world: address("ompi_mpi_comm_world"),
                comm_self: address("ompi_mpi_comm_self"),
                comm_null: address("ompi_mpi_comm_null"),
                request_null: address("ompi_request_null"),
                datatype_null: address("ompi_mpi_datatype_null"),
                byte: address("ompi_mpi_byte"),
                ..OPEN_MPI
            },
        }
    }
}

/// MPICH family.
pub const MPICH: Constants = Constants {
    family: Family::Mpich,
    int_handles: true,
    status: StatusLayout { size: 20, source: 8, tag: 12, error: 16 },
    any_source: -2,
    any_tag: -1,
    proc_null: -1,
    root: -3,
    undefined: -32766,
    in_place: usize::MAX,
    status_ignore: 1,
    statuses_ignore: 1,
    comm_world: 0x4400_0000,
    comm_self: 0x4400_0001,
    comm_null: 0x0400_0000,
    request_null: 0x2c00_0000,
    datatype_null: 0x0c00_0000,
    byte: 0x4c00_010d,
    topologies: [2, 1, 3],
    max_object_name: 128,
    thread_levels: [0, 1, 2, 3],
};

/// Open MPI. Handles are addresses of symbols, looked up at run time.
pub const OPEN_MPI: Constants = Constants {
    family: Family::OpenMpi,
    int_handles: false,
    status: StatusLayout { size: 24, source: 0, tag: 4, error: 8 },
    any_source: -1,
    any_tag: -1,
    proc_null: -2,
    root: -4,
    undefined: -32766,
    in_place: 1,
    status_ignore: 0,
    statuses_ignore: 0,
    comm_world: 0,
    comm_self: 0,
    comm_null: 0,
    request_null: 0,
    datatype_null: 0,
    byte: 0,
    topologies: [1, 2, 3],
    max_object_name: 64,
    thread_levels: [0, 1, 2, 3],
};

/// Standard ABI (MPI-5.0 §20.3).
pub const STANDARD: Constants = Constants {
    family: Family::Standard,
    int_handles: false,
    status: StatusLayout { size: 32, source: 0, tag: 4, error: 8 },
    any_source: -1,
    any_tag: -2,
    proc_null: -3,
    root: -4,
    undefined: -32766,
    in_place: 1,
    status_ignore: 0,
    statuses_ignore: 0,
    comm_world: 0x101,
    comm_self: 0x102,
    comm_null: 0x100,
    request_null: 0x180,
    datatype_null: 0x200,
    byte: 0x247,
    topologies: [211, 212, 213],
    max_object_name: 128,
    thread_levels: [0, 1024, 2048, 4096],
};
