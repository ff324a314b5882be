//! A run being prepared for the page: the part that is known so far.

use std::ops::{ControlFlow, Deref};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use mpiscope_ingest::Tables;
use mpiscope_pyramid::{Live, Pyramid};
use mpiscope_run::topology::Topology;
use mpiscope_run::{OpenError, Resolver, Run, RunHeader, Summary};
use mpiscope_store::{Manifest, Store, StoreError};
use serde::Serialize;

use super::grouping::{GridInfo, NetworkInfo};
use super::run_context::RunContext;
use super::{Cancel, Cells, CellsWish, Iterations, OpenedRun, RunInfo, ViewError, cells};
use crate::explanation::explain_sharing;
use crate::gains::{Gains, add_gains};
use crate::stored::{source, source_of_heads};
use crate::{QueryError, Report};

/// The progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// The store is being built.
    Building,
    /// All requests are possible.
    Ready,
    /// It cannot be shown.
    Failed,
}

/// The progress of the store.
#[derive(Clone, Debug, Serialize)]
pub struct ProgressInfo {
    /// What can be requested now.
    pub state: State,
    /// Share that is done, from 0 to 1.
    pub done: f64,
    /// Rank files still to be read for counts and analysis.
    pub files: Option<FilesInfo>,
    /// Whether the explanation is available.
    pub is_explained: bool,
    /// `None` unless `state` is failed.
    pub failure: Option<FailureInfo>,
    /// Whether the program was still running when the run was opened: later events are not available yet.
    pub is_writing: bool,
    /// How often a run that is being written was read again: each time it has more.
    pub readings: u64,
}

/// Number of rank files read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct FilesInfo {
    /// Files read so far.
    pub read: usize,
    /// All files.
    pub of: usize,
}

/// Why it cannot be shown.
#[derive(Clone, Debug, Serialize)]
pub struct FailureInfo {
    /// The problem.
    pub what: String,
    /// What to do next.
    pub next: String,
}

struct Growing {
    ground: RunContext,
    live: Live,
}

/// A run whose rank files have been read.
struct Counted {
    run: Run,
    summary: Summary,
}

/// The facts that the explanation adds.
struct Explained {
    iterations: Option<Iterations>,
    grid: Option<GridInfo>,
    caveats: Vec<String>,
}

/// The source of pictures.
struct Shown {
    scene: Arc<OpenedRun>,
    /// The inputs of its store.
    source: String,
    id: String,
}

/// A run that a page shows.
pub struct ViewSession {
    path: PathBuf,
    resolver: Resolver,
    store: PathBuf,
    network: Option<Arc<Topology>>,
    /// A run whose rank files have not been read yet.
    glance: Option<RunHeader>,
    /// From reading its rank files until it is explained: nothing else needs it, and it is large.
    counted: Mutex<Option<Arc<Counted>>>,
    /// Number of rank files read; all of them once the run is counted.
    files_read: AtomicUsize,
    is_counted: AtomicBool,
    /// The facts known so far.
    info: Mutex<RunInfo>,
    /// While the store is built: the facts of the whole run, and the growing preview.
    growing: Mutex<Option<Arc<Growing>>>,
    shown: Mutex<Option<Arc<Shown>>>,
    report: OnceLock<Vec<u8>>,
    /// The short report, without events and with them.
    brief: [OnceLock<Vec<u8>>; 2],
    /// The facts that the explanation adds.
    explained: OnceLock<Explained>,
    failure: Mutex<Option<FailureInfo>>,
    /// In millionths.
    done: AtomicU64,
    /// The same run, read again: from then on it answers.
    next: Mutex<Option<Arc<ViewSession>>>,
    /// How often it was read again.
    readings: AtomicU64,
}

/// The source of answers at a moment.
enum Now<'a> {
    First(&'a ViewSession),
    Again(Arc<ViewSession>),
}

impl Deref for Now<'_> {
    type Target = ViewSession;

    fn deref(&self) -> &ViewSession {
        match self {
            Now::First(viewing) => viewing,
            Now::Again(viewing) => viewing,
        }
    }
}

impl ViewSession {
    /// `run` with its store at `store`, which may not be there yet. Reads no events.
    pub fn new(run: Run, resolver: Resolver, store: PathBuf) -> ViewSession {
        let viewing = ViewSession::begin(run.path.clone(), resolver, store);
        viewing.counts(run);
        viewing
    }

    /// A run whose rank files are read by [`ViewSession::build`]. If it has its store, most requests are possible before that.
    pub fn later(glance: RunHeader, resolver: Resolver, store: PathBuf) -> ViewSession {
        let mut viewing = ViewSession::begin(glance.path.clone(), resolver, store);
        *held(&viewing.info) = RunInfo::of_glance(name_of(&glance.path), &glance);
        viewing.glance = Some(glance);
        viewing
    }

    fn begin(path: PathBuf, resolver: Resolver, store: PathBuf) -> ViewSession {
        ViewSession {
            path,
            resolver,
            store,
            network: None,
            glance: None,
            counted: Mutex::new(None),
            files_read: AtomicUsize::new(0),
            is_counted: AtomicBool::new(false),
            info: Mutex::default(),
            growing: Mutex::new(None),
            shown: Mutex::new(None),
            report: OnceLock::new(),
            brief: Default::default(),
            explained: OnceLock::new(),
            failure: Mutex::new(None),
            done: AtomicU64::new(0),
            next: Mutex::new(None),
            readings: AtomicU64::new(0),
        }
    }

    /// With the network of its ranks.
    pub fn with_network(self, network: Option<Arc<Topology>>) -> ViewSession {
        ViewSession { network, ..self }
    }

    /// The network of its ranks, if it is known.
    pub fn network(&self) -> Option<Arc<Topology>> {
        self.network.clone()
    }

    /// From now on `next` answers: the run has grown, and was read again.
    pub fn go_on_with(&self, next: Arc<ViewSession>) {
        *held(&self.next) = Some(next);
        self.readings.fetch_add(1, Ordering::Relaxed);
    }

    /// The current source of answers.
    fn now(&self) -> Now<'_> {
        held(&self.next).clone().map_or(Now::First(self), Now::Again)
    }

    /// Reads the rank files, unless they have been read. A run with a store is shown before that. False if they cannot be read,
    /// or if `go_on`, which is called from time to time, returns false.
    pub fn read(&self, go_on: &(dyn Fn() -> bool + Sync)) -> bool {
        if self.is_counted.load(Ordering::Acquire) {
            return true;
        }
        if held(&self.failure).is_some() || self.report.get().is_some() {
            return false;
        }
        // A store that cannot be used now is rebuilt.
        let _ = self.show_stored();
        match self.count(go_on) {
            Ok(()) => return true,
            Err(OpenError::Interrupted(_)) => {}
            Err(why) => self.lacks_files(&why),
        }
        false
    }

    /// Builds the missing parts: the counts, the store, then the explanation. `go_on` is called from time to time.
    pub fn build(&self, go_on: &(dyn Fn() -> bool + Sync)) {
        if self.read(go_on) && self.store(go_on) {
            self.explain(go_on);
        }
    }

    /// After [`ViewSession::read`]: builds the store, unless it exists. False if that failed or was interrupted.
    pub fn store(&self, go_on: &(dyn Fn() -> bool + Sync)) -> bool {
        let Some(counted) = held(&self.counted).clone() else { return false };
        let watch = |done: u64, all: u64| {
            self.done.store((done as f64 / all.max(1) as f64 * 1e6) as u64, Ordering::Relaxed);
            if go_on() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        };
        self.build_store(&counted, &mut { watch }).map_err(|why| self.fail(&why)).is_ok()
    }

    /// After [`ViewSession::store`]: explains the run.
    pub fn explain(&self, go_on: &(dyn Fn() -> bool + Sync)) {
        let Some(counted) = held(&self.counted).clone() else { return };
        let known = held(&self.shown).as_ref().map(|shown| shown.scene.ground.facts.clone());
        let explain = || {
            let mut watch = |_, _| match go_on() {
                true => ControlFlow::Continue(()),
                false => ControlFlow::Break(()),
            };
            let (run, resolver) = (&counted.run, &self.resolver);
            let (mut explanation, problems) = explain_sharing(run, resolver, known.as_ref(), None, &mut watch)?;
            add_gains(run, resolver, &mut explanation, Gains::Short, &mut watch)?;
            Ok::<_, QueryError>((explanation, problems))
        };
        match beside("explain", explain) {
            Ok((explanation, problems)) => self.explained(&counted, explanation, problems),
            // The pictures are available; the overview shows what is missing.
            Err(why) => self.has_no_report(&why.to_string()),
        }
        *held(&self.counted) = None;
    }

    /// Shows a run of which only the first pages were read, if its store fits it.
    fn show_stored(&self) -> Result<(), ViewError> {
        let Some(glance) = &self.glance else { return Ok(()) };
        let heads = || {
            let heads = glance.heads();
            held(&self.info).add_heads(&heads);
            source_of_heads(&glance.path, &heads)
        };
        // Thousands of files take as long as the store; a store of other files is rare.
        let (source, opened) = rayon::join(heads, || Shown::of_place(&self.store, self.network()));
        let Some(shown) = opened?.filter(|shown| shown.source == source) else { return Ok(()) };
        let mut info = held(&self.info).clone();
        info.add_scene(&shown.scene)?;
        *held(&self.info) = info;
        *held(&self.shown) = Some(Arc::new(shown));
        Ok(())
    }

    fn count(&self, go_on: &(dyn Fn() -> bool + Sync)) -> Result<(), OpenError> {
        let Some(glance) = &self.glance else { return Ok(()) };
        let watch = |read: usize, _: usize| {
            self.files_read.fetch_max(read, Ordering::Relaxed);
            go_on()
        };
        self.counts(beside("read", || Run::open_watched(&glance.path, &glance.live, &watch))?);
        Ok(())
    }

    fn counts(&self, mut run: Run) {
        let summary = run.summary(|_| true, &self.resolver);
        let is_writing = run.ranks.iter().any(|rank| rank.alive_at_ns.is_some());
        let mut info = RunInfo::of_summary(name_of(&run.path), &summary, is_writing);
        info.add_stack_depths(run.ranks.iter().map(|rank| rank.header.stack_depth));
        let shown = held(&self.shown).clone();
        // The store existed before and can be read again; if not, it is rebuilt.
        let _ = shown.map(|shown| info.add_dimensions_of(&shown.scene));
        // The summary includes it.
        run.forget_sums();
        *held(&self.info) = info;
        *held(&self.counted) = Some(Arc::new(Counted { run, summary }));
        self.is_counted.store(true, Ordering::Release);
    }

    fn build_store(&self, counted: &Counted, watch: &mut crate::Watch<'_>) -> Result<(), QueryError> {
        let source = source(&counted.run);
        if held(&self.shown).as_ref().is_some_and(|shown| shown.source == source) {
            return Ok(());
        }
        // A file has changed, or turned out to be damaged: the store is made from what can be read now.
        *held(&self.shown) = None;
        let grow = |tables: &Tables, live: Live| {
            let ground = RunContext::new(tables.dimensions.clone(), tables.facts.clone(), self.network());
            *held(&self.growing) = Some(Arc::new(Growing { ground, live }));
        };
        crate::store_with(&counted.run, &self.resolver, &self.store, false, watch, grow)?;
        let store = Store::open(&self.store)?;
        let preview = crate::preview(&store, watch)?;
        let shown = Shown::open(store, preview, self.network())?;
        held(&self.info).add_dimensions_of(&shown.scene)?;
        *held(&self.shown) = Some(Arc::new(shown));
        *held(&self.growing) = None;
        Ok(())
    }

    fn explained(
        &self,
        counted: &Counted,
        explanation: mpiscope_analysis::Explanation,
        problems: Vec<mpiscope_run::Diagnostic>,
    ) {
        if let Some(shown) = &*held(&self.shown) {
            shown.scene.explained(&explanation);
        }
        let mut summary = counted.summary.clone();
        summary.add_problems(problems);
        let report = Report::new(&counted.run, summary, Some(explanation));
        let text = serde_json::to_vec(&report).unwrap_or_else(|e| {
            serde_json::json!({"error": {"what": e.to_string(), "next": NEXT}}).to_string().into_bytes()
        });
        if let Some(explanation) = &report.explanation {
            let _ = self.explained.set(Explained {
                iterations: Iterations::from_explanation(explanation),
                grid: explanation.grid.as_ref().and_then(GridInfo::from_grid),
                caveats: explanation.caveats.clone(),
            });
        }
        let _ = self.report.set(text);
    }

    fn fail(&self, why: &QueryError) {
        let next = match why {
            QueryError::Store(mpiscope_store::StoreError::Newer(..)) => {
                "Build a store for this version elsewhere with mpiscope view RUN --store DIR, or replace the store with mpiscope store RUN --force"
            }
            QueryError::Store(mpiscope_store::StoreError::Busy(_)) => {
                "Wait until the other process has finished, then open the run again."
            }
            QueryError::Store(_) => {
                "Check the free space on the disk, or choose another place for the store: mpiscope view RUN --store DIR"
            }
            _ => NEXT,
        };
        self.fail_with(FailureInfo { what: why.to_string(), next: next.to_owned() });
    }

    fn fail_with(&self, failure: FailureInfo) {
        *held(&self.failure) = Some(failure);
    }

    /// The rank files can no longer be read. The store stays.
    fn lacks_files(&self, why: &OpenError) {
        if held(&self.shown).is_none() {
            return self.fail_with(FailureInfo { what: why.to_string(), next: "Open the run again.".to_owned() });
        }
        let text = format!("the rank files of the run can no longer be read, so there is no report: {why}");
        held(&self.info).caveats.push(text);
        self.has_no_report(&why.to_string());
    }

    fn has_no_report(&self, why: &str) {
        let text = serde_json::json!({"error": {"what": why, "next": NEXT}});
        let _ = self.report.set(text.to_string().into_bytes());
    }

    /// The inputs of answers other than the request; nothing while they still change.
    pub fn id(&self) -> Option<String> {
        let now = self.now();
        now.report.get()?;
        held(&now.shown).as_ref().map(|shown| shown.id.clone())
    }

    /// The run with its store, once it is built.
    ///
    /// # Errors
    ///
    /// [`ViewError::NotYet`] until then.
    pub fn scene(&self) -> Result<Arc<OpenedRun>, ViewError> {
        held(&self.now().shown).as_ref().map(|shown| shown.scene.clone()).ok_or(ViewError::NotYet)
    }

    /// Cells of a window in the order `order`: of the run so far, while the store is built.
    ///
    /// # Errors
    ///
    /// If the order or the filter needs the finished store, the order is invalid, nothing can be read, or the request is
    /// cancelled.
    pub fn cells(
        &self,
        order: &str,
        wish: impl FnOnce(usize, u64) -> CellsWish,
        cancel: &Cancel,
    ) -> Result<Cells, ViewError> {
        let now = self.now();
        let shown = held(&now.shown).clone();
        if let Some(Shown { scene, .. }) = shown.as_deref() {
            let order = scene.order(order)?;
            return cells::cells(scene, &order, &wish(order.rows(), scene.until_ns()), cancel);
        }
        let growing = held(&now.growing).clone().ok_or(ViewError::NotYet)?;
        let order = growing.ground.order(order, |_| Err(ViewError::NotYet))?;
        let wish = wish(order.rows(), held(&now.info).until_ns);
        if wish.filter.is_narrow() {
            return Err(ViewError::NotYet);
        }
        cells::of_preview(&*growing.live.view()?, &order, &wish, cancel)
    }

    /// Cells of the run from its preview only, whatever the number of calls: quick, and as fine as the preview is.
    ///
    /// # Errors
    ///
    /// [`ViewError::NotYet`] until the store is built; if the preview cannot be read, or the request is cancelled.
    pub fn cells_of_preview(&self, wish: &CellsWish, cancel: &Cancel) -> Result<Cells, ViewError> {
        let scene = self.scene()?;
        let order = scene.order("")?;
        cells::of_preview(&scene.preview, &order, wish, cancel)
    }

    /// The facts of the run known so far.
    pub fn info(&self) -> RunInfo {
        let now = self.now();
        let mut info = held(&now.info).clone();
        info.network = now.network.as_deref().map(NetworkInfo::from_topology);
        if let Some(explained) = now.explained.get() {
            info.iterations.clone_from(&explained.iterations);
            info.grid.clone_from(&explained.grid);
            info.caveats.extend(explained.caveats.iter().cloned());
        }
        info
    }

    /// The progress.
    pub fn progress(&self) -> ProgressInfo {
        let now = self.now();
        let failure = held(&now.failure).clone();
        let state = match (&failure, held(&now.shown).is_some()) {
            (Some(_), _) => State::Failed,
            (None, true) => State::Ready,
            (None, false) => State::Building,
        };
        let done = if state == State::Ready { 1.0 } else { now.done.load(Ordering::Relaxed) as f64 / 1e6 };
        let is_explained = now.report.get().is_some();
        ProgressInfo {
            state,
            done,
            files: now.glance.as_ref().filter(|_| !now.is_counted() && !is_explained).map(|glance| FilesInfo {
                read: now.files_read.load(Ordering::Relaxed).min(glance.files()),
                of: glance.files(),
            }),
            is_explained,
            failure,
            is_writing: held(&now.info).is_writing,
            readings: self.readings.load(Ordering::Relaxed),
        }
    }

    /// Whether the rank files have been read.
    pub fn is_counted(&self) -> bool {
        self.now().is_counted.load(Ordering::Acquire)
    }

    /// The report as JSON: without events until they are read.
    ///
    /// # Errors
    ///
    /// [`ViewError::NotRead`] until the rank files are read.
    pub fn report(&self) -> Result<Vec<u8>, ViewError> {
        let now = self.now();
        // In this order: the run is dropped when the report is available.
        let counted = held(&now.counted).clone();
        match (now.report.get(), counted) {
            (Some(text), _) => Ok(text.clone()),
            (None, Some(counted)) => {
                Ok(serde_json::to_vec(&Report::new(&counted.run, counted.summary.clone(), None)).unwrap_or_default())
            }
            (None, None) => Err(ViewError::NotRead),
        }
    }

    /// The short report: computed by `shorten` on the first request.
    ///
    /// # Errors
    ///
    /// As [`ViewSession::report`].
    pub fn report_in_short(&self, shorten: impl FnOnce(Vec<u8>) -> Vec<u8>) -> Result<Vec<u8>, ViewError> {
        let now = self.now();
        let brief = &now.brief[usize::from(now.report.get().is_some())];
        if let Some(text) = brief.get() {
            return Ok(text.clone());
        }
        let whole = now.report()?;
        Ok(brief.get_or_init(|| shorten(whole)).clone())
    }

    /// The name of the run.
    pub fn name(&self) -> String {
        name_of(&self.path)
    }

    /// The place of the run.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Shown {
    /// Of a finished store, if there is one.
    fn of_place(place: &Path, network: Option<Arc<Topology>>) -> Result<Option<Shown>, StoreError> {
        if Manifest::read(place)?.is_none() {
            return Ok(None);
        }
        let store = Store::open(place)?;
        crate::preview_if_there(&store).map(|preview| Shown::open(store, preview, network)).transpose()
    }

    fn open(store: Store, preview: Pyramid, network: Option<Arc<Topology>>) -> Result<Shown, StoreError> {
        let source = store.manifest().source.clone();
        let id = format!("{:016x}", hash(&(source.as_str(), env!("CARGO_PKG_VERSION"))));
        Ok(Shown { scene: Arc::new(OpenedRun::open(store, preview, network)?), source, id })
    }
}

/// With separate threads: requests would wait behind it in the common queue.
fn beside<T: Send>(name: &'static str, work: impl FnOnce() -> T + Send) -> T {
    match rayon::ThreadPoolBuilder::new().thread_name(move |_| name.into()).build() {
        Ok(threads) => threads.install(work),
        Err(_) => work(),
    }
}

fn name_of(run: &Path) -> String {
    run.file_name().unwrap_or(run.as_os_str()).to_string_lossy().into_owned()
}

/// The value behind a lock, even after a panic: no step leaves it inconsistent.
fn held<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}

const NEXT: &str = "Run mpiscope report RUN for details.";

fn hash(what: &impl std::hash::Hash) -> u64 {
    use std::hash::{DefaultHasher, Hasher};
    let mut hasher = DefaultHasher::new();
    what.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests;
