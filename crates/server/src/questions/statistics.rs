//! Histograms and tables.

use mpiscope_query::view::{
    self, Cancel, Curve, CurvesWish, Field, Filter, GroupsWish, HistogramWish, OpenedRun, Side, Sort, TreeWish,
    ViewError,
};

use serde_json::json;

use super::pictures::wish;
use crate::answer::Answer;
use crate::frame::Frame;
use crate::params::Params;

pub(super) fn histogram(scene: &OpenedRun, params: &Params, cancel: &Cancel) -> Result<Answer, ViewError> {
    let filter = params.filter(scene)?;
    let of = params.calls_or_messages()?;
    let asked = HistogramWish {
        of,
        care: params.care()?,
        field: Field::parse_of(of, params.need_text("field")?)?,
        axis: wish(params, "min", "max", "is_log")?,
        bins: params.parts("bins", 100, 1024)?,
    };
    Answer::json(&view::histogram(scene, &filter, &asked, cancel)?)
}

pub(super) fn groups(scene: &OpenedRun, params: &Params, cancel: &Cancel) -> Result<Answer, ViewError> {
    let filter = params.filter(scene)?;
    let by = params.need_text("by")?.split(',').map(Field::parse).collect::<Result<Vec<_>, _>>()?;
    if by.len() > 2 {
        return Err(ViewError::Wrong("calls can be grouped by one or two fields".into()));
    }
    let sort = params.text("sort").map_or(Ok(Sort::default()), Sort::parse)?;
    let limit = params.limit("limit", 1000, 10_000)?;
    let asked = GroupsWish { care: params.care()?, by: &by, sort, limit };
    Answer::json(&view::groups(scene, &filter, &asked, cancel)?)
}

pub(super) fn curves(scene: &OpenedRun, params: &Params, cancel: &Cancel) -> Result<Answer, ViewError> {
    let filter = params.filter(scene)?;
    let asked = CurvesWish {
        from_ns: filter.from_ns.unwrap_or(0),
        until_ns: filter.until_ns.unwrap_or_else(|| scene.until_ns()),
        columns: params.parts("columns", 512, 4096)?,
        by_host: params.flag("by_host")?,
        care: params.care()?,
    };
    let filter = Filter { from_ns: None, until_ns: None, ..filter };
    let found = view::curves(scene, &filter, &asked, cancel)?;
    let bins = found.curves.len() * found.columns;
    let all = |of: fn(&Curve) -> &[f64]| found.curves.iter().flat_map(of).copied();
    let waiting = found.curves.iter().all(|curve| curve.ranks_waiting.is_some());
    let head = json!({
        "bin_ns": found.bin_ns, "from_ns": found.from_ns, "columns_count": found.columns, "has_finer": found.has_finer,
        "hosts": found.curves.iter().map(|curve| curve.host).collect::<Vec<_>>(),
        "ranks": found.curves.iter().map(|curve| curve.ranks).collect::<Vec<_>>(),
        "hosts_left_out": found.hosts_left_out, "basis": found.basis,
    });
    let frame = Frame::new("curves", head)
        .column_of("ranks_in_mpi", bins, all(|c| &c.ranks_in_mpi))
        .column_of("calls_per_s", bins, all(|c| &c.calls_per_s))
        .column_of("sent_bytes_per_s", bins, all(|c| &c.sent_bytes_per_s))
        .column_of("messages_in_flight", bins, all(|c| &c.messages_in_flight))
        .column_of("bytes_in_flight", bins, all(|c| &c.bytes_in_flight));
    Ok(match waiting {
        true => frame.column_of("ranks_waiting", bins, all(|c| c.ranks_waiting.as_deref().unwrap_or_default())),
        false => frame,
    }
    .into())
}

pub(super) fn tree(scene: &OpenedRun, params: &Params, cancel: &Cancel) -> Result<Answer, ViewError> {
    let filter = params.filter(scene)?;
    let asked = TreeWish {
        care: params.care()?,
        by_rank: params.flag("by_rank")?,
        limit: params.parts("limit", 2000, 20_000)?,
    };
    Answer::json(&view::tree(scene, &filter, &asked, cancel)?)
}

pub(super) fn path_groups(scene: &OpenedRun, params: &Params, cancel: &Cancel) -> Result<Answer, ViewError> {
    let filter = params.filter(scene)?;
    let limit = params.limit("limit", 1000, 10_000)?;
    Answer::json(&view::path_groups(scene, &filter, limit, cancel)?)
}

pub(super) fn differences(
    before: &OpenedRun,
    after: &OpenedRun,
    params: &Params,
    cancel: &Cancel,
) -> Result<Answer, ViewError> {
    let by = Field::parse(params.need_text("by")?)?;
    let limit = params.limit("limit", 1000, 10_000)?;
    // Restrictions with the same meaning in both runs.
    let common = Filter {
        functions: params.ids("functions")?,
        tag: params.get("tag")?,
        bytes_min: params.get("bytes_min")?,
        bytes_max: params.get("bytes_max")?,
        duration_min_ns: params.ns("duration_min")?,
        duration_max_ns: params.ns("duration_max")?,
        ..Filter::default()
    };
    let window = |from_ns: Option<u64>, until_ns: Option<u64>| Filter { from_ns, until_ns, ..common.clone() };
    let first = window(params.ns("from")?, params.ns("until")?);
    let second = window(params.ns("other_from")?, params.ns("other_until")?);
    let (before, after) = (Side { scene: before, filter: &first }, Side { scene: after, filter: &second });
    Answer::json(&view::differences(before, after, by, limit, cancel)?)
}
