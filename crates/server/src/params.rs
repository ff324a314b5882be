//! Parameters of a request.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::Arc;

use axum::extract::Query;
use axum::http::Uri;
use mpiscope_query::view::{Care, Filter, Of, OpenedRun, ViewError, ranks};
use mpiscope_store::{CommId, RankId, RegionId, SiteId};

use crate::number::Number;

/// Parameters by name. An unused one is an error, since it is probably a typing mistake.
pub(crate) struct Params {
    values: BTreeMap<String, String>,
    read: RefCell<Vec<&'static str>>,
}

impl Params {
    /// From the part of the address after the question mark.
    pub fn parse(query: &str) -> Result<Params, ViewError> {
        let wrong = || ViewError::Wrong(format!("invalid parameters '{query}'"));
        let uri: Uri = format!("/?{query}").parse().map_err(|_| wrong())?;
        let Query(pairs) = Query::<Vec<(String, String)>>::try_from_uri(&uri).map_err(|_| wrong())?;
        let mut values = BTreeMap::new();
        for (name, value) in pairs {
            match values.entry(name) {
                Entry::Vacant(free) => free.insert(value),
                Entry::Occupied(taken) => {
                    return Err(ViewError::Wrong(format!(
                        "the parameter '{}' occurs twice; write it once",
                        taken.key()
                    )));
                }
            };
        }
        Ok(Params { values, read: RefCell::default() })
    }

    /// The raw value of a name, if it is present.
    fn given(&self, name: &'static str) -> Option<&str> {
        self.read.borrow_mut().push(name);
        self.values.get(name).map(String::as_str)
    }

    /// The text of a parameter. An empty one counts as absent.
    pub fn text(&self, name: &'static str) -> Option<&str> {
        self.given(name).filter(|text| !text.is_empty())
    }

    /// A required text.
    pub fn need_text(&self, name: &'static str) -> Result<&str, ViewError> {
        self.text(name).ok_or_else(|| missing(name))
    }

    /// An optional number. An invalid value does not become the default: it is an error.
    pub fn get<T: Number>(&self, name: &'static str) -> Result<Option<T>, ViewError> {
        let Some(text) = self.given(name) else { return Ok(None) };
        let wrong = || ViewError::Wrong(format!("invalid value {name}={text}: {name} is {}", T::what()));
        T::read(text).map(Some).ok_or_else(wrong)
    }

    /// A required number.
    pub fn need<T: Number>(&self, name: &'static str) -> Result<T, ViewError> {
        self.get(name)?.ok_or_else(|| missing(name))
    }

    /// A number of at most `most`.
    pub fn limit(&self, name: &'static str, usual: usize, most: usize) -> Result<usize, ViewError> {
        let value = self.get(name)?.unwrap_or(usual);
        if value > most {
            return Err(ViewError::Wrong(format!("{name} is {value}; it must be at most {most}")));
        }
        Ok(value)
    }

    /// A number of parts: 1 to `most`.
    pub fn parts(&self, name: &'static str, usual: usize, most: usize) -> Result<usize, ViewError> {
        match self.limit(name, usual, most)? {
            0 => Err(ViewError::Wrong(format!("{name} is 0; it must be at least 1"))),
            parts => Ok(parts),
        }
    }

    /// A moment or a duration: whole or with a fraction that is dropped, never below 0.
    pub fn ns(&self, name: &'static str) -> Result<Option<u64>, ViewError> {
        Ok(self.get::<f64>(name)?.map(|ns| ns.max(0.0) as u64))
    }

    /// Two moments, both or none.
    pub fn window_ns(&self) -> Result<Option<(u64, u64)>, ViewError> {
        match (self.ns("from")?, self.ns("until")?) {
            (None, None) => Ok(None),
            (Some(from), Some(until)) => Ok(Some((from, until))),
            (from, _) => Err(missing(if from.is_none() { "from" } else { "until" })),
        }
    }

    /// Whether an answer from tables or from a sample suffices.
    pub fn care(&self) -> Result<Care, ViewError> {
        Ok(if self.flag("quick")? { Care::Quick } else { Care::Exact })
    }

    /// Calls, or messages.
    pub fn calls_or_messages(&self) -> Result<Of, ViewError> {
        match self.text("of") {
            None | Some("calls") => Ok(Of::Calls),
            Some("messages") => Ok(Of::Messages),
            Some(other) => Err(ViewError::Wrong(format!("invalid value '{other}'; use calls or messages"))),
        }
    }

    /// 0 or 1.
    pub fn flag(&self, name: &'static str) -> Result<bool, ViewError> {
        Ok(self.get(name)?.unwrap_or(false))
    }

    /// `12,40`, ascending.
    pub fn ids(&self, name: &'static str) -> Result<Option<Vec<u32>>, ViewError> {
        let Some(text) = self.given(name) else { return Ok(None) };
        let ids: Result<Vec<u32>, _> = text.split(',').map(str::parse).collect();
        let mut ids =
            ids.map_err(|_| ViewError::Wrong(format!("invalid value {name}={text}: {name} are ids, such as 12,40")))?;
        ids.sort_unstable();
        Ok(Some(ids))
    }

    /// `0-3,7`, ascending.
    fn ranks(&self, name: &'static str, end: u32) -> Result<Option<Vec<u32>>, ViewError> {
        let Some(text) = self.given(name) else { return Ok(None) };
        ranks(text, end).map(Some).map_err(|why| ViewError::Wrong(format!("{name}: {why}")))
    }

    /// The restrictions of the request.
    pub fn filter(&self, scene: &OpenedRun) -> Result<Filter, ViewError> {
        let mut filter = Filter { from_ns: self.ns("from")?, until_ns: self.ns("until")?, ..self.fixed()? };
        self.restrict(scene, &mut filter)?;
        if let Some(shown) = self.positions(scene)? {
            filter.ranks = Some(match filter.ranks {
                Some(ranks) => ranks.into_iter().filter(|rank| shown.binary_search(rank).is_ok()).collect(),
                None => shown,
            });
        }
        Ok(filter)
    }

    /// The restrictions of cells, whose window and rows are separate parameters. Ranks, hosts and iterations need the store.
    pub fn filter_of_cells(
        &self,
        scene: impl FnOnce() -> Result<Arc<OpenedRun>, ViewError>,
    ) -> Result<Filter, ViewError> {
        let mut filter = self.fixed()?;
        if ["ranks", "peers", "host", "iteration"].iter().any(|name| self.given(name).is_some()) {
            self.restrict(&*scene()?, &mut filter)?;
        }
        Ok(filter)
    }

    /// Adds the restrictions that need the run: ranks by number and host, iterations.
    fn restrict(&self, scene: &OpenedRun, filter: &mut Filter) -> Result<(), ViewError> {
        let end = scene.ranks() as u32;
        filter.ranks = self.ranks("ranks", end)?;
        filter.peers = self.ranks("peers", end)?;
        if let Some(host) = self.get::<usize>("host")? {
            filter.ranks.get_or_insert_with(|| (0..end).collect()).retain(|&rank| scene.host_of(rank) == Some(host));
        }
        if let Some(iteration) = self.get::<usize>("iteration")? {
            let window = scene
                .iteration_ns(iteration)
                .ok_or_else(|| ViewError::NotThere(format!("there is no iteration {iteration}")))?;
            filter.from_ns = Some(filter.from_ns.unwrap_or(0).max(window.start));
            filter.until_ns = Some(filter.until_ns.unwrap_or(u64::MAX).min(window.end));
        }
        Ok(())
    }

    /// The part of it without time and lists of ranks.
    pub fn fixed(&self) -> Result<Filter, ViewError> {
        Ok(Filter {
            functions: self.ids("functions")?,
            comm: self.get("comm")?.map(CommId),
            site: self.get("site")?.map(SiteId),
            region: self.get("region")?.map(RegionId),
            peer: self.get("peer")?.map(RankId),
            tag: self.get("tag")?,
            thread: self.get("thread")?,
            bytes_min: self.get("bytes_min")?,
            bytes_max: self.get("bytes_max")?,
            duration_min_ns: self.ns("duration_min")?,
            duration_max_ns: self.ns("duration_max")?,
            ..Filter::default()
        })
    }

    /// Ranks between two positions of an order, ascending; nothing for all.
    fn positions(&self, scene: &OpenedRun) -> Result<Option<Vec<u32>>, ViewError> {
        let order = self.text("order");
        let (from, until) = (self.get::<usize>("row_from")?, self.get::<usize>("row_until")?);
        if order.is_none() && from.is_none() && until.is_none() {
            return Ok(None);
        }
        let order = scene.order(order.unwrap_or_default())?;
        let mut ranks = order.ranks_in(from.unwrap_or(0)..until.unwrap_or(usize::MAX)).to_vec();
        ranks.sort_unstable();
        Ok(Some(ranks))
    }

    /// An error for parameters that the request does not have.
    pub fn all_read(&self) -> Result<(), ViewError> {
        let read = self.read.borrow();
        match self.values.keys().find(|name| !read.iter().any(|r| r == name)) {
            Some(name) => Err(ViewError::Wrong(format!("this request has no parameter '{name}'"))),
            None => Ok(()),
        }
    }
}

fn missing(name: &str) -> ViewError {
    ViewError::Wrong(format!("the parameter {name} is missing"))
}
