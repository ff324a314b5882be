//! The index: the files of a table, and the statistics of each row group.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use parquet::file::metadata::ParquetMetaData;
use parquet::file::page_index::column_index::{ColumnIndexMetaData, PrimitiveColumnIndex};
use parquet::file::statistics::Statistics;

use super::super::StoreError;
use super::super::read::{column_number, metadata, paged, parts, read_group};
use super::super::tables::Table;

/// Files of a table.
pub(super) struct Files(pub Vec<Part>);

/// One file of a table.
pub(super) struct Part {
    pub path: PathBuf,
    pub metadata: Arc<ParquetMetaData>,
    /// The same with the places of pages, read when somebody wants a part of a row group.
    paged: OnceLock<Arc<ParquetMetaData>>,
}

/// File, row group, and which of its pieces.
pub(super) type PieceKey = (usize, usize, usize);

/// A piece of a row group, as large as a page: what is decoded by itself.
pub(super) struct Piece {
    pub key: PieceKey,
    pub places: Range<usize>,
}

impl Piece {
    /// Where it is, if something else is in its row group.
    pub fn place(&self) -> RowsOfGroup {
        RowsOfGroup { group: self.key.1, rows: Some((self.places.start, self.places.end)) }
    }
}

/// A row group, or some rows of it.
#[derive(Clone, Copy)]
pub(super) struct RowsOfGroup {
    group: usize,
    rows: Option<(usize, usize)>,
}

impl From<usize> for RowsOfGroup {
    fn from(group: usize) -> RowsOfGroup {
        RowsOfGroup { group, rows: None }
    }
}

/// Smallest and largest value of a column of a row group, or of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bounds {
    pub least: i64,
    pub most: i64,
    /// Whether there may be nulls.
    pub has_nulls: bool,
}

impl Bounds {
    /// Where a file says nothing.
    const UNKNOWN: Bounds = Bounds { least: i64::MIN, most: i64::MAX, has_nulls: true };

    /// Both, as moments.
    pub fn moments(self) -> (u64, u64) {
        (self.least.max(0) as u64, if self.has_nulls { u64::MAX } else { self.most.max(0) as u64 })
    }

    /// Both, as ranks.
    pub fn ranks(self) -> (u32, u32) {
        let id = |v: i64| v.clamp(0, i64::from(u32::MAX)) as u32;
        (id(self.least), if self.has_nulls { u32::MAX } else { id(self.most) })
    }
}

/// Smallest and largest value of a page; nothing where all are null.
fn between<T: Copy + Into<i64>>(index: &PrimitiveColumnIndex<T>, page: usize) -> Option<(i64, i64)> {
    if page as u64 >= index.num_pages() || index.is_null_page(page) {
        return None;
    }
    Some(((*index.min_values().get(page)?).into(), (*index.max_values().get(page)?).into()))
}

impl Files {
    pub fn open(store: &Path, table: &str) -> Result<Files, StoreError> {
        let open = |path: PathBuf| Ok(Part { metadata: metadata(&path)?, path, paged: OnceLock::new() });
        Ok(Files(parts(store, table)?.into_iter().map(open).collect::<Result<_, StoreError>>()?))
    }

    /// Row groups that may have something: file and row group, in order.
    pub fn groups(&self, may_have: impl Fn(&Part, usize) -> bool) -> Vec<(usize, usize)> {
        let of_part = |(at, part): (usize, &Part)| {
            let groups = (0..part.metadata.num_row_groups()).filter(|&group| may_have(part, group));
            groups.map(|group| (at, group)).collect::<Vec<_>>()
        };
        self.0.iter().enumerate().flat_map(of_part).collect()
    }

    /// All pieces of a row group, as the pages of a column have it.
    pub fn pieces(&self, (part, group): (usize, usize), column: &str) -> Vec<Piece> {
        let places = self.0[part].page_places(group, column);
        let piece = |(at, w): (usize, &[usize])| Piece { key: (part, group, at), places: w[0]..w[1] };
        places.windows(2).enumerate().map(piece).collect()
    }
}

impl Part {
    pub fn rows(&self, group: usize) -> usize {
        self.metadata.row_group(group).num_rows().max(0) as usize
    }

    pub fn bounds(&self, place: impl Into<RowsOfGroup>, column: &str) -> Bounds {
        let Some(at) = column_number(&self.metadata, column) else { return Bounds::UNKNOWN };
        let RowsOfGroup { group, rows } = place.into();
        let found = match rows {
            None => self.bounds_of_group(group, at),
            Some(rows) => self.bounds_of_page(group, at, rows),
        };
        found.unwrap_or(Bounds::UNKNOWN)
    }

    fn bounds_of_group(&self, group: usize, column: usize) -> Option<Bounds> {
        let found = self.metadata.row_group(group).columns().get(column)?.statistics()?;
        let has_nulls = found.null_count_opt().is_none_or(|n| n > 0);
        let bounds = |least: i64, most: i64| Bounds { least, most, has_nulls };
        Some(match found {
            Statistics::Int32(v) => bounds((*v.min_opt()?).into(), (*v.max_opt()?).into()),
            Statistics::Int64(v) => bounds(*v.min_opt()?, *v.max_opt()?),
            Statistics::Boolean(v) => bounds((*v.min_opt()?).into(), (*v.max_opt()?).into()),
            _ => return None,
        })
    }

    /// Nothing where the file does not say it, or has no page of just these rows.
    fn bounds_of_page(&self, group: usize, column: usize, (from, until): (usize, usize)) -> Option<Bounds> {
        let metadata = self.paged();
        let pages = metadata.offset_index()?.get(group)?.get(column)?.page_locations();
        let at = pages.binary_search_by_key(&(from as i64), |page| page.first_row_index).ok()?;
        let end = pages.get(at + 1).map_or(self.rows(group) as i64, |page| page.first_row_index);
        let found = metadata.column_index()?.get(group)?.get(column).filter(|_| end == until as i64)?;
        let (least, most) = match found {
            ColumnIndexMetaData::INT32(v) => between(v, at)?,
            ColumnIndexMetaData::INT64(v) => between(v, at)?,
            ColumnIndexMetaData::BOOLEAN(v) => between(v, at)?,
            _ => return None,
        };
        let has_nulls = found.null_counts().and_then(|nulls| nulls.get(at)).is_none_or(|&n| n > 0);
        Some(Bounds { least, most, has_nulls })
    }

    /// These columns of a row group.
    pub fn read<T: Table>(&self, group: usize, columns: &[&str]) -> Result<T, StoreError> {
        self.read_part(group, columns, None)
    }

    /// The same, of the rows at some places only.
    pub fn read_part<T: Table>(
        &self,
        group: usize,
        columns: &[&str],
        part: Option<Range<usize>>,
    ) -> Result<T, StoreError> {
        let mut rows = T::default();
        let metadata = if part.is_some() { self.paged() } else { &self.metadata };
        read_group(&self.path, metadata, columns, group, part, &mut rows)?;
        Ok(rows)
    }

    /// Where pages are, if the file says so. (If not, what is not wanted is decoded and thrown away.)
    fn paged(&self) -> &Arc<ParquetMetaData> {
        self.paged.get_or_init(|| paged(&self.path).unwrap_or_else(|_| self.metadata.clone()))
    }

    /// Where the pages of a column begin in a row group; its end is the last one. Rows between two of them are read without
    /// those around them.
    pub fn page_places(&self, group: usize, column: &str) -> Vec<usize> {
        let rows = self.rows(group);
        let at = column_number(&self.metadata, column);
        let of_group = self.paged().offset_index().and_then(|index| index.get(group));
        let pages = at.zip(of_group).and_then(|(at, columns)| columns.get(at));
        let first_rows = pages.into_iter().flat_map(|pages| pages.page_locations()).map(|page| page.first_row_index);
        let mut places = vec![0];
        for place in first_rows.filter_map(|row| usize::try_from(row).ok()).filter(|&row| row < rows) {
            if places.last().is_some_and(|&last| last < place) {
                places.push(place);
            }
        }
        places.push(rows);
        places
    }

    pub fn lacks_columns(&self) -> StoreError {
        StoreError::Read(self.path.clone(), "columns are missing".into())
    }
}
