//! What an unknown handle can be: null, invalid, or an object that mpiscope has not seen.

use std::sync::atomic::{AtomicUsize, Ordering};

use mpiscope_abi::Family;
use mpiscope_abi::spec::class;

use crate::elf;
use crate::mpi::{self, Mpi};

/// Number of classes of handles.
pub const CLASSES: usize = class::KEYVAL as usize + 1;

/// Properties of this process's MPI that concern handles.
pub struct Families {
    family: Family,
    /// The standard ABI on MPICH or a derivative, whose handles are then addresses of its objects.
    is_mpich: bool,
    /// Null handle by class.
    nulls: [u64; CLASSES],
    /// Predefined handles that the program may pass and free although it did not create them: the empty group, the environment's
    /// info.
    others: Vec<u64>,
    /// Open MPI: the class descriptor to which each object points; 0 where the library has none.
    classes: [u64; CLASSES],
    /// Functions that convert Fortran handles to C.
    f2c: [usize; CLASSES],
    /// Addresses that mean `MPI_BOTTOM` in Fortran.
    pub fortran_bottom: [u64; 3],
}

const NAMES: [&str; CLASSES] =
    ["", "Comm", "Group", "Type", "Op", "Win", "File", "Info", "Errhandler", "Request", "Message", "Session", ""];
const OPEN_MPI_NULLS: [&str; CLASSES] = [
    "",
    "ompi_mpi_comm_null",
    "ompi_mpi_group_null",
    "ompi_mpi_datatype_null",
    "ompi_mpi_op_null",
    "ompi_mpi_win_null",
    "ompi_mpi_file_null",
    "ompi_mpi_info_null",
    "ompi_mpi_errhandler_null",
    "ompi_request_null",
    "ompi_message_null",
    "ompi_mpi_instance_null",
    "",
];
const OPEN_MPI_CLASSES: [&str; CLASSES] = [
    "",
    "ompi_communicator_t_class",
    "ompi_group_t_class",
    "ompi_datatype_t_class",
    "ompi_op_t_class",
    "ompi_win_t_class",
    "ompi_file_t_class",
    "ompi_info_t_class",
    "ompi_errhandler_t_class",
    "ompi_request_t_class",
    "ompi_message_t_class",
    "ompi_instance_t_class",
    "",
];
/// Most ancestors of a class of Open MPI.
const MOST_ANCESTORS: usize = 16;
/// MPICH: kinds of objects in bits 26 to 29; a null handle has no other bits.
const MPICH_KINDS: [u64; CLASSES] = [0, 1, 2, 3, 6, 8, 0, 7, 5, 11, 11, 14, 9];
const STANDARD_NULLS: [u64; CLASSES] =
    [0, 0x100, 0x108, 0x200, 0x20, 0x110, 0x118, 0x130, 0x140, 0x180, 0x128, 0x120, 0];

/// The meaning of a handle that is in no table.
pub enum Strange {
    /// A possible handle of an object that mpiscope has not seen.
    Possible,
    /// The null handle of its class.
    Null,
    /// Invalid, with the reason.
    Impossible(&'static str),
}

impl Families {
    /// Reads the properties of this MPI.
    pub fn from_mpi(mpi: &Mpi) -> Families {
        let objects = elf::objects();
        let family = mpi.constants.family;
        let mut nulls = [0; CLASSES];
        for class in 1..CLASSES {
            nulls[class] = match family {
                Family::Mpich if class == usize::from(class::FILE) => 0,
                Family::Mpich => MPICH_KINDS[class] << 26,
                Family::Standard => STANDARD_NULLS[class],
                Family::OpenMpi if OPEN_MPI_NULLS[class].is_empty() => u64::MAX,
                Family::OpenMpi => match mpi::open_mpi_handle(&objects, &mpi.library, OPEN_MPI_NULLS[class]) {
                    0 => u64::MAX,
                    at => at as u64,
                },
            };
        }
        nulls[usize::from(class::KEYVAL)] = match family {
            Family::Mpich => 0x2400_0000,
            Family::OpenMpi => u64::from(-1i32 as u32),
            Family::Standard => 0,
        };
        let others = match family {
            Family::Mpich => vec![0x4800_0000, 0x5c00_0001, 0x6c00_0000],
            Family::Standard => vec![0x109, 0x131, 0x129],
            Family::OpenMpi => ["ompi_mpi_group_empty", "ompi_mpi_info_env", "ompi_message_no_proc"]
                .map(|name| mpi::open_mpi_handle(&objects, &mpi.library, name) as u64)
                .to_vec(),
        };
        let classes = OPEN_MPI_CLASSES.map(|name| match family {
            Family::OpenMpi if !name.is_empty() => mpi.library.defines(name).unwrap_or(0) as u64,
            _ => 0,
        });
        let f2c = std::array::from_fn(|class| match NAMES[class] {
            "" => 0,
            _ if mpi.constants.int_handles => 0,
            name => ["_fromint", "_f2c"].iter().find_map(|end| mpi.function(&format!("PMPI_{name}{end}"))).unwrap_or(0),
        });
        let own = mpi::own_range();
        let anywhere = |name: &str| {
            objects.iter().filter(|o| o.range != own).find_map(|o| o.defines(name)).map_or(u64::MAX, |at| at as u64)
        };
        Families {
            family,
            is_mpich: family == Family::Standard && mpi.library.defines("MPIR_Err_create_code").is_some(),
            nulls,
            others,
            classes,
            f2c,
            fortran_bottom: [anywhere("mpi_fortran_bottom_"), anywhere("mpipriv1_"), anywhere("MPIR_F08_MPI_BOTTOM")],
        }
    }

    /// The C handle for a Fortran handle.
    pub fn of_fortran(&self, class: u8, handle: i32) -> u64 {
        let address = self.f2c[usize::from(class)];
        if address == 0 {
            return u64::from(handle as u32);
        }
        // SAFETY: MPI_X MPI_X_f2c(MPI_Fint), both words.
        let convert: unsafe extern "C" fn(i32) -> u64 = unsafe { std::mem::transmute(address) };
        unsafe { convert(handle) }
    }

    /// The null handle of a class.
    pub fn null(&self, class: u8) -> u64 {
        self.nulls[usize::from(class)]
    }

    /// Whether the handle is one of the MPI's own objects that the program may use anywhere.
    pub fn is_predefined(&self, handle: u64) -> bool {
        self.others.contains(&handle) && handle != 0
    }

    /// Whether Open MPI may have an object of a class at an address: each begins with the address of its class, and a class
    /// (`opal_class_t`) with its name and its parent's address. (Where the library was built for debugging a number comes first.)
    fn is_object(&self, class: u8, handle: u64) -> bool {
        let wanted = self.classes[usize::from(class)];
        let descends = |first: u64| {
            let mut at = first;
            for _ in 0..MOST_ANCESTORS {
                if at == wanted {
                    return true;
                }
                match word_at(at.wrapping_add(8)) {
                    Word::Is(parent) => at = parent,
                    Word::NotThere => return false,
                    Word::Unknown => return true,
                }
            }
            false
        };
        match word_at(handle) {
            Word::Is(_) if wanted == 0 => true,
            Word::Is(first) => {
                descends(first) || matches!(word_at(handle.wrapping_add(8)), Word::Is(second) if descends(second))
            }
            Word::NotThere => false,
            Word::Unknown => true,
        }
    }

    /// Whether a key is that of a predefined attribute, such as `MPI_TAG_UB`.
    pub fn is_own_attribute(&self, key: u64) -> bool {
        match self.family {
            Family::Mpich => (key >> 30, key >> 26 & 15) == (1, MPICH_KINDS[usize::from(class::KEYVAL)]),
            // MPI_TAG_UB to MPI_WIN_MODEL.
            Family::OpenMpi => key < 12,
            Family::Standard => (501..=508).contains(&key) || (601..=605).contains(&key),
        }
    }

    /// Classifies a handle that is in no table.
    pub fn judge(&self, class: u8, handle: u64) -> Strange {
        if handle == self.null(class) {
            return Strange::Null;
        }
        match self.family {
            Family::Standard if self.is_mpich && class != class::KEYVAL && is_nowhere(handle) => {
                Strange::Impossible("never created")
            }
            Family::OpenMpi | Family::Standard if class != class::KEYVAL && handle == 0 => {
                Strange::Impossible("a null pointer")
            }
            Family::Mpich if !matches!(class, class::FILE | class::KEYVAL | class::SESSION) => {
                let kind = handle >> 26 & 15;
                match handle >> 30 & 3 {
                    0 => Strange::Impossible("never created"),
                    _ if kind != MPICH_KINDS[usize::from(class)] => Strange::Impossible("never created"),
                    _ => Strange::Possible,
                }
            }
            Family::OpenMpi if class != class::KEYVAL && (handle & 7 != 0 || !self.is_object(class, handle)) => {
                Strange::Impossible("never created")
            }
            _ => Strange::Possible,
        }
    }
}

/// Whether nothing is mapped at an address that is larger than 32 bits: some MPIs use small numbers as handles.
fn is_nowhere(handle: u64) -> bool {
    let is_number = i64::from(handle as i32) as u64 == handle || u64::from(handle as u32) == handle;
    !is_number && matches!(word_at(handle), Word::NotThere)
}

/// Result of reading eight bytes at an address by a system call.
enum Word {
    Is(u64),
    NotThere,
    /// The system call is not permitted.
    Unknown,
}

/// Reads eight bytes at an address that need not be mapped.
fn word_at(address: u64) -> Word {
    static PID: AtomicUsize = AtomicUsize::new(0);
    let mut pid = PID.load(Ordering::Relaxed);
    if pid == 0 {
        pid = std::process::id() as usize;
        PID.store(pid, Ordering::Relaxed);
    }
    let mut word = 0u64;
    let here = libc::iovec { iov_base: (&raw mut word).cast(), iov_len: 8 };
    let there = libc::iovec { iov_base: address as *mut libc::c_void, iov_len: 8 };
    // SAFETY: writes the local word; the kernel checks the other address.
    let got = unsafe { libc::process_vm_readv(pid as i32, &here, 1, &there, 1, 0) };
    // SAFETY: errno of this thread.
    match got {
        8 => Word::Is(word),
        _ if got < 0 && unsafe { *libc::__errno_location() } != libc::EFAULT => Word::Unknown,
        _ => Word::NotThere,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handles_of_mpich_under_the_standard_abi() {
        let families = |is_mpich| Families {
            family: Family::Standard,
            is_mpich,
            nulls: [0; CLASSES],
            others: Vec::new(),
            classes: [0; CLASSES],
            f2c: [0; CLASSES],
            fortran_bottom: [0; 3],
        };
        let impossible =
            |is_mpich, class, handle| matches!(families(is_mpich).judge(class, handle), Strange::Impossible(_));
        let (object, garbage) = ([0u64; 4], 0x5a5a_5a5a_5a5a_5a5a);
        assert!(impossible(true, class::REQUEST, garbage));
        // Of an object, a constant, a number, a key; and whatever another MPI has.
        assert!(!impossible(true, class::MESSAGE, object.as_ptr() as u64));
        assert!(!impossible(true, class::TYPE, 0x247) && !impossible(true, class::INFO, 0xffff_ffff_9c00_0000));
        assert!(!impossible(true, class::KEYVAL, garbage) && !impossible(false, class::REQUEST, garbage));
    }
}
