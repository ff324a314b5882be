//! A question from its address to its answer.

use std::sync::Arc;

use axum::extract::{Path, RawQuery, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use mpiscope_query::view::{Cancel, ViewError, Viewing};

use crate::answer::{Answer, error};
use crate::params::Params;
use crate::questions;
use crate::working::Named;

/// Gives the question up when the page does: then this is dropped.
struct GivingUp(Cancel);

impl Drop for GivingUp {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

pub(crate) async fn ask(
    State(viewing): State<Arc<Viewing>>,
    Path(question): Path<String>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Response {
    let query = query.unwrap_or_default();
    // What is said while the store grows is not the last word.
    let tag = viewing.id().map(|id| format!("\"{id}-{:016x}\"", hash(&question, &query)));
    if let Some(tag) = &tag
        && headers.get(header::IF_NONE_MATCH).is_some_and(|known| known.as_bytes() == tag.as_bytes())
    {
        return (StatusCode::NOT_MODIFIED, [(header::ETAG, tag.clone())]).into_response();
    }
    let giving_up = GivingUp(Cancel::default());
    let cancel = giving_up.0.clone();
    let answered = tokio::task::spawn_blocking(move || answer(&viewing, &question, &query, &cancel)).await;
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
        // A panic is a defect of ours; the server goes on.
        Err(_) => error(&ViewError::Wrong("this question cannot be answered because of a defect in mpiscope".into())),
    }
}

fn answer(viewing: &Viewing, question: &str, query: &str, cancel: &Cancel) -> Result<Answer, ViewError> {
    let params = Params::parse(query)?;
    let _named = params.text("ask").map(|name| Named::new(name, cancel));
    if let Some((_, early)) = questions::EARLY.iter().find(|(name, _)| *name == question) {
        let answer = early(viewing, &params, cancel)?;
        params.all_read()?;
        return Ok(answer);
    }
    let Some((_, ask)) = questions::ALL.iter().find(|(name, _)| *name == question) else {
        return Err(ViewError::NotThere(format!("there is no question '{question}'")));
    };
    let scene = viewing.scene()?;
    let answer = ask(&scene, &params, cancel)?;
    params.all_read()?;
    Ok(answer)
}

fn hash(question: &str, query: &str) -> u64 {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let mut hasher = DefaultHasher::new();
    (question, query).hash(&mut hasher);
    hasher.finish()
}
