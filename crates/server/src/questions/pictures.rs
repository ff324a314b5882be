//! Pictures: cells, points, matrices.

use std::iter;

use mpiscope_query::view::{
    self, ApartWish, Blocks, Cancel, CellsWish, Field, Form, Layer, OpenedRun, ScatterWish, ViewError, ViewSession,
    Wish,
};
use serde_json::{Value, json};

use crate::answer::Answer;
use crate::frame::Frame;
use crate::params::Params;

pub(super) fn cells(viewing: &ViewSession, params: &Params, cancel: &Cancel) -> Result<Answer, ViewError> {
    let order = params.text("order").unwrap_or_default();
    let (from_ns, until_ns) = (params.ns("from")?.unwrap_or(0), params.ns("until")?);
    let columns = params.parts("columns", 1024, 4096)?;
    let (row_from, row_until) = (params.get("row_from")?.unwrap_or(0), params.get("row_until")?);
    let rows = params.parts("rows", 512, 2048)?;
    let filter = params.filter_of_cells(|| viewing.scene())?;
    let layer = match params.text("layer") {
        None | Some("calls") => Layer::Calls,
        Some("regions") => Layer::Regions,
        Some(other) => {
            return Err(ViewError::Wrong(format!("unknown layer '{other}'; use calls or regions")));
        }
    };
    let care = params.care()?;
    let wish = |positions: usize, end_ns: u64| CellsWish {
        from_ns,
        until_ns: until_ns.unwrap_or(end_ns),
        columns,
        row_from,
        row_until: row_until.unwrap_or(positions),
        rows,
        filter,
        layer,
        care,
    };
    let cells = viewing.cells(order, wish, cancel)?;
    let grid = cells.grid;
    let head = json!({
        "bin_ns": grid.bin_ns, "from_ns": grid.from_ns, "columns_count": grid.columns, "row_from": grid.row_from,
        "rows_per_block": grid.rows_per_block, "rows": grid.rows, "is_exact": cells.is_exact, "has_finer": cells.has_finer,
        "calls_total": cells.calls(),
    });
    let rows = &cells.rows;
    let (all, entries) = (cells.count(), cells.count_entries());
    let mut before = 0;
    let offset = rows.iter().flat_map(move |row| {
        let begin = before;
        before += row.function.len() as u32;
        row.ends.iter().map(move |end| begin + end)
    });
    Ok(Frame::new("cells", head)
        .column_of("offset", all + 1, iter::once(0).chain(offset))
        .column_in("function", entries, rows.iter().map(|row| &row.function[..]))
        .column_in("share", entries, rows.iter().map(|row| &row.share[..]))
        .column_in("calls", all, rows.iter().map(|row| &row.calls[..]))
        .column_in("longest_ns", all, rows.iter().map(|row| &row.longest_ns[..]))
        .column_in("longest_rank", all, rows.iter().map(|row| &row.longest_rank[..]))
        .column_of("longest_row", all, rows.iter().flat_map(|row| &row.longest_row).map(|&row| row as f64))
        .into())
}

/// Most ranks that get a separate strip.
const APART_MOST: usize = 64;

pub(super) fn apart(scene: &OpenedRun, params: &Params, cancel: &Cancel) -> Result<Answer, ViewError> {
    let order = scene.order(params.text("order").unwrap_or_default())?;
    let until_ns = params.ns("until")?.unwrap_or(scene.until_ns());
    let rows = params.get("row_from")?.unwrap_or(0)..params.get("row_until")?.unwrap_or(order.rows());
    let most = params.limit("limit", 16, APART_MOST)?;
    let wish = ApartWish { window_ns: params.ns("from")?.unwrap_or(0)..until_ns, rows, most };
    Answer::json(&json!({ "ranks": view::apart(scene, &order, &wish, cancel)? }))
}

pub(super) fn order(scene: &OpenedRun, params: &Params, _: &Cancel) -> Result<Answer, ViewError> {
    let order = scene.order(params.text("order").unwrap_or_default())?;
    let sorted_by = order.sorted_by.as_ref();
    let head = json!({
        "rows": order.rows(), "groups": order.groups, "sort": sorted_by.map(|s| s.field), "unit": sorted_by.map(|s| s.unit),
    });
    let frame = Frame::new("order", head).column("rank", order.ranks.iter().copied());
    let frame = match order.starts() {
        Some(starts) => frame.column("start", starts.iter().map(|&start| start as u32)),
        None => frame,
    };
    Ok(match sorted_by {
        Some(sorted_by) => frame.column("value", sorted_by.values.iter().map(|&value| value as f64)),
        None => frame,
    }
    .into())
}

/// An axis by the names of its parameters.
pub(super) fn wish(
    params: &Params,
    min: &'static str,
    max: &'static str,
    is_log: &'static str,
) -> Result<Wish, ViewError> {
    Ok(Wish { min: params.get(min)?, max: params.get(max)?, is_log: params.flag(is_log)? })
}

pub(super) fn scatter(scene: &OpenedRun, params: &Params, cancel: &Cancel) -> Result<Answer, ViewError> {
    let filter = params.filter(scene)?;
    let of = params.calls_or_messages()?;
    let asked = ScatterWish {
        of,
        care: params.care()?,
        x: Field::parse_of(of, params.need_text("x")?)?,
        y: Field::parse_of(of, params.need_text("y")?)?,
        x_axis: wish(params, "x_min", "x_max", "x_log")?,
        y_axis: wish(params, "y_min", "y_max", "y_log")?,
        width: params.parts("width", 512, 1024)?,
        height: params.parts("height", 256, 1024)?,
        points: params.limit("points", 20_000, 50_000)?,
    };
    let found = view::scatter(scene, &filter, &asked, cancel)?;
    let axis = |field: Field, axis: view::Axis| json!({"field": field.id(), "min": axis.min, "max": axis.max, "is_log": axis.is_log});
    let fit = found.fit.map_or(
        Value::Null,
        |fit| json!({"latency_ns": fit.latency_ns, "bytes_per_ns": fit.bytes_per_ns, "r2": fit.r2}),
    );
    let form = if matches!(found.form, Form::Points(_)) { "points" } else { "density" };
    let head = json!({
        "x_axis": axis(asked.x, found.x), "y_axis": axis(asked.y, found.y), "total": found.total, "form": form,
        "basis": found.basis, "fit": fit, "width": asked.width, "height": asked.height,
    });
    let frame = Frame::new("scatter", head);
    Ok(match found.form {
        Form::Points(points) => frame
            .column("x", points.x)
            .column("y", points.y)
            .column("rank", points.rank)
            .column("row", points.row.into_iter().map(|row| row as f64))
            .column("function", points.function),
        Form::Density(density) => frame.column("count", density.count).column("function", density.function),
    }
    .into())
}

pub(super) fn matrix(scene: &OpenedRun, params: &Params, cancel: &Cancel) -> Result<Answer, ViewError> {
    let filter = params.filter(scene)?;
    let most = params.parts("blocks", 128, 512)?;
    let blocks = match params.text("by") {
        None | Some("rank") => Blocks::Ranks(most),
        Some("host") => Blocks::Hosts,
        Some(other) => return Err(ViewError::Wrong(format!("unknown blocks '{other}'; use rank or host"))),
    };
    let found = view::matrix(scene, &filter, blocks, params.care()?, cancel)?;
    let floats = |values: Vec<u64>| values.into_iter().map(|value| value as f64);
    let head = json!({"rows": found.labels.len(), "labels": found.labels, "ranks_per_block": found.ranks_per_block, "basis": found.basis});
    Ok(Frame::new("matrix", head)
        .column("sender", found.sender)
        .column("receiver", found.receiver)
        .column("count", floats(found.count))
        .column("bytes", floats(found.bytes))
        .column("longest_ns", floats(found.longest_ns))
        .column("longest_rank", found.longest.iter().map(|l| l.map_or(-1, |(rank, _)| rank as i32)).collect::<Vec<_>>())
        .column("longest_row", found.longest.iter().map(|l| l.map_or(-1.0, |(_, row)| row as f64)).collect::<Vec<_>>())
        .column("latency_ns", found.mean_ns)
        .into())
}
