//! Handles a request from its address to its answer.

use std::sync::Arc;

use axum::extract::{Path, RawQuery, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use mpiscope_query::view::{Cancel, ViewError, ViewSession};

use crate::answer::{Answer, error};
use crate::params::Params;
use crate::questions;
use crate::running_questions::Named;

/// Cancels the request when the page does: then this is dropped.
struct GivingUp(Cancel);

impl Drop for GivingUp {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// The runs behind one token, in the order of the command line. Requests use their numbers, never a path.
pub(crate) type Runs = Arc<Vec<Arc<ViewSession>>>;

/// A request, as given in the address.
struct Asked {
    question: String,
    query: String,
    headers: HeaderMap,
}

/// Of the first run.
pub(crate) async fn ask(
    State(runs): State<Runs>,
    Path(question): Path<String>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Response {
    one(&runs, "0", Asked { question, query: query.unwrap_or_default(), headers }).await
}

/// Of the run with a number.
pub(crate) async fn ask_of(
    State(runs): State<Runs>,
    Path((run, question)): Path<(String, String)>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Response {
    one(&runs, &run, Asked { question, query: query.unwrap_or_default(), headers }).await
}

/// About one run and the differences to another.
pub(crate) async fn ask_between(
    State(runs): State<Runs>,
    Path((run, question, other)): Path<(String, String, String)>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Response {
    let both = session_of(&runs, &run).and_then(|before| Ok((before, session_of(&runs, &other)?)));
    let (before, after) = match both {
        Ok(both) => both,
        Err(why) => return error(&why),
    };
    let asked = Asked { question, query: query.unwrap_or_default(), headers };
    let id = before.id().zip(after.id()).map(|(a, b)| format!("{a}-{b}"));
    respond(asked, id, move |asked, cancel| {
        let params = Params::parse(&asked.query)?;
        let Some((_, ask)) = questions::BETWEEN.iter().find(|(name, _)| *name == asked.question) else {
            return Err(ViewError::NotThere(format!("there is no request '{}' for two runs", asked.question)));
        };
        let answer = ask(&*before.scene()?, &*after.scene()?, &params, cancel)?;
        params.all_read()?;
        Ok(answer)
    })
    .await
}

/// The open runs.
pub(crate) async fn runs(State(runs): State<Runs>) -> Response {
    let names: Vec<_> = runs.iter().map(|run| serde_json::json!({"name": run.name()})).collect();
    match Answer::json(&serde_json::json!({ "runs": names })) {
        Ok(answer) => answer.into_response(),
        Err(why) => error(&why),
    }
}

/// The run with a number; any other text is an error.
pub(crate) fn session_of(runs: &Runs, run: &str) -> Result<Arc<ViewSession>, ViewError> {
    let count = runs.len();
    run.parse().ok().and_then(|number: usize| runs.get(number)).cloned().ok_or_else(|| {
        ViewError::NotThere(format!("there is no run {run}; {count} {} open", if count == 1 { "is" } else { "are" }))
    })
}

async fn one(runs: &Runs, run: &str, asked: Asked) -> Response {
    let viewing = match session_of(runs, run) {
        Ok(viewing) => viewing,
        Err(why) => return error(&why),
    };
    let id = viewing.id();
    respond(asked, id, move |asked, cancel| answer(&viewing, &asked.question, &asked.query, cancel)).await
}

/// `id`: the inputs of the answer other than the request; nothing while they still change.
async fn respond(
    asked: Asked,
    id: Option<String>,
    work: impl FnOnce(&Asked, &Cancel) -> Result<Answer, ViewError> + Send + 'static,
) -> Response {
    // An answer while the store grows is not final.
    let tag = id.map(|id| format!("\"{id}-{:016x}\"", hash(&asked.question, &asked.query)));
    if let Some(tag) = &tag
        && asked.headers.get(header::IF_NONE_MATCH).is_some_and(|known| known.as_bytes() == tag.as_bytes())
    {
        return (StatusCode::NOT_MODIFIED, [(header::ETAG, tag.clone())]).into_response();
    }
    let giving_up = GivingUp(Cancel::default());
    let cancel = giving_up.0.clone();
    let answered = tokio::task::spawn_blocking(move || work(&asked, &cancel)).await;
    match answered {
        Ok(Ok(answer)) => {
            let mut response = answer.into_response();
            let tag = tag.and_then(|tag| HeaderValue::from_str(&tag).ok());
            let keep = if tag.is_some() { "private, no-cache" } else { "no-store" };
            response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static(keep));
            if let Some(tag) = tag {
                response.headers_mut().insert(header::ETAG, tag);
            }
            response
        }
        Ok(Err(why)) => error(&why),
        // A panic is a defect of mpiscope; the server continues.
        Err(_) => error(&ViewError::Wrong("this request failed because of a defect in mpiscope".into())),
    }
}

/// The answer of a run to a request.
pub(crate) fn answer(viewing: &ViewSession, question: &str, query: &str, cancel: &Cancel) -> Result<Answer, ViewError> {
    let params = Params::parse(query)?;
    let _named = params.text("ask").map(|name| Named::new(name, cancel));
    if let Some((_, early)) = questions::EARLY.iter().find(|(name, _)| *name == question) {
        let answer = early(viewing, &params, cancel)?;
        params.all_read()?;
        return Ok(answer);
    }
    let Some((_, ask)) = questions::ALL.iter().find(|(name, _)| *name == question) else {
        return Err(ViewError::NotThere(format!("there is no request '{question}'")));
    };
    let scene = viewing.scene()?;
    let answer = ask(&scene, &params, cancel);
    scene.ease();
    let answer = answer?;
    params.all_read()?;
    Ok(answer)
}

fn hash(question: &str, query: &str) -> u64 {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let mut hasher = DefaultHasher::new();
    (question, query).hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use mpiscope_ingest::testing;
    use mpiscope_query::view::State;
    use mpiscope_run::{Live, Resolver, RunHeader};

    use super::*;

    const TEXT: &str =
        "0 0 10 Send to=1 tag=1 bytes=8\n1 0 20 Recv from=0 tag=1 bytes=8\n0 30 40 Barrier\n1 30 40 Barrier\n";

    fn json(viewing: &ViewSession, question: &str) -> Result<serde_json::Value, ViewError> {
        let answer = answer(viewing, question, "", &Cancel::default())?;
        Ok(serde_json::from_slice(&answer.into_bytes()).unwrap())
    }

    #[test]
    fn the_report_comes_when_the_rank_files_are_read_and_the_pictures_before() {
        let folder = tempfile::tempdir().unwrap();
        testing::write(TEXT, folder.path());
        let later = || {
            let glance = RunHeader::at(folder.path(), Live::default()).unwrap();
            ViewSession::later(glance, Resolver::default(), folder.path().join("store"))
        };
        let first = later();
        first.build(&|| true);
        assert_eq!(first.progress().state, State::Ready);
        let viewing = later();
        let asked = Mutex::new(None);
        viewing.build(&|| {
            asked.lock().unwrap().get_or_insert_with(|| {
                let cells = answer(&viewing, "cells", "columns=10&rows=2", &Cancel::default());
                (json(&viewing, "run"), json(&viewing, "progress"), json(&viewing, "report"), cells.is_ok())
            });
            true
        });
        let (run, progress, report, has_cells) = asked.into_inner().unwrap().unwrap();
        let (run, progress) = (run.unwrap(), progress.unwrap());
        assert!(has_cells);
        assert_eq!(progress["files"]["of"], 2);
        assert_eq!(
            (&run["state"], &run["files"]["of"], &run["ranks"]["count"]),
            (&"ready".into(), &2.into(), &2.into())
        );
        assert!(run["id"].is_null(), "such an answer is not to be kept");
        assert_eq!(error(&report.unwrap_err()).status(), StatusCode::CONFLICT);
        assert!(json(&viewing, "progress").unwrap()["files"].is_null());
        assert!(json(&viewing, "report").unwrap()["explanation"].is_object());
    }
}
