//! Histograms and tables.

use mpiscope_query::view::{self, Cancel, Field, Filter, GroupsWish, HistogramWish, Scene, Side, Sort, ViewError};

use super::pictures::wish;
use crate::answer::Answer;
use crate::params::Params;

pub(super) fn histogram(scene: &Scene, params: &Params, cancel: &Cancel) -> Result<Answer, ViewError> {
    let filter = params.filter(scene)?;
    let of = params.of()?;
    let asked = HistogramWish {
        of,
        care: params.care()?,
        field: Field::parse_of(of, &params.need::<String>("field")?)?,
        axis: wish(params, "min", "max", "is_log")?,
        bins: params.limit("bins", 100, 1024)?,
    };
    Answer::json(&view::histogram(scene, &filter, &asked, cancel)?)
}

pub(super) fn groups(scene: &Scene, params: &Params, cancel: &Cancel) -> Result<Answer, ViewError> {
    let filter = params.filter(scene)?;
    let by: String = params.need("by")?;
    let by = by.split(',').map(Field::parse).collect::<Result<Vec<_>, _>>()?;
    if by.len() > 2 {
        return Err(ViewError::Wrong("calls are grouped by one field or two".into()));
    }
    let sort = params.text("sort").map_or(Ok(Sort::default()), Sort::parse)?;
    let limit = params.limit("limit", 1000, 10_000)?;
    let asked = GroupsWish { care: params.care()?, by: &by, sort, limit };
    Answer::json(&view::groups(scene, &filter, &asked, cancel)?)
}

pub(super) fn differences(
    before: &Scene,
    after: &Scene,
    params: &Params,
    cancel: &Cancel,
) -> Result<Answer, ViewError> {
    let by = Field::parse(&params.need::<String>("by")?)?;
    let limit = params.limit("limit", 1000, 10_000)?;
    // What means the same in both runs.
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
