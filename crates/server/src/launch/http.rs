//! Access control of the launch page.
//!
//! Queries are GET like all others. Requests with an effect are POST, and must come from this server's own page: an
//! `Origin` that is this server, JSON as content (a foreign page cannot send it without a preflight request, which is never
//! answered), and a small body. Starting and stopping need the code from the terminal.

use std::sync::Arc;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, Path, RawQuery, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use axum::routing::{get, post};
use serde::Deserialize;
use serde_json::json;

use super::secret::Tried;
use super::tickets::Tickets;
use super::{Launch, Refusal, Secret, Wish};
use crate::body::{json_response, read, refused};
use crate::params::Params;
use crate::{ask, assets, notes};

/// A form is a few hundred bytes.
const BODY_BYTES: usize = 64 << 10;

/// The state of the launch page.
pub(crate) struct Launching {
    pub launch: Arc<dyn Launch>,
    pub secret: Secret,
    tickets: Tickets,
}

impl Launching {
    pub fn new(launch: Arc<dyn Launch>, secret: Secret) -> Launching {
        Launching { launch, secret, tickets: Tickets::default() }
    }
}

type Shared = State<Arc<Launching>>;

/// All addresses that exist only where programs may be started.
pub(crate) fn routes(launching: Arc<Launching>) -> Router {
    Router::new()
        .route("/launch", get(assets::launch))
        .route("/api/launch/form", get(form))
        .route("/api/launch/progress", get(progress))
        .route("/api/launch/check", post(check))
        .route("/api/launch/start", post(start))
        .route("/api/launch/stop", post(stop))
        .route("/run/{number}/", get(assets::index))
        .route("/run/{number}/api/offers", get(|| offers(Some("../../launch"))))
        .route("/run/{number}/api/runs", get(runs))
        .route("/run/{number}/api/notes", get(list_notes).put(change_notes).layer(notes::http::limit()))
        .route("/run/{number}/api/{question}", get(question))
        .route("/run/{number}/{*path}", get(file))
        .layer(DefaultBodyLimit::max(BODY_BYTES))
        .with_state(launching)
}

/// The additional pages of this server: the address of the launch page, relative to the requesting page.
pub(crate) async fn offers(launch: Option<&'static str>) -> Response {
    json_response(StatusCode::OK, &json!({ "launch": launch }))
}

impl From<Refusal> for Response {
    fn from(refusal: Refusal) -> Response {
        refused(StatusCode::BAD_REQUEST, &refusal.what, &refusal.next)
    }
}

/// Rejects requests without the code.
fn check_code(launching: &Launching, code: &str) -> Result<(), Box<Response>> {
    let (status, what, next) = match launching.secret.try_code(code) {
        Tried::Right => return Ok(()),
        Tried::Wrong(left) => (
            StatusCode::FORBIDDEN,
            "This is not the code.".to_owned(),
            format!("The code is printed in the terminal where mpiscope view runs. Tries left: {left}."),
        ),
        Tried::Locked => {
            launching.launch.locked();
            (
                StatusCode::LOCKED,
                "The code was wrong too often: this page can no longer start programs.".to_owned(),
                "End mpiscope view in its terminal (^C) and start it again.".to_owned(),
            )
        }
    };
    Err(Box::new(refused(status, &what, &next)))
}

async fn form(State(launching): Shared) -> Response {
    json_response(StatusCode::OK, &launching.launch.form())
}

async fn progress(State(launching): Shared, RawQuery(query): RawQuery) -> Response {
    let after = Params::parse(&query.unwrap_or_default()).and_then(|params| params.get::<u64>("after"));
    match after {
        Ok(after) => json_response(StatusCode::OK, &json!(launching.launch.progress(after.unwrap_or(0)))),
        Err(why) => crate::answer::error(&why),
    }
}

async fn check(State(launching): Shared, headers: HeaderMap, body: Bytes) -> Response {
    let wish: Wish = match read(&headers, &body) {
        Ok(wish) => wish,
        Err(refusal) => return *refusal,
    };
    // It reads files: not on the threads of the server.
    let shared = launching.clone();
    let checked = tokio::task::spawn_blocking(move || shared.launch.check(&wish)).await;
    match checked {
        Ok(Ok(command)) => match launching.tickets.keep(command.clone()) {
            Ok(ticket) => json_response(StatusCode::OK, &json!({"ticket": ticket, "command": command})),
            Err(why) => refused(StatusCode::INTERNAL_SERVER_ERROR, &why.to_string(), "Try again."),
        },
        Ok(Err(refusal)) => refusal.into(),
        Err(_) => {
            refused(StatusCode::INTERNAL_SERVER_ERROR, "This cannot be checked because of a defect in mpiscope.", "")
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Start {
    code: String,
    ticket: String,
}

async fn start(State(launching): Shared, headers: HeaderMap, body: Bytes) -> Response {
    let asked: Start = match read(&headers, &body) {
        Ok(asked) => asked,
        Err(refusal) => return *refusal,
    };
    if let Err(refusal) = check_code(&launching, &asked.code) {
        return *refusal;
    }
    let Some(command) = launching.tickets.redeem(&asked.ticket) else {
        return refused(StatusCode::CONFLICT, "The confirmed command has expired.", "Check the command again.");
    };
    match launching.launch.start(command) {
        Ok(()) => json_response(StatusCode::ACCEPTED, &json!(launching.launch.progress(0))),
        Err(refusal) => refused(StatusCode::CONFLICT, &refusal.what, &refusal.next),
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Stop {
    code: String,
}

async fn stop(State(launching): Shared, headers: HeaderMap, body: Bytes) -> Response {
    let asked: Stop = match read(&headers, &body) {
        Ok(asked) => asked,
        Err(refusal) => return *refusal,
    };
    if let Err(refusal) = check_code(&launching, &asked.code) {
        return *refusal;
    }
    launching.launch.stop();
    json_response(StatusCode::ACCEPTED, &json!({}))
}

/// The run with a number, as the only one behind its address.
fn run(launching: &Launching, number: usize) -> Result<ask::Runs, Box<Response>> {
    let viewing = launching.launch.viewing(number);
    viewing.map(|viewing| Arc::new(vec![viewing])).ok_or_else(|| {
        let what = format!("There is no run {number}.");
        Box::new(refused(StatusCode::NOT_FOUND, &what, "Go back to the launch page."))
    })
}

async fn runs(State(launching): Shared, Path(number): Path<usize>) -> Response {
    match run(&launching, number) {
        Ok(runs) => ask::runs(State(runs)).await,
        Err(refusal) => *refusal,
    }
}

async fn list_notes(State(launching): Shared, Path(number): Path<usize>) -> Response {
    match run(&launching, number) {
        Ok(runs) => notes::http::list(runs[0].path()).await,
        Err(refusal) => *refusal,
    }
}

async fn change_notes(
    State(launching): Shared,
    Path(number): Path<usize>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    match run(&launching, number) {
        Ok(runs) => notes::http::change(runs[0].path(), &headers, &body).await,
        Err(refusal) => *refusal,
    }
}

async fn question(
    State(launching): Shared,
    Path((number, question)): Path<(usize, String)>,
    query: RawQuery,
    headers: HeaderMap,
) -> Response {
    match run(&launching, number) {
        Ok(runs) => ask::ask(State(runs), Path(question), query, headers).await,
        Err(refusal) => *refusal,
    }
}

async fn file(Path((_, path)): Path<(usize, String)>, headers: HeaderMap) -> Response {
    assets::give(&path, &headers)
}
