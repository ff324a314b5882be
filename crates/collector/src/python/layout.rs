//! The layout of the interpreter's frames.
//!
//! Offsets of 3.9 to 3.12 are fixed, as these releases get only security fixes. From 3.13 on, the interpreter describes its layout
//! for tools (`_Py_DebugOffsets`, at the start of `_PyRuntime`). Offsets in code objects are in `PyCode_Type`, which lists its
//! members by name. All assumptions are compared with the results of public functions before use (`check`).

use std::ffi::{CStr, c_int};

use super::api::{Api, Pointer};
use crate::intern::mix;

/// Memory that may be read, or may turn out not to be there.
pub trait Memory {
    /// The word at an address.
    fn word(&self, at: usize) -> Option<usize>;
}

/// What the check has found to be right.
pub struct Direct;

impl Memory for Direct {
    #[inline(always)]
    fn word(&self, at: usize) -> Option<usize> {
        // SAFETY: within a structure of the interpreter, by the checked layout, that this thread keeps alive.
        Some(unsafe { (at as *const usize).read_unaligned() })
    }
}

/// How the line of a frame is found.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Line {
    /// The frame is an object.
    Object,
    /// By the code and the distance of the instruction from its first one, which is at this offset in the code.
    Distance(usize),
    /// Asked for the interpreter's frame.
    Asked,
}

/// See the module's text. Offsets in bytes.
#[derive(Clone, Debug, PartialEq)]
pub struct Layout {
    /// In the thread's state: the frame, or what `frame_in_holder` refers to.
    frame: usize,
    frame_in_holder: Option<usize>,
    /// In a frame.
    code: usize,
    previous: usize,
    instruction: usize,
    /// A byte that is at least [`FOREIGN`] in frames that stand for the C stack.
    owner: Option<usize>,
    line: Line,
    /// In any object.
    type_of: usize,
    /// In a text of ASCII: its characters.
    characters: usize,
    /// In code.
    members: Members,
}

/// Offsets in code objects.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Members {
    pub file: usize,
    pub name: usize,
    /// The qualified name from 3.11 on, else the name.
    pub qualified: usize,
    first_line: usize,
    line_table: usize,
}

/// First owner of a frame that is none of Python.
const FOREIGN: u8 = 3;
/// Pointers to objects may carry marks in their low bits.
const MARKS: usize = 7;
/// Bytes of a file's name, and of a table of lines, that are compared.
const COMPARED: usize = 256;
/// More frames than this are not looked through for one of Python.
const MOST: usize = 1024;

/// A frame of Python.
#[derive(Clone, Copy)]
pub struct Frame {
    at: usize,
    /// The code object.
    pub code: usize,
    instruction: usize,
}

impl Layout {
    /// For the interpreter behind `api`. The GIL is held. The error says which one it is.
    pub fn detect(api: &Api, memory: &impl Memory) -> Result<Layout, String> {
        // SAFETY: a static text of the interpreter.
        let version = unsafe { CStr::from_ptr((api.version)()) }.to_string_lossy().into_owned();
        let mut numbers = version.split(['.', ' ', 'a', 'b', 'r', '+']).map(|n| n.parse::<u32>().unwrap_or(0));
        let unknown = || format!("the frame layout of Python {version} is unknown");
        let (Some(3), Some(minor)) = (numbers.next(), numbers.next()) else { return Err(unknown()) };
        let members = members(memory, api.code_type).ok_or_else(unknown)?;
        let base = Layout {
            frame: 24,
            frame_in_holder: None,
            code: 32,
            previous: 24,
            instruction: 0,
            owner: None,
            line: Line::Object,
            type_of: 8,
            characters: if minor < 12 { 48 } else { 40 },
            members,
        };
        match minor {
            9 => Ok(Layout { instruction: 104, ..base }),
            10 => Ok(Layout { instruction: 96, ..base }),
            11 => Ok(Layout {
                frame: 56,
                frame_in_holder: Some(8),
                previous: 48,
                instruction: 56,
                owner: Some(69),
                line: Line::Distance(184),
                ..base
            }),
            12 => Ok(Layout {
                frame: 56,
                frame_in_holder: Some(0),
                code: 0,
                previous: 8,
                instruction: 56,
                owner: Some(70),
                line: Line::Asked,
                ..base
            }),
            13.. => {
                let runtime = api.runtime.ok_or_else(unknown)?;
                // SAFETY: the description is longer than this in every release that has one.
                let words = unsafe { std::slice::from_raw_parts(runtime as *const u64, 64) };
                let layout = described(words, minor, base).ok_or_else(unknown)?;
                if api.line_of_interpreter_frame.is_none() { Err(unknown()) } else { Ok(layout) }
            }
            _ => Err(unknown()),
        }
    }

    /// Visits the frames of a thread, innermost first, until `visit` says no.
    #[inline(always)]
    pub fn frames(&self, memory: &impl Memory, code_type: usize, state: usize, mut visit: impl FnMut(Frame) -> bool) {
        let Some(mut at) = memory.word(state + self.frame) else { return };
        if let Some(offset) = self.frame_in_holder {
            let Some(frame) = memory.word(at.wrapping_add(offset)).filter(|_| at != 0) else { return };
            at = frame;
        }
        for _ in 0..MOST {
            if at == 0 {
                return;
            }
            let foreign = match self.owner {
                Some(owner) => match memory.word(at + owner) {
                    Some(word) => word as u8 >= FOREIGN,
                    None => return,
                },
                None => false,
            };
            if !foreign {
                let (Some(code), Some(instruction)) = (memory.word(at + self.code), memory.word(at + self.instruction))
                else {
                    return;
                };
                let code = code & !MARKS;
                let is_code = code != 0 && memory.word(code + self.type_of) == Some(code_type);
                if is_code && !visit(Frame { at, code, instruction: self.cut(instruction) }) {
                    return;
                }
            }
            let Some(previous) = memory.word(at + self.previous) else { return };
            at = previous;
        }
    }

    /// Of a frame that is an object the instruction is a 32-bit number.
    #[inline(always)]
    fn cut(&self, instruction: usize) -> usize {
        if self.line == Line::Object { instruction & 0xffff_ffff } else { instruction }
    }

    /// What tells a frame's line from others. Addresses are not enough: code that `exec` makes takes the memory of
    /// code that was freed, and so do its names and the table of its lines. So what they hold is part of it.
    #[inline(always)]
    pub fn key(&self, frame: &Frame) -> u64 {
        let word = |at: usize| Direct.word(at).unwrap_or(0) as u64;
        let member = |offset: usize| word(frame.code + offset) as usize;
        let mut key = mix(frame.code as u64, frame.instruction as u64);
        // The first line and what stands beside it: numbers of variables, addresses, from 3.12 on a number of its own.
        for i in 0..4 {
            key = mix(key, word(frame.code + self.members.first_line + 8 * i));
        }
        key = mix(key, member(self.members.qualified) as u64);
        // A shorter header than in a text: type and references, length, hash.
        let bytes = self.type_of + 24;
        for (object, at) in [(self.members.file, self.characters), (self.members.line_table, bytes)] {
            let object = member(object);
            let length = (word(object + self.type_of + 8) as usize).min(COMPARED);
            let mut i = 0;
            while i + 8 < length {
                key = mix(key, word(object + at + i));
                i += 8;
            }
            // The last word, or the only one, which the allocator has rounded up to.
            key = mix(key, word(object + at + length.saturating_sub(8))) ^ length as u64;
        }
        key
    }

    /// The object that a member of a code object is.
    pub fn member(&self, memory: &impl Memory, frame: &Frame, offset: usize) -> Option<usize> {
        memory.word(frame.code + offset)
    }

    /// Offsets in code objects.
    pub fn members(&self) -> &Members {
        &self.members
    }

    /// The line of a frame of this thread, 0 when there is none.
    ///
    /// # Safety
    /// The frame is one of the calling thread, now.
    pub unsafe fn line(&self, api: &Api, frame: &Frame) -> u32 {
        let line = unsafe {
            match self.line {
                Line::Object => (api.frame_line)(frame.at as Pointer),
                Line::Distance(first) => {
                    let distance = frame.instruction.wrapping_sub(frame.code + first);
                    // Of a frame that has not begun it points before the first instruction.
                    let distance = if distance > i32::MAX as usize { -1 } else { distance as c_int };
                    (api.code_line)(frame.code as Pointer, distance)
                }
                Line::Asked => api.line_of_interpreter_frame.map_or(0, |line| line(frame.at as Pointer)),
            }
        };
        u32::try_from(line).unwrap_or(0)
    }
}

/// A layout from the interpreter's description of itself: 64-bit words, a cookie, the release, whether there is a
/// GIL, then a size and offsets for each structure. Structures have grown at their ends and in the middle, so the ones
/// that matter are recognised by what they begin with: the links of a thread's state (0, 8, 16) and of a frame (8, 0).
fn described(words: &[u64], minor: u32, base: Layout) -> Option<Layout> {
    let (cookie, release, free_threaded) = (words[0], words[1], words[2]);
    if cookie != u64::from_le_bytes(*b"xdebugpy") || release >> 16 != 0x300 + u64::from(minor) || free_threaded > 1 {
        return None;
    }
    let small = |word: u64| usize::try_from(word).ok().filter(|&n| n < 4096);
    let state = (3..words.len() - 16).find(|&i| words[i + 1..i + 4] == [0, 8, 16])?;
    let frame = (state + 5..words.len() - 6).find(|&i| words[i + 1..i + 3] == [8, 0] && words[i + 5] > words[i + 3])?;
    Some(Layout {
        frame: small(words[state + 4])?,
        code: 0,
        previous: 8,
        instruction: small(words[frame + 3])?,
        owner: Some(small(words[frame + 5])?),
        line: Line::Asked,
        type_of: if free_threaded == 1 { 24 } else { 8 },
        characters: base.characters + if free_threaded == 1 { 16 } else { 0 },
        ..base
    })
}

/// Offsets of code objects from the list that their type has of its members: name, kind, offset, flags, text.
fn members(memory: &impl Memory, code_type: usize) -> Option<Members> {
    /// Of `tp_members` in a type, since 3.3; without a GIL objects begin 16 bytes later.
    const LISTS: [usize; 2] = [240, 256];
    LISTS.into_iter().find_map(|list| {
        let first = memory.word(code_type + list)?;
        let mut found = Members::default();
        for i in 0..64 {
            let (name, offset) = (memory.word(first + i * 40)?, memory.word(first + i * 40 + 16)?);
            if name == 0 {
                break;
            }
            memory.word(name)?;
            // SAFETY: in a list of named members, a name.
            match unsafe { CStr::from_ptr(name as *const _) }.to_bytes() {
                b"co_filename" => found.file = offset,
                b"co_name" => found.name = offset,
                b"co_qualname" => found.qualified = offset,
                b"co_firstlineno" => found.first_line = offset,
                b"co_linetable" | b"co_lnotab" => found.line_table = offset,
                _ => {}
            }
        }
        if found.qualified == 0 {
            found.qualified = found.name;
        }
        let all = [found.file, found.name, found.first_line, found.line_table];
        all.into_iter().all(|offset| offset != 0).then_some(found)
    })
}
