//! Histograms and tables.

use mpiscope_query::view::{self, Cancel, Field, GroupsWish, HistogramWish, Scene, Sort, ViewError};

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
