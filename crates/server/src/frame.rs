//! Answers with many numbers: a JSON head and columns as they lie in memory.

use serde_json::{Map, Value, json};

/// A frame under construction.
pub(crate) struct Frame {
    head: Map<String, Value>,
    columns: Vec<Value>,
    body: Vec<u8>,
}

/// Numbers of one type.
pub(crate) trait Number: Copy {
    const TYPE: &'static str;
    fn put(self, to: &mut Vec<u8>);
}

macro_rules! numbers {
    ($($type:ident)*) => {$(
        impl Number for $type {
            const TYPE: &'static str = stringify!($type);
            fn put(self, to: &mut Vec<u8>) {
                to.extend_from_slice(&self.to_le_bytes());
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
        Frame { head, columns: Vec::new(), body: Vec::new() }
    }

    /// Adds a column.
    pub fn column<N: Number>(mut self, name: &str, values: impl IntoIterator<Item = N>) -> Frame {
        let begin = self.body.len();
        values.into_iter().for_each(|value| value.put(&mut self.body));
        let length = (self.body.len() - begin) / size_of::<N>();
        self.body.resize(self.body.len().next_multiple_of(8), 0);
        self.columns.push(json!({"name": name, "type": N::TYPE, "length": length}));
        self
    }

    /// The bytes.
    pub fn finish(mut self) -> Vec<u8> {
        self.head.insert("columns".into(), self.columns.into());
        let head = Value::Object(self.head).to_string();
        let mut bytes = Vec::with_capacity(16 + head.len() + self.body.len());
        bytes.extend_from_slice(b"MSF1");
        bytes.extend_from_slice(&(head.len() as u32).to_le_bytes());
        bytes.extend_from_slice(head.as_bytes());
        bytes.resize(bytes.len().next_multiple_of(8), b' ');
        bytes.append(&mut self.body);
        bytes
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
}
