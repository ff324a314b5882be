//! Messages between leaders: 32 bytes each, little-endian.
//!
//! | bytes | hello, welcome | ask | tell | end |
//! |---|---|---|---|---|
//! | 0–7 | kind | kind | kind | kind |
//! | 8–15 | half of the token | number | number | – |
//! | 16–23 | its rest | – | received, ns | – |
//! | 24–31 | – | – | sent, ns | – |

use crate::rendezvous::Token;

pub(super) const BYTES: usize = 32;
pub(super) type Message = [u8; BYTES];

const HELLO: u64 = u64::from_le_bytes(*b"MPSCCLK1");
const WELCOME: u64 = u64::from_le_bytes(*b"MPSCCLK2");
const ASK: u64 = 3;
const TELL: u64 = 4;
const END: u64 = 5;

pub(super) fn hello(token: &Token) -> Message {
    let [one, two] = token.shown();
    message(HELLO, [one, two, 0])
}

pub(super) fn welcome(token: &Token) -> Message {
    let [one, two] = token.answered();
    message(WELCOME, [one, two, 0])
}

pub(super) fn request(number: u64) -> Message {
    message(ASK, [number, 0, 0])
}

pub(super) fn reply(number: u64, received_ns: u64, sent_ns: u64) -> Message {
    message(TELL, [number, received_ns, sent_ns])
}

pub(super) fn end() -> Message {
    message(END, [0; 3])
}

/// The number of a request.
pub(super) fn request_number(message: &Message) -> Option<u64> {
    (word(message, 0) == ASK).then(|| word(message, 1))
}

/// When a request was received and its answer sent, ns.
pub(super) fn answer_times(message: &Message, number: u64) -> Option<(u64, u64)> {
    (word(message, 0) == TELL && word(message, 1) == number).then(|| (word(message, 2), word(message, 3)))
}

pub(super) fn is_end(message: &Message) -> bool {
    word(message, 0) == END
}

fn message(kind: u64, rest: [u64; 3]) -> Message {
    let mut bytes = [0; BYTES];
    for (at, word) in [kind, rest[0], rest[1], rest[2]].into_iter().enumerate() {
        bytes[8 * at..8 * at + 8].copy_from_slice(&word.to_le_bytes());
    }
    bytes
}

fn word(message: &Message, at: usize) -> u64 {
    let mut raw = [0; 8];
    raw.copy_from_slice(&message[8 * at..8 * at + 8]);
    u64::from_le_bytes(raw)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let token = Token::parse(&"0123456789abcdef".repeat(4)).unwrap();
        assert!(hello(&token) != welcome(&token));
        assert_eq!(request_number(&request(7)), Some(7));
        assert_eq!(answer_times(&reply(7, 10, 12), 7), Some((10, 12)));
        assert_eq!((answer_times(&reply(7, 10, 12), 8), request_number(&end())), (None, None));
        assert!(is_end(&end()) && !is_end(&request(5)));
    }
}
