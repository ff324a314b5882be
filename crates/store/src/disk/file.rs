//! Writes the file of one table.

use std::fs::File;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use parquet::basic::{Compression, Encoding};
use parquet::column::page::{CompressedPage, PageWriteSpec, PageWriter};
use parquet::column::writer::{ColumnWriter, get_column_writer};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::{SerializedFileWriter, SerializedPageWriter, TrackedWrite};
use parquet::schema::types::ColumnPath;

use super::StoreError;
use super::columns::Texts;
use super::folder::{FORMAT, Folder, TableSize};
use super::schema::{self, Kind};
use super::tables::Table;

/// Rows that are encoded together.
const SLICE: usize = 1 << 14;
/// Calls after which a row group ends, at the end of a stretch: readers take whole stretches out of it.
pub(crate) const ROW_GROUP: usize = 1 << 19;
/// The same for tables whose row groups are in memory, encoded, until they end.
const ROW_GROUP_OPEN: usize = 1 << 17;

/// Rows after which a page ends: readers take whole pages out of a row group. (Few in tests, so that small runs have many.)
const PAGE: usize = if cfg!(test) { 16 } else { 20_000 };
/// Rows after which it is looked whether a page ends.
const PAGE_STEP: usize = if cfg!(test) { 8 } else { 1024 };

/// Rows on their way into a file.
pub(crate) struct TableFile<T> {
    pub rows: T,
    open: Option<(OpenFile, PathBuf)>,
    part: usize,
    /// Rows of the row group that is not finished, and of all.
    in_group: usize,
    written: u64,
}

impl<T: Table> TableFile<T> {
    pub fn new(part: usize) -> TableFile<T> {
        TableFile { rows: T::default(), open: None, part, in_group: 0, written: 0 }
    }

    /// Writes what has come together, if it is enough.
    pub fn breathe(&mut self, folder: &Folder, texts: &Texts) -> Result<(), StoreError> {
        if self.rows.len() >= SLICE { self.write(folder, texts) } else { Ok(()) }
    }

    /// A stretch is over: here a row group may end.
    pub fn end_stretch(&mut self, folder: &Folder, texts: &Texts) -> Result<(), StoreError> {
        self.breathe(folder, texts)?;
        if self.in_group + self.rows.len() >= ROW_GROUP_OPEN { self.end_group(folder, texts) } else { Ok(()) }
    }

    /// Ends the row group.
    pub fn end_group(&mut self, folder: &Folder, texts: &Texts) -> Result<(), StoreError> {
        self.write(folder, texts)?;
        self.in_group = 0;
        let Some((writer, path)) = &mut self.open else { return Ok(()) };
        writer.end_group().map_err(|e| StoreError::Write(path.clone(), e.to_string()))
    }

    fn write(&mut self, folder: &Folder, texts: &Texts) -> Result<(), StoreError> {
        let rows = self.rows.len();
        if rows == 0 {
            return Ok(());
        }
        let (writer, path) = match &mut self.open {
            Some(open) => open,
            None => self.open.insert(create::<T>(folder, self.part)?),
        };
        let columns = writer.columns.iter_mut().map(|column| &mut column.writer);
        self.rows.drain(texts, columns).map_err(|e| StoreError::Write(path.clone(), e.to_string()))?;
        writer.is_group_empty = false;
        self.in_group += rows;
        self.written += rows as u64;
        Ok(())
    }

    /// Closes the file. The first part exists even without rows, so that every table can be read.
    pub fn finish(mut self, folder: &Folder, texts: &Texts) -> Result<TableSize, StoreError> {
        self.write(folder, texts)?;
        if self.open.is_none() && self.part == 0 {
            self.open = Some(create::<T>(folder, 0)?);
        }
        let mut size = TableSize { name: T::NAME.into(), rows: self.written, ..TableSize::default() };
        if let Some((writer, path)) = self.open {
            writer.close().map_err(|e| StoreError::Write(path.clone(), e.to_string()))?;
            size.files = 1;
            size.bytes = std::fs::metadata(&path).map_or(0, |m| m.len());
        }
        Ok(size)
    }
}

/// A file and the row group that is not finished: its columns come one after the other in the file, but grow together.
struct OpenFile {
    writer: SerializedFileWriter<File>,
    columns: Vec<OpenColumn>,
    is_group_empty: bool,
}

struct OpenColumn {
    writer: ColumnWriter<'static>,
    pages: Pages,
}

impl OpenFile {
    fn new(writer: SerializedFileWriter<File>) -> OpenFile {
        let columns = open_columns(&writer);
        OpenFile { writer, columns, is_group_empty: true }
    }

    fn end_group(&mut self) -> Result<(), ParquetError> {
        if self.is_group_empty {
            return Ok(());
        }
        let columns = std::mem::replace(&mut self.columns, open_columns(&self.writer));
        self.is_group_empty = true;
        let mut group = self.writer.next_row_group()?;
        for OpenColumn { writer, pages } in columns {
            let closed = writer.close()?;
            group.append_column(&pages.take(), closed)?;
        }
        group.close().map(drop)
    }

    fn close(mut self) -> Result<(), ParquetError> {
        self.end_group()?;
        self.writer.close().map(drop)
    }
}

fn open_columns(writer: &SerializedFileWriter<File>) -> Vec<OpenColumn> {
    let properties = writer.properties();
    let open = |column: &Arc<_>| {
        let pages = Pages::default();
        let writer = get_column_writer(Arc::clone(column), Arc::clone(properties), Box::new(pages.clone()));
        OpenColumn { writer, pages }
    };
    writer.schema_descr().columns().iter().map(open).collect()
}

/// The pages of one column, encoded. Its writer fills them, and the file takes them.
#[derive(Clone, Default)]
struct Pages(Arc<Mutex<(Vec<Vec<u8>>, u64)>>);

impl Pages {
    /// All of them.
    fn take(self) -> Bytes {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).0.concat().into()
    }
}

impl PageWriter for Pages {
    fn write_page(&mut self, page: CompressedPage) -> Result<PageWriteSpec, ParquetError> {
        let mut written = TrackedWrite::new(Vec::with_capacity(page.compressed_size() + 64));
        let mut spec = SerializedPageWriter::new(&mut written).write_page(page)?;
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (pages, bytes) = &mut *all;
        spec.offset += *bytes;
        *bytes += spec.bytes_written;
        pages.push(written.into_inner()?);
        Ok(spec)
    }

    fn close(&mut self) -> Result<(), ParquetError> {
        Ok(())
    }
}

/// Whether values of a column grow from row to row and hardly repeat: differences are small, a dictionary would hold
/// everything.
fn grows(name: &str, kind: Kind) -> bool {
    let counts = name.ends_with("_ns") || name.ends_with("row") || name == "operation" || name == "sequence";
    matches!(kind, Kind::Int64 { .. }) && counts
}

fn create<T: Table>(folder: &Folder, part: usize) -> Result<(OpenFile, PathBuf), StoreError> {
    let (file, path) = folder.file(T::NAME, part)?;
    let mut properties = WriterProperties::builder()
        .set_compression(Compression::LZ4_RAW)
        .set_max_row_group_size(usize::MAX)
        .set_data_page_row_count_limit(PAGE)
        .set_write_batch_size(PAGE_STEP)
        .set_statistics_enabled(EnabledStatistics::Page)
        .set_created_by(format!("mpiscope {}", env!("CARGO_PKG_VERSION")))
        .set_key_value_metadata(Some(vec![
            KeyValue::new("mpiscope.store.format".into(), FORMAT.to_string()),
            KeyValue::new("mpiscope.store.table".into(), T::NAME.to_owned()),
            KeyValue::new(schema::ARROW_KEY.into(), schema::arrow(T::SCHEMA)),
        ]));
    for &(name, _) in T::SCHEMA.iter().filter(|&&(name, kind)| grows(name, kind)) {
        let column = ColumnPath::from(name);
        properties = properties
            .set_column_dictionary_enabled(column.clone(), false)
            .set_column_encoding(column, Encoding::DELTA_BINARY_PACKED);
    }
    let schema = schema::parquet(T::SCHEMA);
    let writer = schema.and_then(|schema| SerializedFileWriter::new(file, schema, Arc::new(properties.build())));
    writer.map(|w| (OpenFile::new(w), path.clone())).map_err(|e| StoreError::Write(path, e.to_string()))
}
