//! Functions with special handling: initialization and finalization of MPI, control of the recording, names.

use mpiscope_abi::id;
use mpiscope_trace::annotation::source::PCONTROL;
use mpiscope_trace::defs::Definition;
use mpiscope_trace::layout::state;

use crate::annotate::{self, Name};
use crate::process::{self, Process};
use crate::symbol::Symbol;
use crate::thread::Call;
use crate::trampoline::Args;
use crate::{clock, queues};

/// Before the call.
#[cold]
pub fn before(process: &'static Process, function: u32, symbol: &Symbol, args: Args) {
    match function {
        id::Finalize | id::Session_finalize => {
            if function == id::Finalize {
                queues::end(process);
            }
            process::finalizing(process);
        }
        id::Abort => {
            // SAFETY: MPI_Abort(comm, errorcode); Fortran passes the address.
            let code = unsafe {
                let word = args.get(1);
                if symbol.fortran { *(word as *const i32) } else { word as i32 }
            };
            let header = process.file.header;
            // SAFETY: the mapped header.
            unsafe {
                (*header).abort_code = code;
                (*header).state = state::ABORTED;
                (*header).anchors[2] = clock::anchor();
            }
        }
        _ => {}
    }
}

/// After the call has succeeded.
///
/// # Safety
/// `args` are the arguments of this call to `symbol`.
#[cold]
pub unsafe fn after(process: &'static Process, call: &mut Call, symbol: &Symbol, args: Args, end: u64) {
    let word = |i: u8| unsafe { args.get(i) };
    match call.plan.function {
        id::Init | id::Init_thread => {
            process::opened();
            process::initialised(process, None, call.start, end);
        }
        id::Session_init => {
            // SAFETY: the third argument received the session.
            let raw = unsafe {
                if process.int_handles || symbol.fortran {
                    u64::from(*(word(2) as *const u32))
                } else {
                    *(word(2) as *const u64)
                }
            };
            let session = if symbol.fortran { crate::mpi::from_fortran("Session", raw as i32) } else { raw as usize };
            process::opened();
            process::initialised(process, Some(session), call.start, end);
        }
        id::Finalize | id::Session_finalize => process::closed(process, end),
        id::Pcontrol => {
            let level = if symbol.fortran { unsafe { *(word(0) as *const i32) } } else { word(0) as i32 };
            match level {
                0 | 1 => process::set_paused(level == 0),
                // What other levels mean is the program's own business (MPI-5.0 §15.2.4): they are shown.
                _ => annotate::mark(PCONTROL, Name(format!("MPI_Pcontrol({level})").as_bytes()), 0),
            }
        }
        id::Comm_set_name => {
            let id = call.words.comm;
            let name = unsafe { text(word(1), if symbol.fortran { Some(word(3)) } else { None }) };
            let _guard = process.lock();
            process.file.define(&Definition::CommName { id, name });
        }
        id::File_open => {
            let amode = if symbol.fortran { unsafe { *(word(2) as *const i32) } } else { word(2) as i32 };
            // Fortran: comm, filename, amode, info, fh, ierror, length of filename
            let name = unsafe { text(word(1), if symbol.fortran { Some(word(6)) } else { None }) };
            let _guard = process.lock();
            process.file.define(&Definition::File { id: call.words.new_object, comm: call.words.comm, amode, name });
        }
        _ => {}
    }
}

/// A string argument: NUL-terminated in C, with a length and trailing blanks in Fortran.
pub unsafe fn text(address: u64, length: Option<u64>) -> String {
    if address == 0 {
        return String::new();
    }
    // SAFETY: the library has read the same string.
    let bytes = unsafe {
        match length {
            Some(n) => std::slice::from_raw_parts(address as *const u8, (n as usize).min(4096)),
            None => std::ffi::CStr::from_ptr(address as *const std::ffi::c_char).to_bytes(),
        }
    };
    String::from_utf8_lossy(bytes).trim_end().to_owned()
}
