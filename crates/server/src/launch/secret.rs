//! The code that is only shown in the terminal, and typed into the page.

use std::io;
use std::sync::{Mutex, PoisonError};

use subtle::ConstantTimeEq;

/// Letters and digits that are hard to confuse (Crockford's base 32).
const LETTERS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
/// 40 bits: with five tries, one guess in 2·10¹¹.
const LENGTH: usize = 8;
const TRIES: u32 = 5;

/// A code, and the number of failed attempts.
pub struct Secret {
    code: [u8; LENGTH],
    missed: Mutex<u32>,
}

/// The result of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tried {
    Right,
    /// This many attempts are left.
    Wrong(u32),
    /// No further attempt is accepted.
    Locked,
}

impl Secret {
    /// A random code.
    ///
    /// # Errors
    ///
    /// If the system provides no random numbers.
    pub fn new() -> io::Result<Secret> {
        let mut bytes = [0_u8; LENGTH];
        getrandom::fill(&mut bytes).map_err(io::Error::other)?;
        Ok(Secret { code: bytes.map(|byte| LETTERS[usize::from(byte % 32)]), missed: Mutex::new(0) })
    }

    /// In displayed form: `k7m2-q9xd`.
    pub fn text(&self) -> String {
        let text: String = self.code.iter().map(|&byte| char::from(byte)).collect();
        format!("{}-{}", &text[..LENGTH / 2], &text[LENGTH / 2..])
    }

    /// Whether `typed` is the code. A wrong one counts, a right one resets the count.
    pub fn try_code(&self, typed: &str) -> Tried {
        let mut given = [0_u8; LENGTH];
        let mut length = 0;
        for letter in typed.bytes().filter(|b| !b.is_ascii_whitespace() && *b != b'-') {
            if let Some(place) = given.get_mut(length) {
                *place = plain(letter);
            }
            length += 1;
        }
        let is_right = bool::from(given.ct_eq(&self.code)) & (length == LENGTH);
        // Simultaneous attempts count one by one.
        let mut missed = self.missed.lock().unwrap_or_else(PoisonError::into_inner);
        if *missed >= TRIES {
            return Tried::Locked;
        }
        if is_right {
            *missed = 0;
            return Tried::Right;
        }
        *missed += 1;
        if *missed >= TRIES { Tried::Locked } else { Tried::Wrong(TRIES - *missed) }
    }
}

/// Normalised: lower case, and letters that look like digits become digits.
fn plain(letter: u8) -> u8 {
    match letter.to_ascii_lowercase() {
        b'o' => b'0',
        b'i' | b'l' => b'1',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_differ_and_are_typed_as_people_type() {
        let secret = Secret::new().unwrap();
        assert_ne!(secret.text(), Secret::new().unwrap().text());
        assert_eq!(secret.text().len(), 9);
        assert_eq!(secret.try_code(&secret.text()), Tried::Right);
        assert_eq!(secret.try_code(&format!(" {} ", secret.text().to_uppercase().replace('-', ""))), Tried::Right);
    }

    #[test]
    fn a_few_wrong_tries_lock_it_for_good() {
        let secret = Secret::new().unwrap();
        let longer = format!("{}0", secret.text());
        for wrong in ["", "0", longer.as_str(), "aaaa-aaa!"] {
            assert!(matches!(secret.try_code(wrong), Tried::Wrong(_)), "{wrong}");
        }
        // A right one resets the count.
        assert_eq!(secret.try_code(&secret.text()), Tried::Right);
        for left in (1..TRIES).rev() {
            assert_eq!(secret.try_code("wrong"), Tried::Wrong(left));
        }
        assert_eq!(secret.try_code("wrong"), Tried::Locked);
        assert_eq!(secret.try_code(&secret.text()), Tried::Locked);
    }
}
