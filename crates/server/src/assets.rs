//! The page, which is embedded in the executable.

use axum::extract::Path;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use rust_embed::Embed;

#[derive(Embed)]
#[folder = "../../viewer/dist"]
pub(crate) struct Page;

const LAUNCH: &str = "launch.html";
const MACHINE: &str = "machine.html";

pub(crate) async fn index(headers: HeaderMap) -> Response {
    give("index.html", &headers)
}

/// The launch page; it has no other address.
pub(crate) async fn launch(headers: HeaderMap) -> Response {
    built_in(LAUNCH, &headers)
}

/// The page of machine profiles; it has no other address.
pub(crate) async fn machine(headers: HeaderMap) -> Response {
    built_in(MACHINE, &headers)
}

pub(crate) async fn file(Path(path): Path<String>, headers: HeaderMap) -> Response {
    give(&path, &headers)
}

pub(crate) async fn nothing() -> Response {
    (
        StatusCode::NOT_FOUND,
        "No page at this address. Use the complete address that mpiscope view printed; it ends with a token.\n",
    )
        .into_response()
}

/// Names are looked up in the embedded files; no path of a request reaches the file system.
pub(crate) fn give(name: &str, headers: &HeaderMap) -> Response {
    if [LAUNCH, MACHINE].contains(&name) {
        return (StatusCode::NOT_FOUND, "There is no such file.\n").into_response();
    }
    built_in(name, headers)
}

fn built_in(name: &str, headers: &HeaderMap) -> Response {
    let Some(file) = Page::get(name) else {
        return (StatusCode::NOT_FOUND, "There is no such file.\n").into_response();
    };
    let hash: String = file.metadata.sha256_hash().iter().take(16).map(|byte| format!("{byte:02x}")).collect();
    let tag = format!("\"{hash}\"");
    let common = [(header::ETAG, tag.clone()), (header::CACHE_CONTROL, "private, no-cache".to_owned())];
    if headers.get(header::IF_NONE_MATCH).is_some_and(|known| known.as_bytes() == tag.as_bytes()) {
        return (StatusCode::NOT_MODIFIED, common).into_response();
    }
    (common, [(header::CONTENT_TYPE, kind(name))], file.data).into_response()
}

fn kind(name: &str) -> &'static str {
    match name.rsplit_once('.').map_or("", |(_, kind)| kind) {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        "json" | "map" => "application/json",
        "wasm" => "application/wasm",
        _ => "application/octet-stream",
    }
}
