//! Values of columns: from rows to a Parquet file, and back.

use std::sync::{Mutex, PoisonError};

use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::column::writer::{ColumnWriter, get_typed_column_writer_mut};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, Int32Type, Int64Type};
use parquet::errors::ParquetError;

use super::schema::Kind;

/// Texts that rows name by number.
pub(crate) struct Texts(pub [Vec<String>; 4]);

/// Which of [`Texts`].
pub(crate) const FUNCTIONS: usize = 0;
pub(crate) const SITES: usize = 1;
pub(crate) const COMMS: usize = 2;
pub(crate) const REGIONS: usize = 3;

/// Rows that are read together: damage cannot make a reader ask for more memory.
const STEP: usize = 1 << 16;

/// Values of one column.
pub(crate) trait Column: Default + Send {
    /// What it holds.
    const KIND: Kind;
    /// Whether mpiscope reads its values: texts beside their numbers are for other tools.
    const IS_READ: bool = true;
    /// Writes what was collected.
    fn write(&self, texts: &Texts, to: &mut ColumnWriter<'_>) -> Result<(), ParquetError>;
    /// Adds what a file has. A wrong type counts as a missing column.
    fn read(&mut self, from: Source) -> Result<(), ParquetError>;
    fn clear(&mut self);
    fn len(&self) -> usize;
    /// Makes room for so many more, where that is worth it.
    fn reserve(&mut self, _more: usize) {}
}

/// Some rows of a column of a file.
pub(crate) struct Source {
    pub reader: ColumnReader,
    /// Definition level of a value: 0 if the column has neither nulls nor lists.
    pub level: i16,
    pub rows: usize,
}

impl Source {
    /// Calls `read` for the rows, some at a time, until there are no more; `read` returns how many it got.
    fn steps(rows: usize, mut read: impl FnMut(usize) -> Result<usize, ParquetError>) -> Result<(), ParquetError> {
        let mut left = rows;
        while left > 0 {
            match read(left.min(STEP))? {
                0 => break,
                found => left = left.saturating_sub(found),
            }
        }
        Ok(())
    }

    /// Adds values, `none` for nulls.
    fn flat<T: DataType>(
        mut reader: ColumnReaderImpl<T>,
        level: i16,
        rows: usize,
        none: &T::T,
        to: &mut Vec<T::T>,
    ) -> Result<(), ParquetError> {
        let mut levels = Vec::new();
        Source::steps(rows, |step| {
            let first = to.len();
            levels.clear();
            let defined = (level > 0).then_some(&mut levels);
            let (found, mut values, _) = reader.read_records(step, defined, None, to)?;
            if values < found {
                // Values stand together: move each to its row, the last first.
                to.resize(first + found, none.clone());
                for at in (0..found).rev() {
                    if levels.get(at) == Some(&level) {
                        values -= 1;
                        to.swap(first + at, first + values);
                    }
                }
            }
            Ok(found)
        })
    }

    /// Adds lists, one for each row; `none` for nulls in them.
    fn lists<T: DataType, V>(
        mut reader: ColumnReaderImpl<T>,
        level: i16,
        rows: usize,
        value: impl Fn(Option<T::T>) -> V,
        to: &mut Vec<Vec<V>>,
    ) -> Result<(), ParquetError> {
        Source::steps(rows, |step| {
            let (mut defined, mut repeated, mut values) = (Vec::new(), Vec::new(), Vec::new());
            let (found, _, _) = reader.read_records(step, Some(&mut defined), Some(&mut repeated), &mut values)?;
            let mut values = values.into_iter();
            for (&defined, &repeated) in defined.iter().zip(&repeated) {
                if repeated == 0 {
                    to.push(Vec::new());
                }
                let Some(row) = to.last_mut() else { continue };
                if defined == level {
                    row.extend(values.next().map(|v| value(Some(v))));
                } else if defined > 0 {
                    row.push(value(None));
                }
            }
            Ok(found)
        })
    }
}

/// Writes values of a column that can have nulls.
fn write_some<T: DataType>(
    to: &mut ColumnWriter<'_>,
    rows: usize,
    values: impl Iterator<Item = Option<T::T>>,
) -> Result<(), ParquetError> {
    let (mut defined, mut some) = (Vec::with_capacity(rows), Vec::with_capacity(rows));
    for value in values {
        defined.push(i16::from(value.is_some()));
        some.extend(value);
    }
    get_typed_column_writer_mut::<T>(to).write_batch(&some, Some(&defined), None).map(drop)
}

/// Writes lists; a value that is `None` is null.
fn write_lists<'a, T: DataType, V: 'a>(
    to: &mut ColumnWriter<'_>,
    lists: &'a [Vec<V>],
    level: i16,
    value: impl Fn(&'a V) -> Option<T::T>,
) -> Result<(), ParquetError> {
    let (mut defined, mut repeated, mut values) = (Vec::new(), Vec::new(), Vec::new());
    for list in lists {
        if list.is_empty() {
            defined.push(0);
            repeated.push(0);
        }
        for (at, item) in list.iter().enumerate() {
            let item = value(item);
            defined.push(if item.is_some() { level } else { level - 1 });
            repeated.push(i16::from(at > 0));
            values.extend(item);
        }
    }
    get_typed_column_writer_mut::<T>(to).write_batch(&values, Some(&defined), Some(&repeated)).map(drop)
}

/// The members that are the same for every column of a vector.
macro_rules! vector {
    () => {
        fn clear(&mut self) {
            self.0.clear();
        }
        fn len(&self) -> usize {
            self.0.len()
        }
    };
}

macro_rules! numbers {
    ($(#[$text:meta])* $name:ident, $native:ty, $parquet:ident, $reader:ident, $kind:ident, none: $none:literal) => {
        $(#[$text])*
        #[derive(Default)]
        pub(crate) struct $name(pub Vec<$native>);

        impl $name {
            /// Stands for null where the column has nulls.
            pub const NONE: $native = <$native>::MIN;
        }

        impl Column for $name {
            const KIND: Kind = Kind::$kind { has_nulls: $none };

            fn write(&self, _: &Texts, to: &mut ColumnWriter<'_>) -> Result<(), ParquetError> {
                if $none {
                    let values = self.0.iter().map(|&v| (v != Self::NONE).then_some(v));
                    write_some::<$parquet>(to, self.0.len(), values)
                } else {
                    get_typed_column_writer_mut::<$parquet>(to).write_batch(&self.0, None, None).map(drop)
                }
            }
            fn read(&mut self, from: Source) -> Result<(), ParquetError> {
                let ColumnReader::$reader(reader) = from.reader else { return Ok(()) };
                Source::flat(reader, from.level, from.rows, &Self::NONE, &mut self.0)
            }
            fn reserve(&mut self, more: usize) {
                self.0.reserve_exact(more);
            }
            vector!();
        }
    };
}

numbers!(
    /// Times, sizes, counts. Signed, since not every reader knows unsigned numbers.
    Int, i64, Int64Type, Int64ColumnReader, Int64, none: false);
numbers!(
    /// The same with nulls.
    OptInt, i64, Int64Type, Int64ColumnReader, Int64, none: true);
numbers!(
    /// Ranks and ids.
    Id, i32, Int32Type, Int32ColumnReader, Int32, none: false);
numbers!(
    /// The same with nulls.
    OptId, i32, Int32Type, Int32ColumnReader, Int32, none: true);

/// Yes or no.
#[derive(Default)]
pub(crate) struct Flag(pub Vec<bool>);

impl Column for Flag {
    const KIND: Kind = Kind::Bool;

    fn write(&self, _: &Texts, to: &mut ColumnWriter<'_>) -> Result<(), ParquetError> {
        get_typed_column_writer_mut::<BoolType>(to).write_batch(&self.0, None, None).map(drop)
    }
    fn read(&mut self, from: Source) -> Result<(), ParquetError> {
        let ColumnReader::BoolColumnReader(reader) = from.reader else { return Ok(()) };
        Source::flat(reader, from.level, from.rows, &false, &mut self.0)
    }
    vector!();
}

/// One of [`Texts`] by its number; negative for none.
#[derive(Default)]
pub(crate) struct Name<const WHICH: usize>(pub Vec<i32>);

impl<const WHICH: usize> Column for Name<WHICH> {
    const KIND: Kind = Kind::Category;
    const IS_READ: bool = false;

    fn write(&self, texts: &Texts, to: &mut ColumnWriter<'_>) -> Result<(), ParquetError> {
        let texts = &texts.0[WHICH];
        // Copies of its own: groups of ranks are written in parallel, and would fight for the counter of references.
        let mut copies: Vec<Option<ByteArray>> = vec![None; texts.len()];
        let text = |&number: &i32| {
            let number = usize::try_from(number).ok()?;
            let copy = copies.get_mut(number)?;
            Some(copy.get_or_insert_with(|| ByteArray::from(texts[number].as_str())).clone())
        };
        write_some::<ByteArrayType>(to, self.0.len(), self.0.iter().map(text))
    }
    fn read(&mut self, _: Source) -> Result<(), ParquetError> {
        Ok(())
    }
    vector!();
}

/// One of a few terms, as [`crate::WaitRow::kind`].
#[derive(Default)]
pub(crate) struct Term(pub Vec<&'static str>);

impl Column for Term {
    const KIND: Kind = Kind::Category;

    fn write(&self, _: &Texts, to: &mut ColumnWriter<'_>) -> Result<(), ParquetError> {
        let text = |&text: &&'static str| Some(ByteArray::from(bytes::Bytes::from_static(text.as_bytes())));
        write_some::<ByteArrayType>(to, self.0.len(), self.0.iter().map(text))
    }
    fn read(&mut self, from: Source) -> Result<(), ParquetError> {
        let ColumnReader::ByteArrayColumnReader(reader) = from.reader else { return Ok(()) };
        let mut texts = Vec::new();
        Source::flat(reader, from.level, from.rows, &ByteArray::from(""), &mut texts)?;
        // Rows of one kind often stand together.
        let mut last: (&[u8], &'static str) = (b"", "");
        self.0.extend(texts.iter().map(|text| {
            if text.data() != last.0 {
                last = (text.data(), text.as_utf8().map_or("", term));
            }
            last.1
        }));
        Ok(())
    }
    vector!();
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

/// A text of a file; bytes that are no UTF-8 are replaced.
fn text_of(bytes: &ByteArray) -> String {
    String::from_utf8_lossy(bytes.data()).into_owned()
}

/// Texts of their own.
#[derive(Default)]
pub(crate) struct Word(pub Vec<String>);

impl Column for Word {
    const KIND: Kind = Kind::Text;

    fn write(&self, _: &Texts, to: &mut ColumnWriter<'_>) -> Result<(), ParquetError> {
        let values: Vec<ByteArray> = self.0.iter().map(|text| ByteArray::from(text.as_str())).collect();
        get_typed_column_writer_mut::<ByteArrayType>(to).write_batch(&values, None, None).map(drop)
    }
    fn read(&mut self, from: Source) -> Result<(), ParquetError> {
        let ColumnReader::ByteArrayColumnReader(reader) = from.reader else { return Ok(()) };
        let mut texts = Vec::new();
        Source::flat(reader, from.level, from.rows, &ByteArray::from(""), &mut texts)?;
        self.0.extend(texts.iter().map(text_of));
        Ok(())
    }
    vector!();
}

/// Lists of texts.
#[derive(Default)]
pub(crate) struct Words(pub Vec<Vec<String>>);

impl Column for Words {
    const KIND: Kind = Kind::Texts;

    fn write(&self, _: &Texts, to: &mut ColumnWriter<'_>) -> Result<(), ParquetError> {
        write_lists::<ByteArrayType, _>(to, &self.0, 1, |text| Some(ByteArray::from(text.as_str())))
    }
    fn read(&mut self, from: Source) -> Result<(), ParquetError> {
        let ColumnReader::ByteArrayColumnReader(reader) = from.reader else { return Ok(()) };
        let text = |text: Option<ByteArray>| text.as_ref().map_or_else(String::new, text_of);
        Source::lists(reader, from.level, from.rows, text, &mut self.0)
    }
    vector!();
}

/// Lists of ranks or numbers; [`OptId::NONE`] for those without.
#[derive(Default)]
pub(crate) struct Ids(pub Vec<Vec<i32>>);

impl Column for Ids {
    const KIND: Kind = Kind::Int32s;

    fn write(&self, _: &Texts, to: &mut ColumnWriter<'_>) -> Result<(), ParquetError> {
        write_lists::<Int32Type, _>(to, &self.0, 2, |&number| (number != OptId::NONE).then_some(number))
    }
    fn read(&mut self, from: Source) -> Result<(), ParquetError> {
        let ColumnReader::Int32ColumnReader(reader) = from.reader else { return Ok(()) };
        Source::lists(reader, from.level, from.rows, |number| number.unwrap_or(OptId::NONE), &mut self.0)
    }
    vector!();
}

/// A number that is never negative.
pub(crate) fn int(value: u64) -> i64 {
    value.min(i64::MAX as u64) as i64
}

/// An id; `u32::MAX` stands for none.
pub(crate) fn id(value: u32) -> i32 {
    i32::try_from(value).unwrap_or(OptId::NONE)
}
