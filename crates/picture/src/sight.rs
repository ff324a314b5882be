//! The visible part: the answers that a picture is drawn from.

use std::collections::HashMap;

use mpiscope_query::view::{
    self, Cancel, Care, Cells, CellsWish, Field, Filter, GroupsWish, Layer, OnPath, OpenedRun, Order, RunInfo, Sort,
    ViewError,
};
use mpiscope_store::{Message, flags};

use crate::raster::{Bar, Wait};
use crate::regions::{self, Band};

/// From this number of visible calls on, they are no longer drawn individually.
const CALLS_MOST: usize = 40_000;
const MESSAGES_MOST: usize = 2_000;
const OPERATIONS_MOST: usize = 500;

/// A window of a run.
pub struct Sight<'a> {
    pub scene: &'a OpenedRun,
    pub info: &'a RunInfo,
    pub order: &'a Order,
    pub from_ns: u64,
    pub until_ns: u64,
}

/// A member of an operation: row, start, end.
pub type Part = (usize, u64, u64);

/// Individual calls, and the lines between them.
pub struct Near {
    pub bars: Vec<Bar>,
    pub waits: Vec<Wait>,
    /// None where there are too many to distinguish.
    pub messages: Vec<Message>,
    /// Members of each, by row.
    pub operations: Vec<Vec<Part>>,
}

/// A function in the legend.
pub struct Entry {
    pub id: u32,
    pub calls: u64,
    /// Share of the visible time.
    pub share: f64,
}

impl Sight<'_> {
    /// Row of each rank that is shown.
    pub fn rows(&self) -> HashMap<u32, usize> {
        self.order.ranks.iter().enumerate().map(|(row, &rank)| (rank, row)).collect()
    }

    fn filter(&self) -> Filter {
        let mut ranks = self.order.ranks.clone();
        ranks.sort_unstable();
        let ranks = (!self.order.is_natural).then_some(ranks);
        Filter { from_ns: Some(self.from_ns), until_ns: Some(self.until_ns), ranks, ..Filter::default() }
    }

    /// The activity of blocks of ranks, in at most `columns` bins and `rows` rows.
    pub fn cells(&self, columns: usize, rows: usize) -> Result<Cells, ViewError> {
        self.cells_of(Layer::Calls, columns, rows)
    }

    fn cells_of(&self, layer: Layer, columns: usize, rows: usize) -> Result<Cells, ViewError> {
        let wish = CellsWish {
            from_ns: self.from_ns,
            until_ns: self.until_ns,
            columns,
            row_from: 0,
            row_until: self.order.ranks.len(),
            rows,
            filter: Filter::default(),
            layer,
            care: Care::Exact,
        };
        view::cells(self.scene, self.order, &wish, &Cancel::default())
    }

    /// Individual calls, if there are few.
    pub fn near(&self, cells: &Cells) -> Result<Option<Near>, ViewError> {
        if cells.calls() > CALLS_MOST as u64 || cells.grid.rows_per_block > 1 {
            return Ok(None);
        }
        let (filter, cancel) = (self.filter(), Cancel::default());
        let calls = view::calls(self.scene, &filter, CALLS_MOST, &cancel)?;
        if calls.total > CALLS_MOST as u64 {
            return Ok(None);
        }
        let row_of = self.rows();
        let rows = &calls.rows;
        let bar = |at: usize| {
            Some(Bar {
                row: *row_of.get(&rows.rank[at])?,
                thread: rows.thread[at],
                start_ns: rows.start_ns[at],
                end_ns: rows.end_ns[at],
                function: rows.call_info_of(at, self.scene.call_info())?.function,
                is_nested: rows.flags[at] & flags::NESTED != 0,
            })
        };
        let waits = view::waits(self.scene, &filter, CALLS_MOST, &cancel)?;
        let wait = |w: &mpiscope_store::WaitRow| {
            Some(Wait { row: *row_of.get(&w.rank.0)?, start_ns: w.start_ns, end_ns: w.end_ns })
        };
        let messages = view::messages(self.scene, &filter, MESSAGES_MOST, &cancel)?;
        let is_cut = messages.total > messages.rows.len() as u64;
        Ok(Some(Near {
            bars: (0..rows.len()).filter_map(bar).collect(),
            waits: waits.rows.iter().filter_map(wait).collect(),
            messages: if is_cut { Vec::new() } else { messages.rows },
            operations: self.operations(&filter, &row_of)?,
        }))
    }

    /// Visible regions; individual ones from `near`. None where rows stand for several ranks.
    pub fn regions(&self, cells: &Cells, is_near: bool) -> Result<Vec<Band>, ViewError> {
        if self.info.regions.is_empty() || cells.grid.rows_per_block > 1 {
            return Ok(Vec::new());
        }
        if is_near {
            let found = view::regions(self.scene, &self.filter(), CALLS_MOST, &Cancel::default())?;
            return Ok(regions::of_spans(&found.rows, self.info, &self.rows()));
        }
        let found = self.cells_of(Layer::Regions, 2 * cells.grid.columns, cells.grid.rows)?;
        Ok(regions::of_cells(&found, self.info, self.order))
    }

    /// The visible part of the critical path; empty if it is unknown.
    pub fn path(&self) -> Result<Vec<OnPath>, ViewError> {
        let window = Filter { from_ns: Some(self.from_ns), until_ns: Some(self.until_ns), ..Filter::default() };
        view::path(self.scene, &window, &Cancel::default())
    }

    fn operations(&self, filter: &Filter, row_of: &HashMap<u32, usize>) -> Result<Vec<Vec<Part>>, ViewError> {
        let found = view::collectives(self.scene, filter, OPERATIONS_MOST, &Cancel::default())?;
        if found.total > found.rows.len() as u64 {
            return Ok(Vec::new());
        }
        let members = |at: usize| {
            let part = &found.members[found.offset[at] as usize..found.offset[at + 1] as usize];
            let end = |e: &mpiscope_store::End| if e.is_done() { e.done_end_ns } else { e.end_ns };
            let member = |m: &mpiscope_store::Member| Some((*row_of.get(&m.rank.0)?, m.end.start_ns, end(&m.end)));
            let mut members: Vec<_> = part.iter().filter_map(member).collect();
            members.sort_unstable();
            members
        };
        Ok((0..found.rows.len()).map(members).collect())
    }

    /// Visible functions, by their time. For the whole run this is known without reading its rows.
    pub fn legend(&self) -> Result<Vec<Entry>, ViewError> {
        let info = self.info;
        let is_whole = self.from_ns <= info.from_ns && self.until_ns >= info.until_ns && self.order.is_natural;
        if is_whole && info.ranks.calls_lost.iter().all(|&lost| lost == 0) {
            let all = (self.until_ns - self.from_ns) as f64 * self.order.ranks.len().max(1) as f64;
            let entry = |f: &view::FunctionInfo| Entry { id: f.id, calls: f.calls, share: f.exclusive_ns as f64 / all };
            return Ok(info.functions.iter().map(entry).collect());
        }
        let wish = GroupsWish { care: Care::Exact, by: &[Field::Function], sort: Sort::Total, limit: 10_000 };
        let groups = view::groups(self.scene, &self.filter(), &wish, &Cancel::default())?;
        let entry = |row: &view::GroupRow| {
            let id = row.key.first()?.id? as u32;
            Some(Entry { id, calls: row.count, share: row.share })
        };
        let mut found: Vec<Entry> = groups.rows.iter().filter_map(entry).collect();
        found.sort_by(|a, b| b.share.total_cmp(&a.share).then(a.id.cmp(&b.id)));
        Ok(found)
    }
}
