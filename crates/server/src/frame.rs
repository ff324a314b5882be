//! Answers with many numbers: a JSON header and columns in memory layout.

use rayon::prelude::*;
use serde_json::{Map, Value, json};

/// Before the header: the magic number, and the length of the header.
const BEGIN: usize = 8;
/// Columns of this many bytes together are written by several threads.
const LARGE: usize = 1 << 20;

/// A frame under construction: its columns are written when it is finished, once.
pub(crate) struct Frame<'a> {
    head: Map<String, Value>,
    columns: Vec<Value>,
    parts: Vec<(usize, Writer<'a>)>,
}

/// Writes a column to a slice of exactly its size.
type Writer<'a> = Box<dyn FnOnce(&mut [u8]) + Send + 'a>;

/// Numbers of one type.
pub(crate) trait Number: Copy {
    const TYPE: &'static str;
    /// Writes to a slice of exactly their size.
    fn put(self, to: &mut [u8]);
}

macro_rules! numbers {
    ($($type:ident)*) => {$(
        impl Number for $type {
            const TYPE: &'static str = stringify!($type);
            fn put(self, to: &mut [u8]) {
                to.copy_from_slice(&self.to_le_bytes());
            }
        }
    )*};
}

numbers! { u8 u16 u32 i32 f32 f64 }

impl<'a> Frame<'a> {
    /// `head` has the fields that are not columns.
    pub fn new(kind: &str, head: Value) -> Frame<'a> {
        let mut head = match head {
            Value::Object(head) => head,
            _ => Map::new(),
        };
        head.insert("kind".into(), kind.into());
        Frame { head, columns: Vec::new(), parts: Vec::new() }
    }

    /// Adds a column.
    pub fn column<N: Number, I>(self, name: &str, values: I) -> Frame<'a>
    where
        I: IntoIterator<Item = N>,
        I::IntoIter: ExactSizeIterator + Send + 'a,
    {
        let values = values.into_iter();
        self.column_of(name, values.len(), values)
    }

    /// Adds a column of this many values.
    pub fn column_of<N: Number>(
        self,
        name: &str,
        length: usize,
        values: impl Iterator<Item = N> + Send + 'a,
    ) -> Frame<'a> {
        self.written::<N>(name, length, move |bytes| {
            let mut places = bytes.chunks_exact_mut(size_of::<N>());
            // Not zipped: values of many rows are walked row by row.
            values.take(length).for_each(|value| {
                if let Some(place) = places.next() {
                    value.put(place);
                }
            });
        })
    }

    /// Adds a column whose values are in several slices, with their total number: one copy per slice.
    pub fn column_in<N: Number + Send + Sync + 'a>(
        self,
        name: &str,
        length: usize,
        pieces: impl Iterator<Item = &'a [N]> + Send + 'a,
    ) -> Frame<'a> {
        self.written::<N>(name, length, move |mut bytes| {
            for piece in pieces {
                let length = size_of_val(piece).min(bytes.len());
                let (place, rest) = std::mem::take(&mut bytes).split_at_mut(length);
                place.chunks_exact_mut(size_of::<N>()).zip(piece).for_each(|(place, value)| value.put(place));
                bytes = rest;
            }
        })
    }

    /// Adds a column of this many values, which are written when the frame is finished.
    fn written<N: Number>(mut self, name: &str, length: usize, write: impl FnOnce(&mut [u8]) + Send + 'a) -> Frame<'a> {
        self.columns.push(json!({"name": name, "type": N::TYPE, "length": length}));
        self.parts.push((length * size_of::<N>(), Box::new(write)));
        self
    }

    /// The bytes.
    pub fn into_bytes(mut self) -> Vec<u8> {
        self.head.insert("columns".into(), self.columns.into());
        // Blanks after JSON are valid JSON.
        let mut head = Value::Object(self.head).to_string().into_bytes();
        let room = (BEGIN + head.len()).next_multiple_of(8);
        head.resize(room - BEGIN, b' ');
        let places = self.parts.iter().map(|(length, _)| length.next_multiple_of(8)).sum::<usize>();
        let mut bytes = vec![0; room + places];
        bytes[..4].copy_from_slice(b"MSF1");
        bytes[4..BEGIN].copy_from_slice(&(head.len() as u32).to_le_bytes());
        bytes[BEGIN..room].copy_from_slice(&head);
        let mut rest = &mut bytes[room..];
        let place = |(length, write): (usize, Writer<'a>)| {
            let (place, behind) = std::mem::take(&mut rest).split_at_mut(length.next_multiple_of(8));
            rest = behind;
            (&mut place[..length], write)
        };
        let parts: Vec<(&mut [u8], Writer<'a>)> = self.parts.into_iter().map(place).collect();
        match places < LARGE {
            true => parts.into_iter().for_each(|(place, write)| write(place)),
            false => parts.into_par_iter().for_each(|(place, write)| write(place)),
        }
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_begin_at_multiples_of_eight() {
        let frame =
            Frame::new("calls", json!({"total": 3})).column("a", [1_u8, 2, 3]).column("b", [1.5_f64]).into_bytes();
        let length = u32::from_le_bytes(frame[4..8].try_into().unwrap()) as usize;
        let head: Value = serde_json::from_slice(&frame[8..8 + length]).unwrap();
        assert_eq!(
            (&head["kind"], &head["total"], &head["columns"][1]["type"]),
            (&json!("calls"), &json!(3), &json!("f64"))
        );
        let begin = (8 + length).next_multiple_of(8);
        assert_eq!(frame[begin..begin + 8], [1, 2, 3, 0, 0, 0, 0, 0]);
        assert_eq!(frame[begin + 8..], 1.5_f64.to_le_bytes());
    }

    #[test]
    fn pieces_become_one_column() {
        let pieces: [&[u16]; 3] = [&[1, 2], &[], &[3, 4, 5]];
        let all = Frame::new("calls", json!({})).column("a", [1_u16, 2, 3, 4, 5]).into_bytes();
        assert_eq!(Frame::new("calls", json!({})).column_in("a", 5, pieces.into_iter()).into_bytes(), all);
        // One value is too many.
        let four = Frame::new("calls", json!({})).column_in("a", 4, pieces.into_iter()).into_bytes();
        assert_eq!(four, Frame::new("calls", json!({})).column("a", [1_u16, 2, 3, 4]).into_bytes());
    }

    #[test]
    fn large_frames_are_as_small_ones() {
        let many = || (0..400_000_u32).rev();
        let frame =
            Frame::new("calls", json!({"total": 3})).column_of("a", 399_999, many()).column("b", [7_u8]).into_bytes();
        let length = u32::from_le_bytes(frame[4..8].try_into().unwrap()) as usize;
        let head: Value = serde_json::from_slice(&frame[8..8 + length]).unwrap();
        assert_eq!((&head["total"], &head["columns"][0]["length"]), (&json!(3), &json!(399_999)));
        assert_eq!(frame.len(), 8 + length + 1_600_000 + 8, "one value was too many");
        assert_eq!(frame[8 + length..][..4], 399_999_u32.to_le_bytes());
        assert_eq!(frame[8 + length + 1_600_000 - 8..], [1, 0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0]);
    }
}
