//! Machine profiles: one answer with all of them, and the page that shows them.

use std::sync::Arc;

use axum::Router;
use axum::http::header;
use axum::response::IntoResponse;
use axum::routing::get;
use mpiscope_machine::Profile;
use mpiscope_query::view::ViewError;
use serde::Serialize;
use serde_json::json;

use crate::assets;
use crate::export::{pack::Pack, page};

/// A profile to show.
#[derive(Clone, Debug, Serialize)]
pub struct Machine {
    /// Name on the page, and in the files that it saves.
    pub name: String,
    /// Its numbers.
    pub profile: Profile,
}

/// The answer: everything that the page shows, at most a few hundred KB for each profile.
fn answer(machines: &[Machine]) -> Result<Vec<u8>, ViewError> {
    serde_json::to_vec(&json!({ "machines": machines })).map_err(|why| ViewError::Wrong(why.to_string()))
}

/// The addresses of a server of profiles.
pub(crate) fn routes(machines: &[Machine]) -> Result<Router, ViewError> {
    let bytes = Arc::new(answer(machines)?);
    let machines = move || async move {
        let head = [(header::CONTENT_TYPE, "application/json"), (header::CACHE_CONTROL, "no-store")];
        (head, bytes.to_vec()).into_response()
    };
    Ok(Router::new()
        .route("/", get(assets::machine))
        .route("/api/machines", get(machines))
        .route("/{*path}", get(assets::file)))
}

/// Profiles as one self-contained page.
///
/// # Errors
///
/// If this mpiscope was built without the page.
pub fn export_machines(machines: &[Machine]) -> Result<Vec<u8>, ViewError> {
    let names: Vec<&str> = machines.iter().map(|machine| machine.name.as_str()).collect();
    let mut pack = Pack::default();
    pack.put("machines", answer(machines)?);
    pack.put_about(&json!({ "schema": "mpiscope.pack/1", "mpiscope": env!("CARGO_PKG_VERSION"), "view": "" }));
    page::html(&names.join(", "), page::MACHINE, &pack.into_bytes())
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpStream;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::Duration;

    use mpiscope_machine::{Curve, CurvePoint, FORMAT};

    use super::*;
    use crate::{Links, Server};

    fn machine(name: &str) -> Machine {
        let curve = Curve { series: "ping-pong".into(), points: vec![CurvePoint::default()], ..Curve::default() };
        let profile = Profile { format: FORMAT, curves: vec![curve], ..Profile::default() };
        Machine { name: name.into(), profile }
    }

    #[test]
    fn names_cannot_end_the_element_of_an_exported_page() {
        let hostile = "</script><script>alert(1)</script>.machine";
        let html = String::from_utf8(export_machines(&[machine(hostile), machine("b")]).unwrap()).unwrap();
        assert_eq!((html.matches("<script").count(), html.matches("</script").count()), (3, 3), "worker, pack, page");
        assert!(html.contains("<mp-machine>") && !html.contains("<mp-app>"));
        assert!(html.contains(".machine, b – mpiscope</title>"));
    }

    #[test]
    fn the_guard_is_that_of_runs() {
        let server = Server::bind(0, Links::passing().unwrap()).unwrap();
        let url = server.url();
        let (host, path) = url.strip_prefix("http://").unwrap().split_once('/').unwrap();
        let (host, token) = (host.to_owned(), path.trim_end_matches('/').to_owned());
        let is_over = Arc::new(AtomicBool::new(false));
        let serving = std::thread::spawn({
            let is_over = is_over.clone();
            move || server.serve_machines(&[machine("a.machine")], || is_over.load(Ordering::Relaxed))
        });
        let ask = |path: &str, headers: &str| {
            let mut stream = TcpStream::connect(&host).unwrap();
            stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
            write!(stream, "GET {path} HTTP/1.1\r\n{headers}\r\nConnection: close\r\n\r\n").unwrap();
            let mut text = String::new();
            stream.read_to_string(&mut text).unwrap();
            text
        };
        let own = format!("Host: {host}");
        let page = ask(&format!("/{token}/"), &own);
        assert!(page.starts_with("HTTP/1.1 200") && page.contains("<mp-machine>"), "{page}");
        assert!(page.to_ascii_lowercase().contains("content-security-policy: default-src 'self'"), "{page}");
        let answer = ask(&format!("/{token}/api/machines"), &own);
        assert!(answer.contains(r#""name":"a.machine""#) && answer.contains("ping-pong"), "{answer}");
        for (path, headers, code) in [
            (format!("/{token}x/api/machines"), own.clone(), 404),
            ("/api/machines".to_owned(), own.clone(), 404),
            (format!("/{token}/api/machines"), "Host: evil.example".to_owned(), 403),
            (format!("/{token}/api/machines"), format!("{own}\r\nOrigin: http://evil.example"), 403),
            (format!("/{token}/api/run"), own.clone(), 404),
            (format!("/{token}/launch.html"), own.clone(), 404),
        ] {
            let text = ask(&path, &headers);
            assert!(text.starts_with(&format!("HTTP/1.1 {code}")), "{path} {headers}: {text}");
        }
        is_over.store(true, Ordering::Relaxed);
        serving.join().unwrap().unwrap();
    }
}
