//! Numbers in as few bytes as they need: seven bits each, the lowest first.

pub(crate) fn put(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Numbers that may be negative: small ones stay small.
pub(crate) fn put_signed(out: &mut Vec<u8>, value: i64) {
    put(out, ((value << 1) ^ (value >> 63)) as u64);
}

/// Takes numbers from bytes; `None` where there is none.
pub(crate) struct Reader<'a>(pub &'a [u8]);

impl Reader<'_> {
    #[inline]
    pub fn get(&mut self) -> Option<u64> {
        let (&first, rest) = self.0.split_first()?;
        self.0 = rest;
        if first < 0x80 {
            return Some(first.into());
        }
        let mut value = u64::from(first & 0x7f);
        for shift in (7..64).step_by(7) {
            let (&byte, rest) = self.0.split_first()?;
            self.0 = rest;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }

    /// The next bytes as they are.
    pub fn read_array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (bytes, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*bytes)
    }

    pub fn get_signed(&mut self) -> Option<i64> {
        let value = self.get()?;
        Some((value >> 1) as i64 ^ -((value & 1) as i64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_put_is_got() {
        let numbers = [0, 1, 127, 128, 300, 1 << 35, u64::MAX - 1, u64::MAX];
        let mut bytes = Vec::new();
        for number in numbers {
            put(&mut bytes, number);
            put_signed(&mut bytes, number as i64);
            put_signed(&mut bytes, (number as i64).wrapping_neg());
        }
        let mut reader = Reader(&bytes);
        for number in numbers {
            assert_eq!(reader.get(), Some(number));
            assert_eq!(reader.get_signed(), Some(number as i64));
            assert_eq!(reader.get_signed(), Some((number as i64).wrapping_neg()));
        }
        assert_eq!(reader.get(), None);
        assert_eq!(Reader(&[0xff; 20]).get(), None);
    }
}
