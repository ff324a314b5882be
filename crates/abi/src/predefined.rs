//! Predefined datatypes and operations: name, MPICH handle, standard-ABI handle, Open MPI symbol.
//!
//! Sources as in [`crate::constants`]. A handle of 0 or an empty symbol: that family lacks it.

/// One predefined object.
#[derive(Clone, Copy, Debug)]
pub struct Predefined {
    /// Standard name.
    pub name: &'static str,
    /// Handle in the MPICH family.
    pub mpich: u32,
    /// Handle in the standard ABI.
    pub standard: u32,
    /// Symbol whose address is the handle in Open MPI.
    pub open_mpi: &'static str,
    /// Size of a datatype on x86-64 and aarch64 Linux, bytes. Never asked for at run time: a library
    /// may abort when it is asked about a handle that only its other versions have.
    pub size: u64,
}

const fn p(name: &'static str, mpich: u32, standard: u32, open_mpi: &'static str) -> Predefined {
    t(name, mpich, standard, open_mpi, 0)
}

const fn t(name: &'static str, mpich: u32, standard: u32, open_mpi: &'static str, size: u64) -> Predefined {
    Predefined { name, mpich, standard, open_mpi, size }
}

/// See the module.
pub static DATATYPES: [Predefined; 77] = [
    t("MPI_AINT", 0x4c000843, 0x201, "ompi_mpi_aint", 8),
    t("MPI_COUNT", 0x4c000845, 0x202, "ompi_mpi_count", 8),
    t("MPI_OFFSET", 0x4c000844, 0x203, "ompi_mpi_offset", 8),
    t("MPI_PACKED", 0x4c00010f, 0x207, "ompi_mpi_packed", 1),
    t("MPI_SHORT", 0x4c000203, 0x208, "ompi_mpi_short", 2),
    t("MPI_INT", 0x4c000405, 0x209, "ompi_mpi_int", 4),
    t("MPI_LONG", 0x4c000807, 0x20a, "ompi_mpi_long", 8),
    t("MPI_LONG_LONG", 0x0, 0x20b, "ompi_mpi_long_long_int", 8),
    t("MPI_UNSIGNED_SHORT", 0x4c000204, 0x20c, "ompi_mpi_unsigned_short", 2),
    t("MPI_UNSIGNED", 0x4c000406, 0x20d, "ompi_mpi_unsigned", 4),
    t("MPI_UNSIGNED_LONG", 0x4c000808, 0x20e, "ompi_mpi_unsigned_long", 8),
    t("MPI_UNSIGNED_LONG_LONG", 0x4c000819, 0x20f, "ompi_mpi_unsigned_long_long", 8),
    t("MPI_FLOAT", 0x4c00040a, 0x210, "ompi_mpi_float", 4),
    t("MPI_C_FLOAT_COMPLEX", 0x4c000840, 0x212, "ompi_mpi_c_float_complex", 8),
    t("MPI_CXX_FLOAT_COMPLEX", 0x4c000834, 0x213, "ompi_mpi_cxx_cplex", 8),
    t("MPI_DOUBLE", 0x4c00080b, 0x214, "ompi_mpi_double", 8),
    t("MPI_C_DOUBLE_COMPLEX", 0x4c001041, 0x216, "ompi_mpi_c_double_complex", 16),
    t("MPI_CXX_DOUBLE_COMPLEX", 0x4c001035, 0x217, "ompi_mpi_cxx_dblcplex", 16),
    t("MPI_LOGICAL", 0x4c00041d, 0x218, "ompi_mpi_logical", 4),
    t("MPI_INTEGER", 0x4c00041b, 0x219, "ompi_mpi_integer", 4),
    t("MPI_REAL", 0x4c00041c, 0x21a, "ompi_mpi_real", 4),
    t("MPI_COMPLEX", 0x4c00081e, 0x21b, "ompi_mpi_cplex", 8),
    t("MPI_DOUBLE_PRECISION", 0x4c00081f, 0x21c, "ompi_mpi_dblprec", 8),
    t("MPI_DOUBLE_COMPLEX", 0x4c001022, 0x21d, "ompi_mpi_dblcplex", 16),
    t("MPI_CHARACTER", 0x4c00011a, 0x21e, "ompi_mpi_character", 1),
    t("MPI_LONG_DOUBLE", 0x4c00100c, 0x220, "ompi_mpi_long_double", 16),
    t("MPI_C_LONG_DOUBLE_COMPLEX", 0x4c002042, 0x224, "ompi_mpi_c_long_double_complex", 32),
    t("MPI_CXX_LONG_DOUBLE_COMPLEX", 0x4c002036, 0x225, "ompi_mpi_cxx_ldblcplex", 32),
    t("MPI_FLOAT_INT", 0x8c000000, 0x228, "ompi_mpi_float_int", 8),
    t("MPI_DOUBLE_INT", 0x8c000001, 0x229, "ompi_mpi_double_int", 12),
    t("MPI_LONG_INT", 0x8c000002, 0x22a, "ompi_mpi_long_int", 12),
    t("MPI_2INT", 0x4c000816, 0x22b, "ompi_mpi_2int", 8),
    t("MPI_SHORT_INT", 0x8c000003, 0x22c, "ompi_mpi_short_int", 6),
    t("MPI_LONG_DOUBLE_INT", 0x8c000004, 0x22d, "ompi_mpi_longdbl_int", 20),
    t("MPI_2REAL", 0x4c000821, 0x230, "ompi_mpi_2real", 8),
    t("MPI_2DOUBLE_PRECISION", 0x4c001023, 0x231, "ompi_mpi_2dblprec", 16),
    t("MPI_2INTEGER", 0x4c000820, 0x232, "ompi_mpi_2integer", 8),
    t("MPI_C_BOOL", 0x4c00013f, 0x238, "ompi_mpi_c_bool", 1),
    t("MPI_CXX_BOOL", 0x4c000133, 0x239, "ompi_mpi_cxx_bool", 1),
    t("MPI_WCHAR", 0x4c00040e, 0x23c, "ompi_mpi_wchar", 4),
    t("MPI_INT8_T", 0x4c000137, 0x240, "ompi_mpi_int8_t", 1),
    t("MPI_UINT8_T", 0x4c00013b, 0x241, "ompi_mpi_uint8_t", 1),
    t("MPI_CHAR", 0x4c000101, 0x243, "ompi_mpi_char", 1),
    t("MPI_SIGNED_CHAR", 0x4c000118, 0x244, "ompi_mpi_signed_char", 1),
    t("MPI_UNSIGNED_CHAR", 0x4c000102, 0x245, "ompi_mpi_unsigned_char", 1),
    t("MPI_BYTE", 0x4c00010d, 0x247, "ompi_mpi_byte", 1),
    t("MPI_INT16_T", 0x4c000238, 0x248, "ompi_mpi_int16_t", 2),
    t("MPI_UINT16_T", 0x4c00023c, 0x249, "ompi_mpi_uint16_t", 2),
    t("MPI_INT32_T", 0x4c000439, 0x250, "ompi_mpi_int32_t", 4),
    t("MPI_UINT32_T", 0x4c00043d, 0x251, "ompi_mpi_uint32_t", 4),
    t("MPI_INT64_T", 0x4c00083a, 0x258, "ompi_mpi_int64_t", 8),
    t("MPI_UINT64_T", 0x4c00083e, 0x259, "ompi_mpi_uint64_t", 8),
    t("MPI_LOGICAL1", 0x4c000147, 0x2c0, "ompi_mpi_logical1", 1),
    t("MPI_INTEGER1", 0x4c00012d, 0x2c1, "ompi_mpi_integer1", 1),
    t("MPI_LOGICAL2", 0x4c000248, 0x2c8, "ompi_mpi_logical2", 2),
    t("MPI_INTEGER2", 0x4c00022f, 0x2c9, "ompi_mpi_integer2", 2),
    t("MPI_REAL2", 0x4c000226, 0x2ca, "", 2),
    t("MPI_LOGICAL4", 0x4c000449, 0x2d0, "ompi_mpi_logical4", 4),
    t("MPI_INTEGER4", 0x4c000430, 0x2d1, "ompi_mpi_integer4", 4),
    t("MPI_REAL4", 0x4c000427, 0x2d2, "ompi_mpi_real4", 4),
    t("MPI_COMPLEX4", 0x4c00042e, 0x2d3, "", 4),
    t("MPI_LOGICAL8", 0x4c00084a, 0x2d8, "ompi_mpi_logical8", 8),
    t("MPI_INTEGER8", 0x4c000831, 0x2d9, "ompi_mpi_integer8", 8),
    t("MPI_REAL8", 0x4c000829, 0x2da, "ompi_mpi_real8", 8),
    t("MPI_COMPLEX8", 0x4c000828, 0x2db, "ompi_mpi_complex8", 8),
    t("MPI_LOGICAL16", 0x4c00104b, 0x2e0, "", 16),
    t("MPI_INTEGER16", 0x4c001032, 0x2e1, "ompi_mpi_integer16", 16),
    t("MPI_REAL16", 0x4c00102b, 0x2e2, "ompi_mpi_real16", 16),
    t("MPI_COMPLEX16", 0x4c00102a, 0x2e3, "ompi_mpi_complex16", 16),
    t("MPI_COMPLEX32", 0x4c00202c, 0x2eb, "ompi_mpi_complex32", 32),
    t("MPI_LONG_LONG_INT", 0x4c000809, 0x0, "ompi_mpi_long_long_int", 8),
    t("MPI_LB", 0x4c000010, 0x0, "", 0),
    t("MPI_UB", 0x4c000011, 0x0, "", 0),
    t("MPI_2COMPLEX", 0x4c001024, 0x0, "ompi_mpi_2cplex", 16),
    t("MPI_2DOUBLE_COMPLEX", 0x4c002025, 0x0, "ompi_mpi_2dblcplex", 32),
    t("MPI_C_COMPLEX", 0x0, 0x0, "ompi_mpi_c_float_complex", 8),
    t("MPI_CXX_COMPLEX", 0x0, 0x0, "ompi_mpi_cxx_cplex", 8),
];

/// See the module.
pub static OPS: [Predefined; 14] = [
    p("MPI_SUM", 0x58000003, 0x21, "ompi_mpi_op_sum"),
    p("MPI_MIN", 0x58000002, 0x22, "ompi_mpi_op_min"),
    p("MPI_MAX", 0x58000001, 0x23, "ompi_mpi_op_max"),
    p("MPI_PROD", 0x58000004, 0x24, "ompi_mpi_op_prod"),
    p("MPI_BAND", 0x58000006, 0x28, "ompi_mpi_op_band"),
    p("MPI_BOR", 0x58000008, 0x29, "ompi_mpi_op_bor"),
    p("MPI_BXOR", 0x5800000a, 0x2a, "ompi_mpi_op_bxor"),
    p("MPI_LAND", 0x58000005, 0x30, "ompi_mpi_op_land"),
    p("MPI_LOR", 0x58000007, 0x31, "ompi_mpi_op_lor"),
    p("MPI_LXOR", 0x58000009, 0x32, "ompi_mpi_op_lxor"),
    p("MPI_MINLOC", 0x5800000b, 0x38, "ompi_mpi_op_minloc"),
    p("MPI_MAXLOC", 0x5800000c, 0x39, "ompi_mpi_op_maxloc"),
    p("MPI_REPLACE", 0x5800000d, 0x3c, "ompi_mpi_op_replace"),
    p("MPI_NO_OP", 0x5800000e, 0x3d, "ompi_mpi_op_no_op"),
];

