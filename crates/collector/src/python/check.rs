//! Checks the layout: everything that is read directly is compared once with the results of the interpreter's public functions
//! for the same frames. Until then, memory is read only where it is mapped.

use std::cell::Cell;
use std::ffi::CStr;

use super::api::{Api, Held, Pointer};
use super::layout::{Frame, Layout, Memory};
use crate::elf::Protections;

/// Reads only what is mapped readable.
pub struct Guarded(pub Protections);

impl Memory for Guarded {
    fn word(&self, at: usize) -> Option<usize> {
        let readable = |at: usize| self.0.protection_at(at).is_some_and(|p| p & libc::PROT_READ != 0);
        // SAFETY: both ends of the word are mapped and readable now, and nobody else runs Python code.
        (at >= 4096 && readable(at) && readable(at + 7)).then(|| unsafe { (at as *const usize).read_unaligned() })
    }
}

/// Frames that are compared.
const MOST: usize = 64;

/// The layout, if it agrees with the public functions. The GIL is held; `state` is this thread's.
pub fn layout(api: &Api, state: Pointer) -> Result<Layout, String> {
    let memory = Guarded(Protections::read());
    let layout = Layout::detect(api, &memory)?;
    let mut found: Vec<Frame> = Vec::new();
    layout.frames(&memory, api.code_type, state as usize, |frame| {
        found.push(frame);
        found.len() < MOST
    });
    let agreed = Cell::new(0);
    // SAFETY: the GIL is held, so public functions may be called.
    let same = unsafe { compare(api, &layout, &memory, state, &found, &agreed) };
    match same {
        Some(()) if agreed.get() > 0 => Ok(layout),
        _ => Err(format!("the interpreter's frames have an unexpected layout (frame {})", agreed.get())),
    }
}

unsafe fn compare(
    api: &Api,
    layout: &Layout,
    memory: &Guarded,
    state: Pointer,
    found: &[Frame],
    agreed: &Cell<usize>,
) -> Option<()> {
    let mut shown = Held::new(api, unsafe { (api.frame_of_state)(state) });
    for frame in found {
        let object = shown?;
        let code = Held::new(api, unsafe { (api.frame_code)(object.1) })?;
        if code.1 as usize != frame.code {
            return None;
        }
        let line = unsafe { (api.frame_line)(object.1) };
        if u32::try_from(line).unwrap_or(0) != unsafe { layout.line(api, frame) } {
            return None;
        }
        let members = layout.members();
        let same = |name: &CStr, offset: usize| {
            let value = Held::new(api, unsafe { (api.attribute)(code.1, name.as_ptr()) })?;
            (layout.member(memory, frame, offset) == Some(value.1 as usize)).then_some(())
        };
        same(c"co_filename", members.file)?;
        same(c"co_name", members.name)?;
        if members.qualified != members.name {
            same(c"co_qualname", members.qualified)?;
        }
        agreed.set(agreed.get() + 1);
        // SAFETY: a frame object; null at the outermost.
        let back = unsafe { (api.frame_back)(object.1) };
        shown = if back.is_null() { None } else { Some(Held(api, back)) };
    }
    // Neither side has more.
    (shown.is_none() || found.len() == MOST).then_some(())
}
