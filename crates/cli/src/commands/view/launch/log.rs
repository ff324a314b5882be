//! The latest output of a program.

use std::io::Read;
use std::sync::{Mutex, PoisonError};

/// Limits the memory for a program that writes without end.
const MOST_BYTES: usize = 1 << 20;

/// The end of a text, and its position in everything written.
#[derive(Default)]
pub struct Log(Mutex<LogTail>);

#[derive(Default)]
struct LogTail {
    text: String,
    from: u64,
}

impl Log {
    /// Text from byte `after` on, or from the oldest byte kept; with its start and end.
    pub fn after(&self, after: u64) -> (String, u64, u64) {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let until = kept.from + kept.text.len() as u64;
        let mut at = after.clamp(kept.from, until) - kept.from;
        while !kept.text.is_char_boundary(at as usize) {
            at += 1;
        }
        (kept.text[at as usize..].to_owned(), kept.from + at, until)
    }

    /// Appends text.
    pub fn add(&self, text: &str) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.text.push_str(text);
        if kept.text.len() > MOST_BYTES {
            // Drops half of it at once, not a byte for each byte.
            let mut cut = kept.text.len() - MOST_BYTES / 2;
            while !kept.text.is_char_boundary(cut) {
                cut += 1;
            }
            kept.text.drain(..cut);
            kept.from += cut as u64;
        }
    }

    /// Reads a stream to its end. Characters split between two reads are joined; invalid UTF-8 becomes �.
    pub fn read(&self, mut stream: impl Read) {
        let mut buffer = [0_u8; 8192];
        let mut rest: Vec<u8> = Vec::new();
        loop {
            let length = match stream.read(&mut buffer) {
                Ok(0) => break,
                Ok(length) => length,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
                Err(_) => break,
            };
            rest.extend_from_slice(&buffer[..length]);
            // A character has at most four bytes: an incomplete one waits for the rest.
            let whole = match std::str::from_utf8(&rest) {
                Ok(_) => rest.len(),
                Err(error) if error.error_len().is_none() => error.valid_up_to(),
                Err(_) => rest.len(),
            };
            self.add(&String::from_utf8_lossy(&rest[..whole]));
            rest.drain(..whole);
        }
        self.add(&String::from_utf8_lossy(&rest));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Pieces(Vec<Vec<u8>>);

    impl Read for Pieces {
        fn read(&mut self, to: &mut [u8]) -> std::io::Result<usize> {
            if self.0.is_empty() {
                return Ok(0);
            }
            let piece = self.0.remove(0);
            to[..piece.len()].copy_from_slice(&piece);
            Ok(piece.len())
        }
    }

    #[test]
    fn letters_in_two_pieces_are_one() {
        let log = Log::default();
        log.read(Pieces(vec![vec![b'a', 0xc3], vec![0xa4, b'b'], vec![0xff], vec![0xc3]]));
        assert_eq!(log.after(0), ("aäb\u{fffd}\u{fffd}".into(), 0, 10));
        assert_eq!(log.after(4).0, "\u{fffd}\u{fffd}");
        assert_eq!(log.after(2), ("b\u{fffd}\u{fffd}".into(), 3, 10), "not in the middle of a letter");
    }

    #[test]
    fn the_end_is_kept() {
        let log = Log::default();
        for _ in 0..3000 {
            log.add(&"x".repeat(1000));
        }
        let (text, from, until) = log.after(0);
        assert_eq!((from + text.len() as u64, until), (3_000_000, 3_000_000));
        assert!(text.len() <= MOST_BYTES && text.len() >= MOST_BYTES / 2 - 1000);
    }
}
