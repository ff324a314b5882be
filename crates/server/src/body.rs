//! Requests that change something: they must come from this server's own page and be JSON.

use axum::body::Bytes;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::de::DeserializeOwned;
use serde_json::json;

pub(crate) fn json_response(status: StatusCode, body: &serde_json::Value) -> Response {
    let head = [(header::CONTENT_TYPE, "application/json"), (header::CACHE_CONTROL, "no-store")];
    (status, head, body.to_string()).into_response()
}

pub(crate) fn refused(status: StatusCode, what: &str, next: &str) -> Response {
    json_response(status, &json!({"error": {"what": what, "next": next}}))
}

/// The body of a request that changes something, if it comes from this server's page.
pub(crate) fn read<T: DeserializeOwned>(headers: &HeaderMap, body: &Bytes) -> Result<T, Box<Response>> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    // The guard has checked the origin; here it must be present.
    let is_own_page = !text("origin").is_empty() && matches!(text("sec-fetch-site"), "" | "same-origin");
    if !is_own_page {
        let what = "Only the page that mpiscope view opened may send this request.";
        return Err(Box::new(refused(StatusCode::FORBIDDEN, what, "Open the link that mpiscope view printed.")));
    }
    if text("content-type").split(';').next().map(str::trim) != Some("application/json") {
        let what = "The request must be JSON.";
        return Err(Box::new(refused(StatusCode::UNSUPPORTED_MEDIA_TYPE, what, "Use the page.")));
    }
    serde_json::from_slice(body).map_err(|why| {
        Box::new(refused(StatusCode::BAD_REQUEST, &format!("Invalid request: {why}"), "Reload the page."))
    })
}
