//! Lines of Python as frames of a call site.
//!
//! A frame of a [`crate::defs::Definition::Site`], and [`crate::layout::InFlight::caller`], is an address; no
//! address of a program has its highest bit set. With that bit it is a line of Python: the line's number in the 31 bits
//! below, the id of a [`crate::defs::Definition::PythonCode`] in the low 32.

const MARK: u64 = 1 << 63;
/// Largest line number kept; larger ones become this one.
const LINES: u32 = (1 << 31) - 1;

/// The frame of a line (0: not known) of a piece of code.
pub const fn frame(code: u32, line: u32) -> u64 {
    let line = if line > LINES { LINES } else { line };
    MARK | (line as u64) << 32 | code as u64
}

/// Id of the code, and line, when a frame is one of Python.
pub const fn parts(frame: u64) -> Option<(u32, u32)> {
    if frame & MARK == 0 { None } else { Some((frame as u32, (frame >> 32) as u32 & LINES)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_come_back_and_addresses_are_none() {
        assert_eq!(parts(frame(7, 42)), Some((7, 42)));
        assert_eq!(parts(frame(u32::MAX, u32::MAX)), Some((u32::MAX, LINES)));
        assert_eq!(parts(0x7fff_ffff_ffff), None);
    }
}
