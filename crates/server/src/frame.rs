//! Answers with many numbers: a JSON head and columns as they lie in memory.

use serde_json::{Map, Value, json};

/// What stands before the head: what it is, and how long the head is.
const BEGIN: usize = 8;
/// Room for the head, which is known when the columns are: so these, which may be megabytes, are written once. Blanks behind
/// JSON are JSON.
const ROOM: usize = 4096;

/// A frame under construction.
pub(crate) struct Frame {
    head: Map<String, Value>,
    columns: Vec<Value>,
    /// Room for the head, then columns.
    bytes: Vec<u8>,
}

/// Numbers of one type.
pub(crate) trait Number: Copy {
    const TYPE: &'static str;
    /// To a place as large as it is.
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

impl Frame {
    /// `head` has what is not a column.
    pub fn new(kind: &str, head: Value) -> Frame {
        let mut head = match head {
            Value::Object(head) => head,
            _ => Map::new(),
        };
        head.insert("kind".into(), kind.into());
        Frame { head, columns: Vec::new(), bytes: vec![b' '; ROOM] }
    }

    /// Adds a column.
    pub fn column<N: Number, I: IntoIterator<Item = N, IntoIter: ExactSizeIterator>>(
        mut self,
        name: &str,
        values: I,
    ) -> Frame {
        let values = values.into_iter();
        let (begin, length) = (self.bytes.len(), values.len());
        self.bytes.resize((begin + length * size_of::<N>()).next_multiple_of(8), 0);
        self.bytes[begin..].chunks_exact_mut(size_of::<N>()).zip(values).for_each(|(place, value)| value.put(place));
        self.columns.push(json!({"name": name, "type": N::TYPE, "length": length}));
        self
    }

    /// The bytes.
    pub fn finish(mut self) -> Vec<u8> {
        self.head.insert("columns".into(), self.columns.into());
        let mut head = Value::Object(self.head).to_string().into_bytes();
        let room = (BEGIN + head.len()).next_multiple_of(8);
        // Small answers are moved rather than padded.
        let room = if room > ROOM || self.bytes.len() < 16 * ROOM {
            self.bytes.splice(..ROOM, std::iter::repeat_n(b' ', room));
            room
        } else {
            ROOM
        };
        head.resize(room - BEGIN, b' ');
        self.bytes[..4].copy_from_slice(b"MSF1");
        self.bytes[4..BEGIN].copy_from_slice(&(head.len() as u32).to_le_bytes());
        self.bytes[BEGIN..room].copy_from_slice(&head);
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_begin_at_multiples_of_eight() {
        let frame = Frame::new("calls", json!({"total": 3})).column("a", [1_u8, 2, 3]).column("b", [1.5_f64]).finish();
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
    fn large_frames_are_as_small_ones() {
        let frame =
            Frame::new("calls", json!({"total": 3})).column("a", (0..40_000_u32).rev().collect::<Vec<_>>()).finish();
        let length = u32::from_le_bytes(frame[4..8].try_into().unwrap()) as usize;
        let head: Value = serde_json::from_slice(&frame[8..8 + length]).unwrap();
        assert_eq!((&head["total"], &head["columns"][0]["length"]), (&json!(3), &json!(40_000)));
        let begin = (8 + length).next_multiple_of(8);
        assert_eq!((begin, frame.len()), (ROOM, ROOM + 160_000));
        assert_eq!(frame[begin..begin + 4], 39_999_u32.to_le_bytes());
    }

    #[test]
    fn a_head_may_be_larger_than_its_room() {
        let label = "n".repeat(ROOM + 3);
        let frame = Frame::new("matrix", json!({"labels": [label]})).column("a", [7_u32, 8, 9]).finish();
        let length = u32::from_le_bytes(frame[4..8].try_into().unwrap()) as usize;
        let head: Value = serde_json::from_slice(&frame[8..8 + length]).unwrap();
        assert_eq!((head["labels"][0].as_str(), &head["columns"][0]["length"]), (Some(label.as_str()), &json!(3)));
        let begin = (8 + length).next_multiple_of(8);
        assert_eq!(frame[begin..begin + 8], [7, 0, 0, 0, 8, 0, 0, 0]);
        assert_eq!(frame.len(), begin + 16);
    }
}
