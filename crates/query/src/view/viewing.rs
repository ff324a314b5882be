//! A run on its way to the page: what is known of it so far.

use std::ops::{ControlFlow, Deref};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use mpiscope_ingest::Tables;
use mpiscope_pyramid::Live;
use mpiscope_run::{Resolver, Run, Summary};
use mpiscope_store::Store;
use serde::Serialize;

use super::ground::Ground;
use super::{Cancel, Cells, CellsWish, Iterations, RunInfo, Scene, ViewError, cells};
use crate::{QueryError, Report};

/// How far it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// The store is being built.
    Building,
    /// Everything can be asked.
    Ready,
    /// It cannot be shown.
    Failed,
}

/// How far the store is.
#[derive(Clone, Debug, Serialize)]
pub struct ProgressInfo {
    pub state: State,
    /// Share that is done.
    pub done: f64,
    /// Whether the explanation is there.
    pub is_explained: bool,
    pub failure: Option<FailureInfo>,
    /// Whether the program still ran when the run was opened: what it has done since is not there yet.
    pub is_writing: bool,
    /// How often a run that is being written was read again: with each, there is more of it.
    pub readings: u64,
}

/// Why it cannot be shown.
#[derive(Clone, Debug, Serialize)]
pub struct FailureInfo {
    pub what: String,
    pub next: String,
}

struct Growing {
    ground: Ground,
    live: Live,
}

/// A run that a page looks at.
pub struct Viewing {
    run: Run,
    resolver: Resolver,
    store: PathBuf,
    summary: Summary,
    early: RunInfo,
    /// While the store is built: what holds for the whole run, and the preview up to now.
    growing: Mutex<Option<Arc<Growing>>>,
    scene: OnceLock<Arc<Scene>>,
    info: OnceLock<RunInfo>,
    id: OnceLock<String>,
    report: OnceLock<Vec<u8>>,
    /// The same in short, without events and with them.
    brief: [OnceLock<Vec<u8>>; 2],
    /// What the explanation adds to what is known of the run.
    explained: OnceLock<(Option<Iterations>, Vec<String>)>,
    failure: Mutex<Option<FailureInfo>>,
    /// Of a million.
    done: AtomicU64,
    /// The same run, read again: it answers from then on.
    next: Mutex<Option<Arc<Viewing>>>,
    /// How often it was.
    readings: AtomicU64,
}

/// Whoever answers at a moment.
enum Now<'a> {
    First(&'a Viewing),
    Again(Arc<Viewing>),
}

impl Deref for Now<'_> {
    type Target = Viewing;

    fn deref(&self) -> &Viewing {
        match self {
            Now::First(viewing) => viewing,
            Now::Again(viewing) => viewing,
        }
    }
}

impl Viewing {
    /// `run` with its store at `store`, which may not be there yet. Reads no events.
    pub fn new(run: Run, resolver: Resolver, store: PathBuf) -> Viewing {
        let summary = run.summary(|_| true, &resolver);
        let name = run.path.file_name().unwrap_or(run.path.as_os_str()).to_string_lossy().into_owned();
        let is_writing = run.ranks.iter().any(|rank| rank.alive_at_ns.is_some());
        let early = RunInfo::of_summary(name, &summary, is_writing);
        Viewing {
            run,
            resolver,
            store,
            summary,
            early,
            growing: Mutex::new(None),
            scene: OnceLock::new(),
            info: OnceLock::new(),
            id: OnceLock::new(),
            report: OnceLock::new(),
            brief: Default::default(),
            explained: OnceLock::new(),
            failure: Mutex::new(None),
            done: AtomicU64::new(0),
            next: Mutex::new(None),
            readings: AtomicU64::new(0),
        }
    }

    /// From now on the answers are those of `next`: the run has grown, and was read again.
    pub fn go_on_with(&self, next: Arc<Viewing>) {
        *self.next.lock().unwrap_or_else(PoisonError::into_inner) = Some(next);
        self.readings.fetch_add(1, Ordering::Relaxed);
    }

    /// Whoever answers now.
    fn now(&self) -> Now<'_> {
        let next = self.next.lock().unwrap_or_else(PoisonError::into_inner).clone();
        next.map_or(Now::First(self), Now::Again)
    }

    /// Builds what is missing: the store, then the explanation. `go_on` is asked now and then.
    pub fn build(&self, go_on: &(dyn Fn() -> bool + Sync)) {
        let watch = |done: u64, all: u64| {
            self.done.store((done as f64 / all.max(1) as f64 * 1e6) as u64, Ordering::Relaxed);
            if go_on() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        };
        if let Err(why) = self.build_store(&mut { watch }) {
            self.fail(&why);
            return;
        }
        let explain = || {
            crate::explain(&self.run, &self.resolver, &mut |_, _| match go_on() {
                true => ControlFlow::Continue(()),
                false => ControlFlow::Break(()),
            })
        };
        // With threads of its own: questions would wait behind it in the common queue.
        let explained = match rayon::ThreadPoolBuilder::new().thread_name(|_| "explain".into()).build() {
            Ok(threads) => threads.install(explain),
            Err(_) => explain(),
        };
        match explained {
            Ok((explanation, problems)) => self.explained(explanation, problems),
            // The pictures are there; the page of conclusions says what it lacks.
            Err(why) => {
                let text = serde_json::json!({"error": {"what": why.to_string(), "next": NEXT}});
                let _ = self.report.set(text.to_string().into_bytes());
            }
        }
    }

    fn build_store(&self, watch: &mut crate::Watch<'_>) -> Result<(), QueryError> {
        let grow = |tables: &Tables, live: Live| {
            let ground = Ground::new(tables.dimensions.clone(), tables.facts.to_vec());
            *self.growing.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(Growing { ground, live }));
        };
        crate::store_with(&self.run, &self.resolver, &self.store, false, watch, grow)?;
        let store = Store::open(&self.store)?;
        let preview = crate::preview(&store, watch)?;
        let id = format!("{:016x}", hash(&(store.manifest().source.as_str(), env!("CARGO_PKG_VERSION"))));
        let scene = Scene::open(store, preview)?;
        let mut info = self.early.clone();
        info.add_dimensions(scene.dimensions(), scene.first_ns()?, scene.until_ns());
        let _ = self.info.set(info);
        let _ = self.id.set(id);
        let _ = self.scene.set(Arc::new(scene));
        *self.growing.lock().unwrap_or_else(PoisonError::into_inner) = None;
        Ok(())
    }

    fn explained(&self, explanation: mpiscope_analysis::Explanation, problems: Vec<mpiscope_run::Diagnostic>) {
        if let Some(scene) = self.scene.get() {
            scene.explained(&explanation);
        }
        let mut summary = self.summary.clone();
        summary.add_problems(problems);
        let report = Report::new(&self.run, summary, Some(explanation));
        let text = serde_json::to_vec(&report).unwrap_or_else(|e| {
            serde_json::json!({"error": {"what": e.to_string(), "next": NEXT}}).to_string().into_bytes()
        });
        if let Some(explanation) = &report.explanation {
            let _ = self.explained.set((Iterations::of(explanation), explanation.caveats.clone()));
        }
        let _ = self.report.set(text);
    }

    fn fail(&self, why: &QueryError) {
        let next = match why {
            QueryError::Store(mpiscope_store::StoreError::Newer(..)) => {
                "A store for this version beside it: mpiscope view RUN --store DIR; or in its place: mpiscope store RUN --force"
            }
            QueryError::Store(mpiscope_store::StoreError::Busy(_)) => {
                "Wait for the other one, then open the run again."
            }
            QueryError::Store(_) => {
                "Is there room on the disk? Another place for the store: mpiscope view RUN --store DIR"
            }
            _ => NEXT,
        };
        let failure = FailureInfo { what: why.to_string(), next: next.to_owned() };
        *self.failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(failure);
    }

    /// What answers depend on beside the question; nothing while that still changes.
    pub fn id(&self) -> Option<String> {
        let now = self.now();
        now.report.get()?;
        now.id.get().cloned()
    }

    /// The run with its store, once it is there.
    pub fn scene(&self) -> Result<Arc<Scene>, ViewError> {
        self.now().scene.get().cloned().ok_or(ViewError::NotYet)
    }

    /// Cells of a window in the order `order`: of the run up to now, while the store is built.
    pub fn cells(
        &self,
        order: &str,
        wish: impl FnOnce(usize, u64) -> CellsWish,
        cancel: &Cancel,
    ) -> Result<Cells, ViewError> {
        let now = self.now();
        if let Some(scene) = now.scene.get() {
            let order = scene.order(order)?;
            return cells::cells(scene, &order, &wish(order.ranks.len(), scene.until_ns()), cancel);
        }
        let growing = now.growing.lock().unwrap_or_else(PoisonError::into_inner).clone().ok_or(ViewError::NotYet)?;
        let order = growing.ground.order(order, |_| Err(ViewError::NotYet))?;
        let wish = wish(order.ranks.len(), now.early.until_ns);
        if wish.filter.is_narrow() {
            return Err(ViewError::NotYet);
        }
        cells::of_preview(&*growing.live.view()?, &order, &wish, cancel)
    }

    /// Cells of the run out of its preview alone, whatever the number of calls: quick, and as fine as the preview is.
    pub fn cells_of_preview(&self, wish: &CellsWish, cancel: &Cancel) -> Result<Cells, ViewError> {
        let scene = self.scene()?;
        let order = scene.order("")?;
        cells::of_preview(&scene.preview, &order, wish, cancel)
    }

    /// What is known of the run by now.
    pub fn info(&self) -> RunInfo {
        let now = self.now();
        let mut info = now.info.get().unwrap_or(&now.early).clone();
        if let Some((iterations, caveats)) = now.explained.get() {
            info.iterations.clone_from(iterations);
            info.caveats.extend(caveats.iter().cloned());
        }
        info
    }

    /// How far it is.
    pub fn progress(&self) -> ProgressInfo {
        let now = self.now();
        let failure = now.failure.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let state = match (&failure, now.scene.get()) {
            (Some(_), _) => State::Failed,
            (None, Some(_)) => State::Ready,
            (None, None) => State::Building,
        };
        let done = if state == State::Ready { 1.0 } else { now.done.load(Ordering::Relaxed) as f64 / 1e6 };
        ProgressInfo {
            state,
            done,
            is_explained: now.report.get().is_some(),
            failure,
            is_writing: now.early.is_writing,
            readings: self.readings.load(Ordering::Relaxed),
        }
    }

    /// The report as JSON: without events until they are read.
    pub fn report(&self) -> Vec<u8> {
        let now = self.now();
        if let Some(text) = now.report.get() {
            return text.clone();
        }
        serde_json::to_vec(&Report::new(&now.run, now.summary.clone(), None)).unwrap_or_default()
    }

    /// The report in short: worked out by `shorten` when it is asked for first.
    pub fn report_in_short(&self, shorten: impl FnOnce(Vec<u8>) -> Vec<u8>) -> Vec<u8> {
        let now = self.now();
        let (brief, whole) = (&now.brief[usize::from(now.report.get().is_some())], || now.report());
        brief.get_or_init(|| shorten(whole())).clone()
    }

    /// What the run is called.
    pub fn name(&self) -> &str {
        &self.early.name
    }

    /// Where the run is.
    pub fn path(&self) -> &Path {
        &self.run.path
    }
}

const NEXT: &str = "mpiscope report RUN says more.";

fn hash(what: &impl std::hash::Hash) -> u64 {
    use std::hash::{DefaultHasher, Hasher};
    let mut hasher = DefaultHasher::new();
    what.hash(&mut hasher);
    hasher.finish()
}
