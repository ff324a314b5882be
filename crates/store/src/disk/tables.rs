//! The tables, column by column. `docs/store.md` describes their meaning; a test compares both.

use parquet::column::writer::ColumnWriter;
use parquet::errors::ParquetError;

use super::columns::{
    COMMS, Column, FUNCTIONS, Flag, Id, Ids, Int, Name, OptId, OptInt, REGIONS, SITES, Source, Term, Texts, Word, Words,
};
use super::schema::Kind;

type Function = Name<FUNCTIONS>;
type Site = Name<SITES>;
type Comm = Name<COMMS>;
type Region = Name<REGIONS>;

/// The name of a table or column in format 1, if it was another one.
pub(crate) fn name_in_format_1(name: &str) -> Option<String> {
    name.strip_suffix("call_info").map(|prefix| format!("{prefix}facts"))
}

/// Rows of one table, column by column.
pub(crate) trait Table: Default + Send {
    /// Folder in the store.
    const NAME: &'static str;
    /// Names of its columns, and what each holds.
    const SCHEMA: &'static [(&'static str, Kind)];
    fn len(&self) -> usize;
    /// Writes the rows, each column with its own writer; none are left.
    fn drain<'w>(
        &mut self,
        texts: &Texts,
        columns: impl Iterator<Item = &'w mut ColumnWriter<'static>>,
    ) -> Result<(), ParquetError>;
    /// Adds rows of a file. A column that is missing stays empty.
    fn extend(&mut self, column: impl Fn(&str) -> Result<Option<Source>, ParquetError>) -> Result<(), ParquetError>;
    /// Takes all rows out; the memory stays.
    fn clear(&mut self);
    /// Makes room for so many more rows in these columns.
    fn reserve(&mut self, columns: &[&str], more: usize);
}

fn read_into<C: Column>(
    to: &mut C,
    name: &str,
    column: impl Fn(&str) -> Result<Option<Source>, ParquetError>,
) -> Result<(), ParquetError> {
    match C::IS_READ.then(|| column(name)).transpose()?.flatten() {
        Some(source) => to.read(source),
        None => Ok(()),
    }
}

macro_rules! tables {
    ($($(#[$text:meta])* $table:ident $folder:literal { $first:ident: $first_kind:ident, $($column:ident: $kind:ident),* $(,)? })*) => {
        $(
            $(#[$text])*
            #[derive(Default)]
            pub(crate) struct $table {
                pub $first: $first_kind,
                $(pub $column: $kind,)*
            }

            impl Table for $table {
                const NAME: &'static str = $folder;
                const SCHEMA: &'static [(&'static str, Kind)] = &[
                    (stringify!($first), $first_kind::KIND),
                    $((stringify!($column), $kind::KIND),)*
                ];
                fn len(&self) -> usize {
                    self.$first.len()
                }
                fn drain<'w>(
                    &mut self,
                    texts: &Texts,
                    mut columns: impl Iterator<Item = &'w mut ColumnWriter<'static>>,
                ) -> Result<(), ParquetError> {
                    let missing = || ParquetError::General("a column has no writer".into());
                    self.$first.write(texts, columns.next().ok_or_else(missing)?)?;
                    $(self.$column.write(texts, columns.next().ok_or_else(missing)?)?;)*
                    self.clear();
                    Ok(())
                }
                fn clear(&mut self) {
                    self.$first.clear();
                    $(self.$column.clear();)*
                }
                fn reserve(&mut self, columns: &[&str], more: usize) {
                    let is_in = |name: &str| columns.contains(&name);
                    is_in(stringify!($first)).then(|| self.$first.reserve(more));
                    $(is_in(stringify!($column)).then(|| self.$column.reserve(more));)*
                }
                fn extend(
                    &mut self,
                    column: impl Fn(&str) -> Result<Option<Source>, ParquetError>,
                ) -> Result<(), ParquetError> {
                    read_into(&mut self.$first, stringify!($first), &column)?;
                    $(read_into(&mut self.$column, stringify!($column), &column)?;)*
                    Ok(())
                }
            }
        )*

        /// Folders of all tables, with the names of their columns.
        #[cfg(test)]
        pub(crate) fn all() -> Vec<(&'static str, &'static [(&'static str, Kind)])> {
            vec![$(($table::NAME, $table::SCHEMA),)*]
        }
    };
}

tables! {
    Calls "calls" {
        rank: Id, row: Int, thread: Id, start_ns: Int, end_ns: Int, function: Function, calls: Int,
        comm: Comm, comm_id: OptId, peer: OptId, tag: OptId, peer2: OptId, tag2: OptId, root: OptId,
        bytes_sent: Int, bytes_received: Int, count: Int, datatype: OptId, offset: OptInt,
        site: Site, site_id: Id, region: Region, region_id: OptId,
        is_poll: Flag, is_failed: Flag, is_nested: Flag,
        call_info: Id, is_spelled: Flag, stretch: Id,
    }
    Messages "messages" {
        comm: Comm, comm_id: OptId, sender: Id, receiver: Id, tag: OptId, bytes: Int, sequence: Int,
        send_row: Int, send_start_ns: Int, send_end_ns: Int,
        send_done_row: OptInt, send_done_start_ns: OptInt, send_done_end_ns: OptInt,
        receive_row: Int, receive_start_ns: Int, receive_end_ns: Int,
        receive_done_row: OptInt, receive_done_start_ns: OptInt, receive_done_end_ns: OptInt,
        is_any_source: Flag, is_any_tag: Flag, is_partitioned: Flag, is_inferred: Flag,
        flags: Id, send_call_info: Id, send_done_call_info: Id, send_done_with: Id,
        receive_call_info: Id, receive_done_call_info: Id, receive_done_with: Id, stretch: Id,
    }
    Unmatched "unmatched" {
        rank: Id, peer: OptId, comm: Comm, comm_id: OptId, tag: OptId, bytes: Int, is_send: Flag, reason: Term,
        row: Int, start_ns: Int, end_ns: Int, done_row: OptInt, done_start_ns: OptInt, done_end_ns: OptInt,
        call_info: Id, done_call_info: Id, done_with: Id, reason_id: Id, stretch: Id,
    }
    Collectives "collectives" {
        operation: Int, comm: Comm, comm_id: OptId, number: Int, function: Function, function_id: Id, root: OptId,
        members: Id, missing: Id, first_start_ns: Int, last_start_ns: Int, last_end_ns: OptInt, stretch: Id,
    }
    Members "members" {
        operation: Int, rank: Id, row: Int, start_ns: Int, end_ns: Int,
        done_row: OptInt, done_start_ns: OptInt, done_end_ns: OptInt, bytes_sent: Int, bytes_received: Int,
        call_info: Id, done_call_info: Id, done_with: Id, stretch: Id,
    }
    Waits "waits" {
        kind: Term, rank: Id, row: Int, function: Function, site: Site, region: Region, start_ns: Int, end_ns: Int,
        cause_rank: OptId, cause_row: OptInt, cause_start_ns: OptInt, call_info: Id, cause_call_info: OptId, stretch: Id,
    }
    Regions "regions" {
        region: Region, region_id: OptId, rank: Id, thread: Id, start_ns: Int, end_ns: Int, stretch: Id,
    }
    Requests "requests" {
        rank: Id, kind: Term, function: Function, row: Int, start_ns: Int, end_ns: Int,
        done_function: Function, done_row: OptInt, done_start_ns: OptInt, done_end_ns: OptInt, done_with: Id,
        comm: Comm, comm_id: OptId, peer: OptId, tag: OptId, bytes: Int, site: Site, region: Region, stretch: Id,
    }
    Communicators "communicators" {
        comm_id: Id, comm: Word, key: Word, size: Id, is_inter: Flag, members: Ids, dims: Ids, is_periodic: Ids,
    }
    Groups "groups" {
        group_id: Id, members: Ids,
    }
    Datatypes "datatypes" {
        rank: Id, datatype: Id, name: Word, size_bytes: Int, extent_bytes: Int, made_by: Word,
    }
    Sites "sites" {
        site_id: Id, site: Word, frames: Words,
    }
    RegionNames "region_names" {
        region_id: Id, region: Word, name: Word, parent_id: OptId,
    }
    Ranks "ranks" {
        rank: Id, world_rank: Id, world: Id, host: Word, pid: Int, init_end_ns: Int, finalize_start_ns: Int,
        rows_from_ns: Int, rows_until_ns: Int, calls_lost: Int, clock_error_ns: OptInt, copy_bytes_per_s: OptInt,
        unreadable_from_ns: OptInt, unreadable_until_ns: OptInt, calls_unreadable: OptInt,
    }
    Losses "losses" {
        rank: Id, what: Term, count: Int,
    }
    CallInfoTable "call_info" {
        rank: Id, call_info: Id, function: Function, function_id: Id, flags: Id, comm_id: OptId, peer: OptId, peer2: OptId,
        tag: OptId, tag2: OptId, root: OptId, bytes_sent: Int, bytes_received: Int, count: Int, datatype: Id, op: Id,
        window: Id, file: Id, group_id: OptId, site_id: Id, region_id: OptId, calls: Int, time_ns: Int,
    }
    Stretches "stretches" {
        stretch: Id, until_ns: OptInt, is_last: Flag,
    }
}
