//! Control variables of the MPI, by its tool interface (MPI-5.0 §15.3).

use crate::calls::calls;
use crate::{Mpi, symbol};

calls! {
    ToolCalls;
    T_init_thread(required: i32, provided: *mut i32);
    T_finalize();
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

/// `MPI_T_BIND_NO_OBJECT`: in the MPICH family, and elsewhere.
const NOT_BOUND: [i32; 2] = [9700, 0];

impl Mpi {
    /// The control variables of these names that this MPI has, as far as they are whole numbers. Open MPI needs 0.2 s, as it opens all its components.
    pub fn control_variables(&self, names: &[&'static str]) -> Vec<(&'static str, i64)> {
        let Ok(calls) = ToolCalls::find(|name| symbol(libc::RTLD_DEFAULT, name)) else { return Vec::new() };
        let mut level = 0;
        // SAFETY: the address is writable.
        if unsafe { (calls.T_init_thread)(0, &mut level) } != 0 {
            return Vec::new();
        }
        let found = names.iter().filter_map(|&name| Some((name, calls.variable(name)?))).collect();
        // SAFETY: the interface was opened above; it counts its users.
        unsafe { (calls.T_finalize)() };
        found
    }
}

impl ToolCalls {
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
