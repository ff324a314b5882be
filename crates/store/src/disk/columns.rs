//! Converts columns between rows and Arrow arrays.

use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, Int64Type};
use arrow_array::{Array, ArrayRef, BooleanArray, DictionaryArray, Int32Array, Int64Array, ListArray, StringArray};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::{DataType, Field};

/// Texts that rows name by number.
pub(crate) struct Texts(pub [Arc<StringArray>; 4]);

/// Which of [`Texts`].
pub(crate) const FUNCTIONS: usize = 0;
pub(crate) const SITES: usize = 1;
pub(crate) const COMMS: usize = 2;
pub(crate) const REGIONS: usize = 3;

/// Values of one column.
pub(crate) trait Column: Default + Send {
    /// Its name and type.
    fn field(name: &str) -> Field;
    /// What was collected.
    fn array(&self, texts: &Texts) -> ArrayRef;
    /// Adds what stands in a file. A wrong type counts as a missing column.
    fn extend(&mut self, array: &dyn Array) -> Option<()>;
    fn clear(&mut self);
    fn len(&self) -> usize;
    /// Makes room for so many more, where that is worth it.
    fn reserve(&mut self, _more: usize) {}
}

macro_rules! numbers {
    ($(#[$text:meta])* $name:ident, $native:ty, $array:ident, $arrow:ident, $kind:ident, none: $none:expr) => {
        $(#[$text])*
        #[derive(Default)]
        pub(crate) struct $name(pub Vec<$native>);

        impl $name {
            /// Stands for null where the column has nulls.
            pub const NONE: $native = <$native>::MIN;
        }

        impl Column for $name {
            fn field(name: &str) -> Field {
                Field::new(name, DataType::$kind, $none)
            }
            fn array(&self, _: &Texts) -> ArrayRef {
                let nulls = $none && self.0.contains(&Self::NONE);
                let nulls = nulls.then(|| NullBuffer::from_iter(self.0.iter().map(|&v| v != Self::NONE)));
                Arc::new($array::new(self.0.clone().into(), nulls))
            }
            fn extend(&mut self, array: &dyn Array) -> Option<()> {
                let values = array.as_primitive_opt::<$arrow>()?;
                if values.null_count() == 0 {
                    self.0.extend_from_slice(values.values());
                } else {
                    self.0.extend(values.iter().map(|v| v.unwrap_or(Self::NONE)));
                }
                Some(())
            }
            fn clear(&mut self) {
                self.0.clear();
            }
            fn len(&self) -> usize {
                self.0.len()
            }
            fn reserve(&mut self, more: usize) {
                self.0.reserve_exact(more);
            }
        }
    };
}

numbers!(
    /// Times, sizes, counts. Signed, since not every reader knows unsigned numbers.
    Int, i64, Int64Array, Int64Type, Int64, none: false);
numbers!(
    /// The same with nulls.
    OptInt, i64, Int64Array, Int64Type, Int64, none: true);
numbers!(
    /// Ranks and ids.
    Id, i32, Int32Array, Int32Type, Int32, none: false);
numbers!(
    /// The same with nulls.
    OptId, i32, Int32Array, Int32Type, Int32, none: true);

/// Yes or no.
#[derive(Default)]
pub(crate) struct Flag(pub Vec<bool>);

impl Column for Flag {
    fn field(name: &str) -> Field {
        Field::new(name, DataType::Boolean, false)
    }
    fn array(&self, _: &Texts) -> ArrayRef {
        Arc::new(BooleanArray::from(self.0.clone()))
    }
    fn extend(&mut self, array: &dyn Array) -> Option<()> {
        self.0.extend(array.as_boolean_opt()?.iter().map(|v| v.unwrap_or(false)));
        Some(())
    }
    fn clear(&mut self) {
        self.0.clear();
    }
    fn len(&self) -> usize {
        self.0.len()
    }
}

fn dictionary(name: &str) -> Field {
    let texts = DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
    Field::new(name, texts, true)
}

/// One of [`Texts`] by its number; negative for none.
#[derive(Default)]
pub(crate) struct Name<const WHICH: usize>(pub Vec<i32>);

impl<const WHICH: usize> Column for Name<WHICH> {
    fn field(name: &str) -> Field {
        dictionary(name)
    }
    fn array(&self, texts: &Texts) -> ArrayRef {
        let nulls = self.0.iter().any(|&v| v < 0);
        let nulls = nulls.then(|| NullBuffer::from_iter(self.0.iter().map(|&v| v >= 0)));
        // A null's number must be a valid one all the same.
        let keys: Vec<i32> = if nulls.is_some() { self.0.iter().map(|&v| v.max(0)).collect() } else { self.0.clone() };
        Arc::new(DictionaryArray::new(Int32Array::new(keys.into(), nulls), texts.0[WHICH].clone()))
    }
    fn extend(&mut self, _: &dyn Array) -> Option<()> {
        Some(()) // numbers are read, not texts
    }
    fn clear(&mut self) {
        self.0.clear();
    }
    fn len(&self) -> usize {
        self.0.len()
    }
}

/// One of a few terms, as [`crate::WaitRow::kind`].
#[derive(Default)]
pub(crate) struct Term(pub Vec<&'static str>);

impl Column for Term {
    fn field(name: &str) -> Field {
        dictionary(name)
    }
    fn array(&self, _: &Texts) -> ArrayRef {
        let mut known: Vec<&str> = Vec::new();
        let number = |text: &&'static str| {
            known.iter().position(|k| k == text).unwrap_or_else(|| {
                known.push(text);
                known.len() - 1
            }) as i32
        };
        let keys: Vec<i32> = self.0.iter().map(number).collect();
        Arc::new(DictionaryArray::new(Int32Array::from(keys), Arc::new(StringArray::from(known))))
    }
    fn extend(&mut self, array: &dyn Array) -> Option<()> {
        let array = array.as_dictionary_opt::<Int32Type>()?;
        let terms: Vec<&str> = array.values().as_string_opt::<i32>()?.iter().map(|v| v.unwrap_or_default()).collect();
        let terms: Vec<&'static str> = terms.into_iter().map(term).collect();
        let of_key = |key: Option<i32>| terms.get(usize::try_from(key?).ok()?).copied();
        self.0.extend(array.keys().iter().map(|key| of_key(key).unwrap_or_default()));
        Some(())
    }
    fn clear(&mut self) {
        self.0.clear();
    }
    fn len(&self) -> usize {
        self.0.len()
    }
}

/// A term that lives as long as the process. There are some dozens of them; a damaged file has no more than a few
/// others.
fn term(text: &str) -> &'static str {
    static KNOWN: Mutex<Vec<&'static str>> = Mutex::new(Vec::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(found) = known.iter().find(|k| **k == text) {
        return found;
    }
    if known.len() >= 256 || text.len() > 64 {
        return "";
    }
    let fresh: &'static str = Box::leak(text.to_owned().into_boxed_str());
    known.push(fresh);
    fresh
}

/// Texts of their own.
#[derive(Default)]
pub(crate) struct Word(pub Vec<String>);

impl Column for Word {
    fn field(name: &str) -> Field {
        Field::new(name, DataType::Utf8, false)
    }
    fn array(&self, _: &Texts) -> ArrayRef {
        Arc::new(StringArray::from_iter_values(&self.0))
    }
    fn extend(&mut self, array: &dyn Array) -> Option<()> {
        self.0.extend(array.as_string_opt::<i32>()?.iter().map(|v| v.unwrap_or("").to_owned()));
        Some(())
    }
    fn clear(&mut self) {
        self.0.clear();
    }
    fn len(&self) -> usize {
        self.0.len()
    }
}

/// Lists of texts.
#[derive(Default)]
pub(crate) struct Words(pub Vec<Vec<String>>);

impl Column for Words {
    fn field(name: &str) -> Field {
        Field::new_list(name, Field::new("item", DataType::Utf8, false), false)
    }
    fn array(&self, _: &Texts) -> ArrayRef {
        let values: Vec<&str> = self.0.iter().flatten().map(String::as_str).collect();
        list(
            self.0.iter().map(Vec::len),
            Field::new("item", DataType::Utf8, false),
            Arc::new(StringArray::from(values)),
        )
    }
    fn extend(&mut self, array: &dyn Array) -> Option<()> {
        for row in array.as_list_opt::<i32>()?.iter() {
            let words = row.map(|row| row.as_string::<i32>().iter().flatten().map(str::to_owned).collect());
            self.0.push(words.unwrap_or_default());
        }
        Some(())
    }
    fn clear(&mut self) {
        self.0.clear();
    }
    fn len(&self) -> usize {
        self.0.len()
    }
}

/// Lists of ranks or numbers; [`OptId::NONE`] for those without.
#[derive(Default)]
pub(crate) struct Ids(pub Vec<Vec<i32>>);

impl Column for Ids {
    fn field(name: &str) -> Field {
        Field::new_list(name, Field::new("item", DataType::Int32, true), false)
    }
    fn array(&self, _: &Texts) -> ArrayRef {
        let values = Int32Array::from_iter(self.0.iter().flatten().map(|&v| (v != OptId::NONE).then_some(v)));
        list(self.0.iter().map(Vec::len), Field::new("item", DataType::Int32, true), Arc::new(values))
    }
    fn extend(&mut self, array: &dyn Array) -> Option<()> {
        for row in array.as_list_opt::<i32>()?.iter() {
            let ids = |row: ArrayRef| {
                row.as_primitive_opt::<Int32Type>().map(|v| v.iter().map(|v| v.unwrap_or(OptId::NONE)).collect())
            };
            self.0.push(row.and_then(ids).unwrap_or_default());
        }
        Some(())
    }
    fn clear(&mut self) {
        self.0.clear();
    }
    fn len(&self) -> usize {
        self.0.len()
    }
}

fn list(lengths: impl Iterator<Item = usize>, item: Field, values: ArrayRef) -> ArrayRef {
    Arc::new(ListArray::new(Arc::new(item), OffsetBuffer::from_lengths(lengths), values, None))
}

/// A number that is never negative.
pub(crate) fn int(value: u64) -> i64 {
    value.min(i64::MAX as u64) as i64
}

/// An id; `u32::MAX` stands for none.
pub(crate) fn id(value: u32) -> i32 {
    i32::try_from(value).unwrap_or(OptId::NONE)
}
