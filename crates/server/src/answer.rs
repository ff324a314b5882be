//! Answers and errors in HTTP.

use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use mpiscope_query::view::ViewError;
use serde::Serialize;
use serde_json::json;

use crate::frame::Frame;

/// The answer to a request.
pub(crate) enum Answer {
    Json(Vec<u8>),
    Frame(Vec<u8>),
    /// A page to be saved as a file.
    File {
        html: Vec<u8>,
        name: String,
    },
}

impl Answer {
    /// Any value as JSON.
    pub fn json(value: &impl Serialize) -> Result<Answer, ViewError> {
        serde_json::to_vec(value).map(Answer::Json).map_err(|e| ViewError::Wrong(e.to_string()))
    }

    /// Without a content type.
    pub fn into_bytes(self) -> Vec<u8> {
        match self {
            Answer::Json(bytes) | Answer::Frame(bytes) | Answer::File { html: bytes, .. } => bytes,
        }
    }
}

impl From<Frame<'_>> for Answer {
    fn from(frame: Frame<'_>) -> Answer {
        Answer::Frame(frame.into_bytes())
    }
}

impl IntoResponse for Answer {
    fn into_response(self) -> Response {
        let (kind, bytes) = match self {
            Answer::Json(bytes) => ("application/json", bytes),
            Answer::Frame(bytes) => ("application/vnd.mpiscope.frame", bytes),
            Answer::File { html, name } => {
                let disposition = format!("attachment; filename=\"{name}\"");
                let kind = "text/html; charset=utf-8".to_owned();
                return ([(header::CONTENT_TYPE, kind), (header::CONTENT_DISPOSITION, disposition)], html)
                    .into_response();
            }
        };
        ([(header::CONTENT_TYPE, kind)], bytes).into_response()
    }
}

/// An error as the page shows it: what happened, and what to do next.
pub(crate) fn error(error: &ViewError) -> Response {
    let (status, next) = match error {
        ViewError::Wrong(_) => (400, "Correct the request, or reset the view."),
        ViewError::NotThere(_) => (404, "Reset the view. The run may have been recorded again."),
        ViewError::NotYet | ViewError::NotRead => (409, "Wait until it is complete; the page then requests it again."),
        ViewError::Cancelled => (499, "Send the request again."),
        ViewError::Store(_) | ViewError::Preview(_) => (500, "Rebuild the store: mpiscope store RUN --force"),
    };
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let text = json!({"error": {"what": error.to_string(), "next": next}}).to_string();
    (status, [(header::CONTENT_TYPE, "application/json"), (header::CACHE_CONTROL, "no-store")], text).into_response()
}
