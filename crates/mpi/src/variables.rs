//! Control variables of the MPI, by its tool interface (MPI-5.0 §15.3).

use crate::calls::calls;
use crate::{Mpi, symbol};

calls! {
    ToolCalls;
    T_init_thread(required: i32, provided: *mut i32);
    T_cvar_get_num(count: *mut i32);
    T_cvar_get_index(name: *const u8, index: *mut i32);
    T_cvar_get_info(
        index: i32,
        name: *mut u8,
        name_length: *mut i32,
        verbosity: *mut i32,
        datatype: *mut usize,
        enumeration: *mut usize,
        text: *mut u8,
        text_length: *mut i32,
        bind: *mut i32,
        scope: *mut i32
    );
    T_cvar_handle_alloc(index: i32, object: *mut u8, handle: *mut usize, count: *mut i32);
    T_cvar_handle_free(handle: *mut usize);
    T_cvar_read(handle: usize, value: *mut u8);
    Type_size(datatype: usize, bytes: *mut i32);
}

/// Longest name of a control variable that is read.
const NAME_BYTES: usize = 512;
/// Longest value.
const VALUE_BYTES: usize = 4096;

/// Datatypes of control variables in Open MPI, with their sizes.
const OPEN_MPI_TYPES: [(&str, usize); 6] = [
    ("ompi_mpi_int", 4),
    ("ompi_mpi_unsigned", 4),
    ("ompi_mpi_unsigned_long", 8),
    ("ompi_mpi_unsigned_long_long", 8),
    ("ompi_mpi_count", 8),
    ("ompi_mpi_char", 1),
];

/// `MPI_T_BIND_NO_OBJECT`: in the MPICH family, and elsewhere.
const NOT_BOUND: [i32; 2] = [9700, 0];

impl Mpi {
    /// The control variables of these names that this MPI has, as far as they are whole numbers. Open MPI needs 0.2 s, as it opens all its components.
    /// The tool interface stays open: MPICH 4.1 to 4.3 fail in later reductions once it was closed.
    pub fn control_variables(&self, names: &[&'static str]) -> Vec<(&'static str, i64)> {
        let Ok(calls) = ToolCalls::find(|name| symbol(libc::RTLD_DEFAULT, name)) else { return Vec::new() };
        let mut level = 0;
        // SAFETY: the address is writable.
        if unsafe { (calls.T_init_thread)(0, &mut level) } != 0 {
            return Vec::new();
        }
        names.iter().filter_map(|&name| Some((name, calls.variable(name)?))).collect()
    }

    /// The names of all control variables, with their values as far as they are numbers or texts. MPI need not be initialized.
    /// `None` if this MPI has no tool interface.
    pub fn list_control_variables(&self) -> Option<Vec<(String, Option<String>)>> {
        let calls = ToolCalls::find(|name| symbol(libc::RTLD_DEFAULT, name)).ok()?;
        let (mut level, mut count) = (0, 0);
        // SAFETY: both addresses are writable.
        if unsafe { (calls.T_init_thread)(0, &mut level) } != 0 || unsafe { (calls.T_cvar_get_num)(&mut count) } != 0 {
            return None;
        }
        Some((0..count).filter_map(|index| calls.at(index)).collect())
    }
}

impl ToolCalls {
    /// Name and value of the variable with this index.
    fn at(&self, index: i32) -> Option<(String, Option<String>)> {
        let mut name = vec![0u8; NAME_BYTES];
        let (mut name_length, mut text_length) = (NAME_BYTES as i32, 0);
        let (mut verbosity, mut bind, mut scope, mut datatype, mut enumeration) = (0, 0, 0, 0, 0);
        // SAFETY: the interface is open; the name has the given length; all other addresses are writable.
        let code = unsafe {
            (self.T_cvar_get_info)(
                index,
                name.as_mut_ptr(),
                &mut name_length,
                &mut verbosity,
                &mut datatype,
                &mut enumeration,
                std::ptr::null_mut(),
                &mut text_length,
                &mut bind,
                &mut scope,
            )
        };
        let end = name.iter().position(|&byte| byte == 0)?;
        if code != 0 || end == 0 {
            return None;
        }
        let name = String::from_utf8_lossy(&name[..end]).into_owned();
        let value =
            element_bytes(datatype).filter(|_| NOT_BOUND.contains(&bind)).and_then(|bytes| self.text(index, bytes));
        Some((name, value))
    }

    /// The value of a variable whose elements have this size.
    fn text(&self, index: i32, bytes: usize) -> Option<String> {
        let (mut handle, mut count) = (0, 0);
        let mut value = vec![0u8; VALUE_BYTES];
        // SAFETY: the interface is open; the value is read only if it fits.
        let is_read = unsafe {
            if (self.T_cvar_handle_alloc)(index, std::ptr::null_mut(), &mut handle, &mut count) != 0 {
                return None;
            }
            let fits = usize::try_from(count).is_ok_and(|count| count > 0 && count.saturating_mul(bytes) < VALUE_BYTES);
            let is_read = fits && (self.T_cvar_read)(handle, value.as_mut_ptr()) == 0;
            (self.T_cvar_handle_free)(&mut handle);
            is_read
        };
        match (is_read, bytes, count) {
            (true, 1, _) => {
                let end = value.iter().position(|&byte| byte == 0)?;
                Some(String::from_utf8_lossy(&value[..end]).into_owned())
            }
            (true, 4, 1) => Some(i32::from_ne_bytes(std::array::from_fn(|at| value[at])).to_string()),
            (true, 8, 1) => Some(i64::from_ne_bytes(std::array::from_fn(|at| value[at])).to_string()),
            _ => None,
        }
    }

    fn variable(&self, name: &str) -> Option<i64> {
        let name: Vec<u8> = name.bytes().chain([0]).collect();
        let none = std::ptr::null_mut();
        let (mut index, mut verbosity, mut bind, mut scope, mut bytes, mut count) = (0, 0, 0, 0, 0, 0);
        let (mut name_length, mut text_length) = (0, 0);
        let (mut datatype, mut enumeration, mut handle) = (0, 0, 0);
        let mut value = [0u8; 8];
        // SAFETY: the interface is open, the name ends in zero, all addresses are writable; a variable is read if it is one number
        // of at most eight bytes.
        let is_read = unsafe {
            let is_known = (self.T_cvar_get_index)(name.as_ptr(), &mut index) == 0
                && (self.T_cvar_get_info)(
                    index,
                    none,
                    &mut name_length,
                    &mut verbosity,
                    &mut datatype,
                    &mut enumeration,
                    none,
                    &mut text_length,
                    &mut bind,
                    &mut scope,
                ) == 0
                && NOT_BOUND.contains(&bind)
                && (self.Type_size)(datatype, &mut bytes) == 0
                && [4, 8].contains(&bytes)
                && (self.T_cvar_handle_alloc)(index, none, &mut handle, &mut count) == 0;
            if !is_known {
                return None;
            }
            let is_read = count == 1 && (self.T_cvar_read)(handle, value.as_mut_ptr()) == 0;
            (self.T_cvar_handle_free)(&mut handle);
            is_read
        };
        let short = || i64::from(i32::from_ne_bytes(std::array::from_fn(|at| value[at])));
        is_read.then(|| if bytes == 4 { short() } else { i64::from_ne_bytes(value) })
    }
}

/// Size of a datatype's elements. `MPI_Type_size` needs `MPI_Init`; but a predefined handle of the MPICH family contains the
/// size, and Open MPI exports its datatypes.
fn element_bytes(datatype: usize) -> Option<usize> {
    let is_open_mpi = symbol(libc::RTLD_DEFAULT, OPEN_MPI_TYPES[0].0).is_some();
    if is_open_mpi {
        let found = OPEN_MPI_TYPES.iter().find(|(name, _)| symbol(libc::RTLD_DEFAULT, name) == Some(datatype));
        return found.map(|(_, bytes)| *bytes);
    }
    // The low half is the handle; 0x4c begins the handles of predefined datatypes. MPI_DOUBLE is no whole number.
    let handle = datatype as u32;
    (handle >> 24 == 0x4c && handle != 0x4c00_080b).then_some((handle >> 8 & 0xff) as usize)
}
