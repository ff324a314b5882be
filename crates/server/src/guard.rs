//! Access control: requests need the token, and must come from a page of this server.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::{self, HeaderName, HeaderValue};
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use subtle::ConstantTimeEq;

use crate::assets;

/// 128 random bits, as text for an address.
pub(crate) fn token() -> io::Result<String> {
    let mut bytes = [0_u8; 16];
    getrandom::fill(&mut bytes).map_err(io::Error::other)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// The host names of this server, and the token.
pub(crate) struct Guard {
    hosts: [String; 2],
    token: String,
}

impl Guard {
    pub fn new(address: SocketAddr, token: String) -> Guard {
        Guard { hosts: [address.to_string(), format!("localhost:{}", address.port())], token }
    }

    /// Whether an address starts with the token. The comparison takes constant time: a token may be used for months.
    fn knows(&self, path: &str) -> bool {
        let given = path.trim_start_matches('/').split('/').next().unwrap_or_default();
        given.as_bytes().ct_eq(self.token.as_bytes()).into()
    }

    /// Rejects a host name that leads here from elsewhere (DNS rebinding) and pages of another origin.
    fn admits(&self, headers: &HeaderMap) -> bool {
        let text = |value: &HeaderValue| value.to_str().map(str::to_ascii_lowercase).unwrap_or_default();
        let Some(host) = headers.get(header::HOST).map(text) else { return false };
        // A tunnel (ssh -L) may have another port at its near end; only the name is checked there.
        let is_host = self.hosts.contains(&host) || is_loopback_name(&host);
        let is_origin = headers
            .get(header::ORIGIN)
            .map(text)
            .is_none_or(|origin| origin.strip_prefix("http://").is_some_and(|origin| origin == host));
        is_host && is_origin
    }
}

fn is_loopback_name(host: &str) -> bool {
    let (name, port) = host.rsplit_once(':').unwrap_or((host, "80"));
    matches!(name, "127.0.0.1" | "localhost") && port.parse::<u16>().is_ok()
}

const HEADERS: [(HeaderName, &str); 6] = [
    (
        header::CONTENT_SECURITY_POLICY,
        "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    ),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
];

/// Lets authorised requests through, and sets the headers of every answer.
pub(crate) async fn check(State(guard): State<Arc<Guard>>, request: Request, next: Next) -> Response {
    let mut response = match (guard.admits(request.headers()), guard.knows(request.uri().path())) {
        (true, true) => next.run(request).await,
        (true, false) => assets::nothing().await,
        (false, _) => {
            (StatusCode::FORBIDDEN, "Only the page that mpiscope view opened may use this address.\n").into_response()
        }
    };
    for (name, value) in HEADERS {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_names_and_origins_are_refused() {
        let guard = Guard::new("127.0.0.1:4000".parse().unwrap(), "0123".into());
        let admits = |host: &'static str, origin: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::HOST, HeaderValue::from_static(host));
            if !origin.is_empty() {
                headers.insert(header::ORIGIN, HeaderValue::from_static(origin));
            }
            guard.admits(&headers)
        };
        assert!(admits("127.0.0.1:4000", "") && admits("localhost:4000", "http://localhost:4000"));
        assert!(admits("localhost:9999", "http://localhost:9999"), "a tunnel");
        assert!(!admits("evil.example:4000", "") && !admits("127.0.0.1.evil.example:4000", ""));
        assert!(!admits("127.0.0.1:4000", "http://evil.example") && !admits("127.0.0.1:4000", "null"));
        assert!(!admits("localhost:4000", "http://localhost:4001"));
        assert!(!guard.admits(&HeaderMap::new()));
        assert!(guard.knows("/0123/") && guard.knows("/0123/api/run"));
        assert!(!["", "/", "/012/", "/01234/", "/0124/", "/x/0123/"].iter().any(|path| guard.knows(path)));
    }

    #[test]
    fn tokens_differ() {
        let (a, b) = (token().unwrap(), token().unwrap());
        assert!(a != b && a.len() == 32);
    }
}
