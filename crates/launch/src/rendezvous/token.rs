//! The secret by which processes of one run authenticate each other.

/// Two halves: the connecting process sends the first and requires the second as the answer.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Token([[u64; 2]; 2]);

impl Token {
    /// 64 random hexadecimal digits.
    pub fn text() -> String {
        (0..4).map(|_| crate::host::random_id()).collect()
    }

    /// Parses 64 hexadecimal digits.
    pub fn parse(text: &str) -> Option<Self> {
        let word = |at: usize| u64::from_str_radix(text.get(16 * at..16 * at + 16)?, 16).ok();
        (text.len() == 64).then_some(())?;
        Some(Self([[word(0)?, word(1)?], [word(2)?, word(3)?]]))
    }

    /// The half that is sent first.
    pub fn shown(&self) -> [u64; 2] {
        self.0[0]
    }

    /// The half of the answer.
    pub fn answered(&self) -> [u64; 2] {
        self.0[1]
    }
}
