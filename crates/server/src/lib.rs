//! The viewer's server: receives HTTP, answers with queries of [`mpiscope_query::view`], and serves the page itself.
//!
//! It makes no decision about runs or machine profiles ([`machines`]). Its parts: access control ([`guard`]), the address of the page ([`saved_links`]), bookmarks
//! ([`notes`]), parameters ([`params`]), answers ([`answer`], [`frame`]), a run as a self-contained page ([`mod@export`]), and
//! cancelling the work for a page that has gone ([`ask`]).
//! `docs/viewer/protocol.md` is the contract.

mod answer;
mod ask;
mod assets;
mod body;
mod brief;
mod export;
mod frame;
mod guard;
pub mod launch;
mod machines;
mod notes;
mod number;
mod params;
mod private;
mod questions;
mod running_questions;
mod saved_links;

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use axum::Router;
use axum::routing::get;
use mpiscope_query::view::ViewSession;
use tokio::net::TcpListener;

use axum::response::Redirect;
pub use export::{ExportWish, Exported, export};
use guard::Guard;
use launch::{Launch, Launching, Secret};
pub use machines::{Machine, export_machines};
pub use saved_links::{Links, NotPrivate};

/// A listening server.
pub struct Server {
    listener: std::net::TcpListener,
    token: String,
    address: SocketAddr,
    is_kept: bool,
}

impl Server {
    /// Listens on loopback; port 0 means the port of earlier links, if it is free, or any other.
    ///
    /// # Errors
    ///
    /// If the port is in use, or the system provides no random numbers for a new token.
    pub fn bind(port: u16, links: Links) -> io::Result<Server> {
        let listen = |port| std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, port));
        let wanted = if port > 0 { port } else { links.port() };
        let (listener, links) = match listen(wanted) {
            Err(_) if port == 0 && wanted > 0 => (listen(0)?, links.elsewhere()?),
            other => (other?, links),
        };
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let is_kept = links.keep(address.port());
        Ok(Server { listener, token: links.into_token(), address, is_kept })
    }

    /// Whether its links also lead to the next server of this run.
    pub fn is_kept(&self) -> bool {
        self.is_kept
    }

    /// The address of the page, with its token.
    pub fn url(&self) -> String {
        format!("http://{}/{}/", self.address, self.token)
    }

    /// Answers requests about `runs` (addresses without a number mean the first one) until `is_over` returns true; it is
    /// called a few times per second.
    ///
    /// Without a run the launch page comes first. Without `launch` nothing can be started.
    ///
    /// # Errors
    ///
    /// If the asynchronous runtime cannot be started, or the socket fails.
    pub fn serve(
        self,
        runs: Vec<Arc<ViewSession>>,
        launch: Option<(Arc<dyn Launch>, Secret)>,
        is_over: impl Fn() -> bool,
    ) -> io::Result<()> {
        let mut inside = match runs.is_empty() {
            false => Router::new()
                .route("/", get(assets::index))
                .route("/api/runs", get(ask::runs))
                .route("/api/notes", get(notes::http::get).put(notes::http::put).layer(notes::http::limit()))
                .route(
                    "/api/{run}/notes",
                    get(notes::http::get_of).put(notes::http::put_of).layer(notes::http::limit()),
                )
                .route("/api/{question}", get(ask::ask))
                .route("/api/{run}/{question}", get(ask::ask_of))
                .route("/api/{run}/{question}/{other}", get(ask::ask_between))
                .with_state(Arc::new(runs)),
            true => Router::new().route("/", get(|| async { Redirect::to("launch") })),
        };
        let offer = launch.is_some().then_some("launch");
        inside = inside.route("/api/offers", get(move || launch::offers(offer))).route("/{*path}", get(assets::file));
        if let Some((launch, secret)) = launch {
            inside = inside.merge(launch::routes(Arc::new(Launching::new(launch, secret))));
        }
        self.answer(inside, is_over)
    }

    /// Answers requests about machine profiles until `is_over` returns true.
    ///
    /// # Errors
    ///
    /// As [`Server::serve`], and if a profile cannot be written as JSON.
    pub fn serve_machines(self, machines: &[Machine], is_over: impl Fn() -> bool) -> io::Result<()> {
        let inside = machines::routes(machines).map_err(io::Error::other)?;
        self.answer(inside, is_over)
    }

    /// Answers at the addresses of `inside`, behind the token and the guard.
    fn answer(self, inside: Router, is_over: impl Fn() -> bool) -> io::Result<()> {
        let guard = Arc::new(Guard::new(self.address, self.token.clone()));
        let app = Router::new()
            // Addresses that are relative to the page need the final slash.
            .nest(&format!("/{}/", self.token), inside)
            .fallback(assets::nothing)
            .layer(axum::middleware::from_fn_with_state(guard, guard::check));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(async {
            let listener = TcpListener::from_std(self.listener)?;
            let served = axum::serve(listener, app);
            let over = async {
                while !is_over() {
                    tokio::time::sleep(std::time::Duration::from_millis(100)).await;
                }
            };
            tokio::select! {
                served = served => served,
                () = over => Ok(()),
            }
        })?;
        // Does not wait for unfinished requests.
        runtime.shutdown_background();
        Ok(())
    }
}
