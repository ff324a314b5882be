//! The page, which the executable carries.

use axum::extract::Path;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use rust_embed::Embed;

#[derive(Embed)]
#[folder = "../../viewer/dist"]
struct Page;

pub(crate) async fn index() -> Response {
    give("index.html")
}

pub(crate) async fn file(Path(path): Path<String>) -> Response {
    give(&path)
}

pub(crate) async fn nothing() -> Response {
    (StatusCode::NOT_FOUND, "There is nothing here. The address that mpiscope view has printed ends with a token.\n")
        .into_response()
}

/// Names are looked up in what was built in; no path of a request reaches the file system.
fn give(name: &str) -> Response {
    match Page::get(name) {
        Some(file) => {
            // Names have a hash of the content, but for that of the page itself.
            let keep = if name == "index.html" { "no-cache" } else { "private, max-age=31536000, immutable" };
            ([(header::CONTENT_TYPE, kind(name)), (header::CACHE_CONTROL, keep)], file.data).into_response()
        }
        None => (StatusCode::NOT_FOUND, "There is no such file.\n").into_response(),
    }
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
