//! What the program says about itself: regions, markers, values.
//!
//! They are recorded like calls, with functions of their own that no MPI has. Their ids are multiples
//! of 4096, so that no table of MPI functions takes them for one of its own.
//!
//! * A **region** is a node of a tree: a name inside another region. Its record is written when it ends, with its
//!   whole duration; `Shape::region` is the region itself. Records of what happened inside come before.
//!   Regions still open stand in [`crate::layout::ThreadHeader::open_regions`].
//! * A **marker** has no duration. `Shape::op` is the id of its [`crate::defs::Definition::Label`].
//! * A **value** is a marker with a number, which follows as the record's offset: an integer as it
//!   is, a double by [`from_f64`], a text as the id of a label.
//!
//! `Shape::region` of everything else is the innermost region at that moment.

/// Function of a region.
pub const REGION: u32 = 0x1000;
/// Function of a marker.
pub const MARKER: u32 = 0x2000;
/// Function of a value that is an integer.
pub const VALUE_I64: u32 = 0x3000;
/// Function of a value that is a double.
pub const VALUE_F64: u32 = 0x4000;
/// Function of a value that is a text.
pub const VALUE_TEXT: u32 = 0x5000;
/// Function of a record with requests of the call after it, see [`crate::shape::flag::AHEAD`]. No reader shows it.
pub const REQUESTS_AHEAD: u32 = 0x6000;

/// Whether a function id is one of these.
pub const fn is_annotation(function: u32) -> bool {
    function != 0 && function & 0xfff == 0
}

/// The source of a [`crate::defs::Definition::Region`].
pub mod source {
    /// `mpiscope.h`, the Fortran or the Python module.
    pub const MPISCOPE: u32 = 0;
    /// NVTX ranges and marks.
    pub const NVTX: u32 = 1;
    /// Kokkos kernels, regions and deep copies.
    pub const KOKKOS: u32 = 2;
    /// Caliper's regions.
    pub const CALIPER: u32 = 3;
    /// `MPI_Pcontrol`.
    pub const PCONTROL: u32 = 4;
    /// Performance variables of the MPI.
    pub const MPI_T: u32 = 5;

    /// Its name.
    pub const fn name(source: u32) -> &'static str {
        match source {
            MPISCOPE => "mpiscope",
            NVTX => "nvtx",
            KOKKOS => "kokkos",
            CALIPER => "caliper",
            PCONTROL => "pcontrol",
            MPI_T => "mpi_t",
            _ => "unknown",
        }
    }
}

/// A double as an integer whose varint is short for round numbers: their low bits are zero.
pub const fn from_f64(value: f64) -> i64 {
    crate::varint::unzigzag(value.to_bits().swap_bytes())
}

/// The inverse of [`from_f64`].
pub const fn to_f64(value: i64) -> f64 {
    f64::from_bits(crate::varint::zigzag(value).swap_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubles_come_back_and_round_ones_are_short() {
        for value in [0.0, 1.0, -1.5, 1e300, f64::MIN_POSITIVE, std::f64::consts::PI, f64::INFINITY] {
            assert_eq!(to_f64(from_f64(value)).to_bits(), value.to_bits());
        }
        assert!(crate::varint::zigzag(from_f64(-1.5)) < 1 << 16);
        assert!([REGION, MARKER, VALUE_I64, VALUE_F64, VALUE_TEXT, REQUESTS_AHEAD].into_iter().all(is_annotation));
        assert!(!is_annotation(0) && !is_annotation(37));
    }
}
