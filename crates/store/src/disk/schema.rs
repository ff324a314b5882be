//! Types of columns: in a Parquet file, and as Arrow-based readers should see them.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flatbuffers::{FlatBufferBuilder, TableFinishedWIPOffset, WIPOffset};
use parquet::basic::{LogicalType, Repetition, Type as Physical};
use parquet::errors::ParquetError;
use parquet::schema::types::{Type, TypePtr};

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Bool,
    Int32 {
        has_nulls: bool,
    },
    Int64 {
        has_nulls: bool,
    },
    Text,
    /// One of a few texts: a category in pandas and Polars.
    Category,
    /// A list of texts in each row.
    Texts,
    /// A list of 32-bit numbers in each row; a number can be null.
    Int32s,
}

impl Kind {
    fn has_nulls(self) -> bool {
        matches!(self, Kind::Category | Kind::Int32 { has_nulls: true } | Kind::Int64 { has_nulls: true })
    }

    fn parquet(self, name: &str) -> Result<Type, ParquetError> {
        let repetition = if self.has_nulls() { Repetition::OPTIONAL } else { Repetition::REQUIRED };
        match self {
            Kind::Bool => primitive(name, Physical::BOOLEAN, repetition),
            Kind::Int32 { .. } => primitive(name, Physical::INT32, repetition),
            Kind::Int64 { .. } => primitive(name, Physical::INT64, repetition),
            Kind::Text | Kind::Category => primitive(name, Physical::BYTE_ARRAY, repetition),
            Kind::Texts => list(name, primitive(ITEM, Physical::BYTE_ARRAY, Repetition::REQUIRED)?),
            Kind::Int32s => list(name, primitive(ITEM, Physical::INT32, Repetition::OPTIONAL)?),
        }
    }
}

/// The name of what a list holds, as Arrow calls it.
const ITEM: &str = "item";

fn primitive(name: &str, physical: Physical, repetition: Repetition) -> Result<Type, ParquetError> {
    let text = (physical == Physical::BYTE_ARRAY).then_some(LogicalType::String);
    Type::primitive_type_builder(name, physical).with_repetition(repetition).with_logical_type(text).build()
}

fn list(name: &str, item: Type) -> Result<Type, ParquetError> {
    let repeated = Type::group_type_builder("list")
        .with_repetition(Repetition::REPEATED)
        .with_fields(vec![Arc::new(item)])
        .build()?;
    Type::group_type_builder(name)
        .with_repetition(Repetition::REQUIRED)
        .with_logical_type(Some(LogicalType::List))
        .with_fields(vec![Arc::new(repeated)])
        .build()
}

/// The schema of a table's files.
pub(crate) fn parquet(columns: &[(&str, Kind)]) -> Result<TypePtr, ParquetError> {
    let fields = columns.iter().map(|&(name, kind)| kind.parquet(name).map(Arc::new)).collect::<Result<_, _>>()?;
    Type::group_type_builder("schema").with_fields(fields).build().map(Arc::new)
}

/// The key under which a Parquet file has the schema that Arrow-based readers give its columns.
pub(crate) const ARROW_KEY: &str = "ARROW:schema";

/// That schema: Parquet alone does not say which texts are categories. It is a schema message of Arrow's IPC format
/// (`Schema.fbs` and `Message.fbs` of the Arrow columnar format 1.0), in base 64.
pub(crate) fn arrow(columns: &[(&str, Kind)]) -> String {
    let mut to = FlatBufferBuilder::new();
    let fields: Vec<_> =
        columns.iter().enumerate().map(|(at, &(name, kind))| field(&mut to, name, kind, at as i64)).collect();
    let fields = to.create_vector(&fields);
    let schema = table(&mut to, |to| to.push_slot_always(slot(1), fields));
    let message = table(&mut to, |to| {
        to.push_slot_always::<i16>(slot(0), METADATA_V5);
        to.push_slot_always::<u8>(slot(1), HEADER_SCHEMA);
        to.push_slot_always(slot(2), schema);
    });
    to.finish_minimal(message);
    let data = to.finished_data();
    let mut framed = vec![0xff; 4];
    framed.extend((data.len() as u32).to_le_bytes());
    framed.extend(data);
    STANDARD.encode(framed)
}

const METADATA_V5: i16 = 4;
const HEADER_SCHEMA: u8 = 1;

// Numbers of types in `Schema.fbs`.
const INT: u8 = 2;
const UTF8: u8 = 5;
const BOOL: u8 = 6;
const LIST: u8 = 12;

type Offset = WIPOffset<TableFinishedWIPOffset>;

/// The place of a field's offset in the vtable of its table.
fn slot(field: u16) -> u16 {
    4 + 2 * field
}

fn table<'a>(to: &mut FlatBufferBuilder<'a>, fill: impl FnOnce(&mut FlatBufferBuilder<'a>)) -> Offset {
    let start = to.start_table();
    fill(to);
    to.end_table(start)
}

fn int(to: &mut FlatBufferBuilder<'_>, bits: i32) -> Offset {
    table(to, |to| {
        to.push_slot_always::<i32>(slot(0), bits);
        to.push_slot_always::<bool>(slot(1), true);
    })
}

fn field(to: &mut FlatBufferBuilder<'_>, name: &str, kind: Kind, id: i64) -> Offset {
    let items = match kind {
        Kind::Texts => Some(field(to, ITEM, Kind::Text, id)),
        Kind::Int32s => Some(field(to, ITEM, Kind::Int32 { has_nulls: true }, id)),
        _ => None,
    };
    let items: Vec<Offset> = items.into_iter().collect();
    let children = to.create_vector(&items);
    let name = to.create_string(name);
    let dictionary = (kind == Kind::Category).then(|| {
        let index = int(to, 32);
        table(to, |to| {
            to.push_slot_always::<i64>(slot(0), id);
            to.push_slot_always(slot(1), index);
        })
    });
    let (number, kind_table) = match kind {
        Kind::Bool => (BOOL, table(to, |_| {})),
        Kind::Int32 { .. } => (INT, int(to, 32)),
        Kind::Int64 { .. } => (INT, int(to, 64)),
        Kind::Text | Kind::Category => (UTF8, table(to, |_| {})),
        Kind::Texts | Kind::Int32s => (LIST, table(to, |_| {})),
    };
    table(to, |to| {
        to.push_slot_always(slot(0), name);
        to.push_slot_always::<bool>(slot(1), kind.has_nulls());
        to.push_slot_always::<u8>(slot(2), number);
        to.push_slot_always(slot(3), kind_table);
        if let Some(dictionary) = dictionary {
            to.push_slot_always(slot(4), dictionary);
        }
        to.push_slot_always(slot(5), children);
    })
}
