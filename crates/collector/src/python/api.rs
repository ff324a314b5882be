//! The functions of the interpreter's C interface in use, looked up by name in the object that exports them. Building this does
//! not need Python.

use std::ffi::{c_char, c_int, c_void};
use std::mem::transmute;

use crate::elf::Object;

/// A `PyObject *`, or another pointer of the interpreter.
pub type Pointer = *mut c_void;

/// `PyMethodDef`.
#[repr(C)]
pub struct Method {
    pub name: *const c_char,
    pub function: extern "C" fn(Pointer, Pointer) -> Pointer,
    pub flags: c_int,
    pub doc: *const c_char,
}
// SAFETY: never changed.
unsafe impl Sync for Method {}

macro_rules! api {
    ($($(#[$doc:meta])* $field:ident: $($name:literal)|+ ($($argument:ty),*) -> $result:ty;)*) => {
        /// Functions that every supported release has.
        pub struct Api {
            $($(#[$doc])* pub $field: unsafe extern "C" fn($($argument),*) -> $result,)*
            /// `PyUnstable_InterpreterFrame_GetLine`, from 3.12 on.
            pub line_of_interpreter_frame: Option<unsafe extern "C" fn(Pointer) -> c_int>,
            /// `PyCode_Type`.
            pub code_type: usize,
            /// `None`.
            pub none: Pointer,
            /// `_PyRuntime`: its beginning describes layouts from 3.13 on.
            pub runtime: Option<usize>,
        }

        impl Api {
            /// Of the object that is the interpreter; `None` when one of them is missing.
            pub fn of(object: &Object) -> Option<Api> {
                let at = |names: &[&str]| names.iter().find_map(|name| object.defines(name));
                Some(Api {
                    // SAFETY: types as in the headers of CPython.
                    $($field: unsafe { transmute::<usize, unsafe extern "C" fn($($argument),*) -> $result>(at(&[$($name),+])?) },)*
                    line_of_interpreter_frame: at(&["PyUnstable_InterpreterFrame_GetLine"])
                        .map(|at| unsafe { transmute::<usize, unsafe extern "C" fn(Pointer) -> c_int>(at) }),
                    code_type: at(&["PyCode_Type"])?,
                    none: at(&["_Py_NoneStruct"])? as Pointer,
                    runtime: at(&["_PyRuntime"]),
                })
            }
        }
    };
}

api! {
    /// This thread's state, whether or not it holds the GIL; null when Python does not know the thread.
    state: "PyGILState_GetThisThreadState" () -> Pointer;
    /// The state of the thread that holds the GIL (or, without a GIL, of this one if it is attached).
    current_state: "PyThreadState_GetUnchecked" | "_PyThreadState_UncheckedGet" () -> Pointer;
    version: "Py_GetVersion" () -> *const c_char;
    frame_of_state: "PyThreadState_GetFrame" (Pointer) -> Pointer;
    frame_back: "PyFrame_GetBack" (Pointer) -> Pointer;
    frame_code: "PyFrame_GetCode" (Pointer) -> Pointer;
    frame_line: "PyFrame_GetLineNumber" (Pointer) -> c_int;
    code_line: "PyCode_Addr2Line" (Pointer, c_int) -> c_int;
    attribute: "PyObject_GetAttrString" (Pointer, *const c_char) -> Pointer;
    /// Both of these only read.
    text_length: "PyUnicode_GetLength" (Pointer) -> isize;
    text_at: "PyUnicode_ReadChar" (Pointer, isize) -> u32;
    import: "PyImport_ImportModule" (*const c_char) -> Pointer;
    call: "PyObject_CallObject" (Pointer, Pointer) -> Pointer;
    new_tuple: "PyTuple_New" (isize) -> Pointer;
    /// Takes the reference over.
    set_in_tuple: "PyTuple_SetItem" (Pointer, isize, Pointer) -> c_int;
    new_function: "PyCFunction_NewEx" (*const Method, Pointer, Pointer) -> Pointer;
    take: "Py_IncRef" (Pointer) -> ();
    drop: "Py_DecRef" (Pointer) -> ();
    error_away: "PyErr_Fetch" (*mut Pointer, *mut Pointer, *mut Pointer) -> ();
    error_back: "PyErr_Restore" (Pointer, Pointer, Pointer) -> ();
    error_clear: "PyErr_Clear" () -> ();
}

/// An object that this library holds a reference to. Used with the GIL held.
pub struct Held<'a>(pub &'a Api, pub Pointer);

impl Held<'_> {
    /// The object; `None` for a failure, whose exception is cleared.
    pub fn new(api: &Api, object: Pointer) -> Option<Held<'_>> {
        if object.is_null() {
            // SAFETY: the GIL is held.
            unsafe { (api.error_clear)() };
            return None;
        }
        Some(Held(api, object))
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        // SAFETY: the GIL is held; our own reference.
        unsafe { (self.0.drop)(self.1) };
    }
}
