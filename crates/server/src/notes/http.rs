//! Reading is GET like every query, replacing is PUT from this server's own page.

use std::path::Path as FilePath;
use std::sync::{Mutex, PoisonError};

use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use serde::Deserialize;
use serde_json::json;

use super::{Note, Notes, NotesError};
use crate::ask::{Runs, session_of};
use crate::body::{json_response, read, refused};

/// The request: the revision that the page has seen, and the notes to replace it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Change {
    revision: String,
    notes: Vec<Note>,
}

/// No more than the file may have.
pub(crate) fn limit() -> DefaultBodyLimit {
    DefaultBodyLimit::max(super::MOST_BYTES)
}

/// Comparing the revision and replacing the notes must be atomic: two pages may send requests at once.
static WRITING: Mutex<()> = Mutex::new(());

fn answer(result: Result<Notes, NotesError>) -> Response {
    match result {
        Ok(notes) => json_response(StatusCode::OK, &json!(notes)),
        Err(why) => {
            let (status, next) = match &why {
                NotesError::Wrong(_) => (StatusCode::BAD_REQUEST, "Shorten the bookmarks, or delete some."),
                NotesError::Changed => (StatusCode::CONFLICT, "Reload the page."),
                NotesError::Foreign(..) => {
                    (StatusCode::INTERNAL_SERVER_ERROR, "Move the file away to start a new list.")
                }
                NotesError::Unreadable(..) => (StatusCode::INTERNAL_SERVER_ERROR, "Check the permissions of the file."),
                NotesError::Unwritable(..) => {
                    (StatusCode::INTERNAL_SERVER_ERROR, "The bookmarks stay in this page until it is closed.")
                }
            };
            refused(status, &why.to_string(), next)
        }
    }
}

/// Files are not read on the threads of the server.
async fn apart(work: impl FnOnce() -> Result<Notes, NotesError> + Send + 'static) -> Response {
    match tokio::task::spawn_blocking(work).await {
        Ok(result) => answer(result),
        Err(_) => refused(StatusCode::INTERNAL_SERVER_ERROR, "This failed because of a defect in mpiscope.", ""),
    }
}

/// The notes of a run in a folder.
pub(crate) async fn list(run: &FilePath) -> Response {
    let run = run.to_owned();
    apart(move || super::read(&run)).await
}

/// Replaces the notes.
pub(crate) async fn change(run: &FilePath, headers: &HeaderMap, body: &Bytes) -> Response {
    let Change { revision, notes } = match read(headers, body) {
        Ok(change) => change,
        Err(refusal) => return *refusal,
    };
    let run = run.to_owned();
    apart(move || {
        let _one = WRITING.lock().unwrap_or_else(PoisonError::into_inner);
        super::replace(&run, &revision, notes)
    })
    .await
}

pub(crate) async fn get(runs: State<Runs>) -> Response {
    get_of(runs, Path("0".into())).await
}

pub(crate) async fn get_of(State(runs): State<Runs>, Path(run): Path<String>) -> Response {
    match session_of(&runs, &run) {
        Ok(viewing) => list(viewing.path()).await,
        Err(why) => crate::answer::error(&why),
    }
}

pub(crate) async fn put(runs: State<Runs>, headers: HeaderMap, body: Bytes) -> Response {
    put_of(runs, Path("0".into()), headers, body).await
}

pub(crate) async fn put_of(
    State(runs): State<Runs>,
    Path(run): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    match session_of(&runs, &run) {
        Ok(viewing) => change(viewing.path(), &headers, &body).await,
        Err(why) => crate::answer::error(&why),
    }
}
