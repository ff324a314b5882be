//! The viewer's server: HTTP in, questions of [`mpiscope_query::view`] out, and the page itself.
//!
//! It decides nothing about runs. What it is for: who may ask ([`guard`]), how parameters are read ([`params`]), how
//! answers are written ([`answer`], [`frame`]), how a run becomes a page for itself ([`mod@export`]), and that nobody works for a page that has gone ([`ask`]).
//! `docs/viewer/protocol.md` is the contract.

mod answer;
mod ask;
mod assets;
mod brief;
mod export;
mod frame;
mod guard;
pub mod launch;
mod params;
mod questions;
mod working;

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use axum::Router;
use axum::routing::get;
use mpiscope_query::view::Viewing;
use tokio::net::TcpListener;

use axum::response::Redirect;
pub use export::{ExportWish, Exported, export};
use guard::Guard;
use launch::{Launch, Launching, Secret};

/// A server that listens.
pub struct Server {
    listener: std::net::TcpListener,
    token: String,
    address: SocketAddr,
}

impl Server {
    /// Listens on loopback; port 0 is any free one.
    pub fn bind(port: u16) -> io::Result<Server> {
        let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        Ok(Server { listener, token: guard::token()?, address })
    }

    /// Where the page is, with the token that opens it.
    pub fn url(&self) -> String {
        format!("http://{}/{}/", self.address, self.token)
    }

    /// Answers about `runs` (the first one is what addresses without a number are about) until `is_over` says so; it is
    /// asked a few times a second.
    ///
    /// Without a run the page of launching comes first. Without `launch` nothing can be started.
    pub fn serve(
        self,
        runs: Vec<Arc<Viewing>>,
        launch: Option<(Arc<dyn Launch>, Secret)>,
        is_over: impl Fn() -> bool,
    ) -> io::Result<()> {
        let guard = Arc::new(Guard::new(self.address));
        let mut inside = match runs.is_empty() {
            false => Router::new()
                .route("/", get(assets::index))
                .route("/api/runs", get(ask::runs))
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
        let app = Router::new()
            // Addresses that are relative to the page need the last slash.
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
        // Questions that are still worked on are not waited for.
        runtime.shutdown_background();
        Ok(())
    }
}
