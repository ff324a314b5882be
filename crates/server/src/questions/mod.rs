//! The requests: parameters become arguments of the query crate, and its answers become columns.

mod pictures;
pub(crate) mod rows;
mod statistics;
#[cfg(test)]
mod tests;

use mpiscope_query::view::{Cancel, Field, OpenedRun, ViewError, ViewSession};
use serde_json::{Value, json};

use crate::answer::Answer;
use crate::brief;
use crate::export::{ExportWish, file_name};
use crate::params::Params;
use crate::running_questions;

type Early = fn(&ViewSession, &Params, &Cancel) -> Result<Answer, ViewError>;
type Ask = fn(&OpenedRun, &Params, &Cancel) -> Result<Answer, ViewError>;

/// Requests answered from the first moment on; the answers change while the store is built.
pub(crate) const EARLY: [(&str, Early); 6] = [
    ("run", run),
    ("progress", progress),
    ("report", report),
    ("cells", pictures::cells),
    ("export", export),
    ("working", working),
];

/// Requests that need the store.
pub(crate) const ALL: [(&str, Ask); 22] = [
    ("apart", pictures::apart),
    ("order", pictures::order),
    ("scatter", pictures::scatter),
    ("matrix", pictures::matrix),
    ("histogram", statistics::histogram),
    ("groups", statistics::groups),
    ("curves", statistics::curves),
    ("tree", statistics::tree),
    ("moment", rows::moment),
    ("calls", rows::calls),
    ("messages", rows::messages),
    ("bundles", rows::bundles),
    ("collectives", rows::collectives),
    ("waits", rows::waits),
    ("regions", rows::regions),
    ("begin", rows::begin),
    ("path", rows::path),
    ("path_groups", statistics::path_groups),
    ("call", rows::call),
    ("step", rows::step),
    ("find", rows::find),
    ("matches", rows::matches),
];

type Between = fn(&OpenedRun, &OpenedRun, &Params, &Cancel) -> Result<Answer, ViewError>;

/// Requests about two runs.
pub(crate) const BETWEEN: [(&str, Between); 1] = [("differences", statistics::differences)];

fn run(viewing: &ViewSession, _: &Params, _: &Cancel) -> Result<Answer, ViewError> {
    let mut all = object(&viewing.info());
    let progress = object(&viewing.progress());
    for (name, value) in progress {
        all.insert(name, value);
    }
    all.insert("id".into(), json!(viewing.id()));
    let fields: Vec<_> = Field::ALL.iter().map(|field| field.info()).collect();
    all.insert("fields".into(), json!(fields));
    let of_messages: Vec<_> = Field::OF_MESSAGES.iter().map(|field| field.info_of_message()).collect();
    all.insert("message_fields".into(), json!(of_messages));
    Answer::json(&all)
}

fn progress(viewing: &ViewSession, _: &Params, _: &Cancel) -> Result<Answer, ViewError> {
    Answer::json(&viewing.progress())
}

/// The progress of a pending request.
fn working(_: &ViewSession, params: &Params, _: &Cancel) -> Result<Answer, ViewError> {
    let name = params.need_text("of_ask")?;
    Answer::json(&json!({"done": running_questions::done(name)}))
}

fn report(viewing: &ViewSession, params: &Params, _: &Cancel) -> Result<Answer, ViewError> {
    Ok(Answer::Json(match params.flag("brief")? {
        true => viewing.report_in_short(brief::in_short)?,
        false => viewing.report()?,
    }))
}

/// Longest text of a view.
const VIEW_MOST: usize = 4000;

fn export(viewing: &ViewSession, params: &Params, cancel: &Cancel) -> Result<Answer, ViewError> {
    let window_ns = params.window_ns()?;
    let view = params.text("view").unwrap_or_default().to_owned();
    if view.len() > VIEW_MOST {
        return Err(ViewError::Wrong(format!("the view has {} characters; the limit is {VIEW_MOST}", view.len())));
    }
    let made = crate::export::export(viewing, &ExportWish { window_ns, view }, cancel)?;
    Ok(Answer::File { html: made.html, name: file_name(&viewing.name()) })
}

fn object(value: &impl serde::Serialize) -> serde_json::Map<String, Value> {
    match serde_json::to_value(value) {
        Ok(Value::Object(map)) => map,
        _ => serde_json::Map::new(),
    }
}
