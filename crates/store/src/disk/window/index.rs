//! Where things are: the files of a table, and what each row group says of itself.

use std::ops::Range;
use std::path::{Path, PathBuf};

use parquet::arrow::arrow_reader::ArrowReaderMetadata;
use parquet::file::statistics::Statistics;

use super::super::StoreError;
use super::super::read::{metadata, parts, read_part};
use super::super::tables::Table;

/// Files of a table.
pub(super) struct Files(pub Vec<Part>);

/// One file of a table.
pub(super) struct Part {
    pub path: PathBuf,
    pub metadata: ArrowReaderMetadata,
}

/// Smallest and largest value of a column of a row group.
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

impl Files {
    pub fn open(store: &Path, table: &str) -> Result<Files, StoreError> {
        let open = |path: PathBuf| Ok(Part { metadata: metadata(&path)?, path });
        Ok(Files(parts(store, table)?.into_iter().map(open).collect::<Result<_, StoreError>>()?))
    }

    /// Row groups that may have something: file and row group, in order.
    pub fn groups(&self, may_have: impl Fn(&Part, usize) -> bool) -> Vec<(usize, usize)> {
        let of_part = |(at, part): (usize, &Part)| {
            let groups = (0..part.metadata.metadata().num_row_groups()).filter(|&group| may_have(part, group));
            groups.map(|group| (at, group)).collect::<Vec<_>>()
        };
        self.0.iter().enumerate().flat_map(of_part).collect()
    }
}

impl Part {
    pub fn rows(&self, group: usize) -> usize {
        self.metadata.metadata().row_group(group).num_rows().max(0) as usize
    }

    pub fn bounds(&self, group: usize, column: &str) -> Bounds {
        let columns = self.metadata.metadata().row_group(group).columns();
        // Tables are flat: a column's number in the schema is its number in the row group.
        let at = self.metadata.schema().fields().iter().position(|f| f.name() == column);
        let found = at.and_then(|at| columns.get(at)).and_then(|c| c.statistics());
        let bounds = |least: i64, most: i64, s: &Statistics| Bounds {
            least,
            most,
            has_nulls: s.null_count_opt().is_none_or(|n| n > 0),
        };
        found
            .and_then(|s| match s {
                Statistics::Int32(v) => Some(bounds((*v.min_opt()?).into(), (*v.max_opt()?).into(), s)),
                Statistics::Int64(v) => Some(bounds(*v.min_opt()?, *v.max_opt()?, s)),
                Statistics::Boolean(v) => Some(bounds((*v.min_opt()?).into(), (*v.max_opt()?).into(), s)),
                _ => None,
            })
            .unwrap_or(Bounds::UNKNOWN)
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
        read_part(&self.path, &self.metadata, columns, Some(group), part, &mut rows)?;
        Ok(rows)
    }

    pub fn lacks_columns(&self) -> StoreError {
        StoreError::Read(self.path.clone(), "columns are missing".into())
    }
}
