//! Parameters of a question.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::str::FromStr;
use std::sync::Arc;

use axum::extract::Query;
use axum::http::Uri;
use mpiscope_query::view::{Care, Filter, Of, Scene, ViewError, ranks};
use mpiscope_store::{CommId, RankId, RegionId, SiteId};

/// Parameters by name. Those that nobody has asked for are a slip of the finger.
pub(crate) struct Params {
    values: BTreeMap<String, String>,
    read: RefCell<Vec<&'static str>>,
}

impl Params {
    /// From the part of the address after the question mark.
    pub fn parse(query: &str) -> Result<Params, ViewError> {
        let wrong = || ViewError::Wrong(format!("'{query}' are no parameters"));
        let uri: Uri = format!("/?{query}").parse().map_err(|_| wrong())?;
        let Query(values) = Query::try_from_uri(&uri).map_err(|_| wrong())?;
        Ok(Params { values, read: RefCell::default() })
    }

    /// The text of a parameter.
    pub fn text(&self, name: &'static str) -> Option<&str> {
        self.read.borrow_mut().push(name);
        self.values.get(name).map(String::as_str).filter(|text| !text.is_empty())
    }

    /// A parameter that may be missing.
    pub fn get<T: FromStr>(&self, name: &'static str) -> Result<Option<T>, ViewError> {
        let Some(text) = self.text(name) else { return Ok(None) };
        text.parse().map(Some).map_err(|_| ViewError::Wrong(format!("'{text}' is no {name}")))
    }

    /// A parameter that must be there.
    pub fn need<T: FromStr>(&self, name: &'static str) -> Result<T, ViewError> {
        self.get(name)?.ok_or_else(|| ViewError::Wrong(format!("{name} is missing")))
    }

    /// A number of at most `most`.
    pub fn limit(&self, name: &'static str, usual: usize, most: usize) -> Result<usize, ViewError> {
        let value = self.get(name)?.unwrap_or(usual);
        if value > most {
            return Err(ViewError::Wrong(format!("{name} is {value}; at most {most}")));
        }
        Ok(value)
    }

    /// A moment or a duration: whole or with a fraction that is dropped, never below 0.
    pub fn ns(&self, name: &'static str) -> Result<Option<u64>, ViewError> {
        Ok(self.get::<f64>(name)?.map(|ns| ns.max(0.0) as u64))
    }

    /// Whether an answer of tables or of a sample will do.
    pub fn care(&self) -> Result<Care, ViewError> {
        Ok(if self.flag("quick")? { Care::Quick } else { Care::Exact })
    }

    /// Calls, or messages.
    pub fn of(&self) -> Result<Of, ViewError> {
        match self.text("of") {
            None | Some("calls") => Ok(Of::Calls),
            Some("messages") => Ok(Of::Messages),
            Some(other) => {
                Err(ViewError::Wrong(format!("nothing is known of '{other}'; there are calls and messages")))
            }
        }
    }

    /// 0 or 1.
    pub fn flag(&self, name: &'static str) -> Result<bool, ViewError> {
        Ok(self.get::<u8>(name)?.unwrap_or(0) != 0)
    }

    /// `12,40`, ascending.
    pub fn ids(&self, name: &'static str) -> Result<Option<Vec<u32>>, ViewError> {
        let Some(text) = self.text(name) else { return Ok(None) };
        let ids: Result<Vec<u32>, _> = text.split(',').map(str::parse).collect();
        let mut ids = ids.map_err(|_| ViewError::Wrong(format!("'{text}' are no {name}; write 12,40")))?;
        ids.sort_unstable();
        Ok(Some(ids))
    }

    /// What restricts the question.
    pub fn filter(&self, scene: &Scene) -> Result<Filter, ViewError> {
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

    /// What restricts cells, of which window and rows are said otherwise. Ranks, hosts and iterations need the store.
    pub fn filter_of_cells(&self, scene: impl FnOnce() -> Result<Arc<Scene>, ViewError>) -> Result<Filter, ViewError> {
        let mut filter = self.fixed()?;
        if ["ranks", "peers", "host", "iteration"].iter().any(|name| self.text(name).is_some()) {
            self.restrict(&*scene()?, &mut filter)?;
        }
        Ok(filter)
    }

    /// Adds what has to be looked up in the run: ranks by number and host, iterations.
    fn restrict(&self, scene: &Scene, filter: &mut Filter) -> Result<(), ViewError> {
        let end = scene.ranks() as u32;
        filter.ranks = self.text("ranks").map(|text| ranks(text, end)).transpose()?;
        filter.peers = self.text("peers").map(|text| ranks(text, end)).transpose()?;
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

    /// The part of it that asks neither for time nor for lists of ranks.
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

    /// Ranks between two positions of an order, ascending; nothing if all are.
    fn positions(&self, scene: &Scene) -> Result<Option<Vec<u32>>, ViewError> {
        let order = self.text("order");
        let (from, until) = (self.get::<usize>("row_from")?, self.get::<usize>("row_until")?);
        if order.is_none() && from.is_none() && until.is_none() {
            return Ok(None);
        }
        let order = scene.order(order.unwrap_or_default())?;
        let until = until.unwrap_or(usize::MAX).min(order.ranks.len());
        let mut ranks = order.ranks[from.unwrap_or(0).min(until)..until].to_vec();
        ranks.sort_unstable();
        Ok(Some(ranks))
    }

    /// An error for parameters that the question does not have.
    pub fn all_read(&self) -> Result<(), ViewError> {
        let read = self.read.borrow();
        match self.values.keys().find(|name| !read.iter().any(|r| r == name)) {
            Some(name) => Err(ViewError::Wrong(format!("this question has no parameter '{name}'"))),
            None => Ok(()),
        }
    }
}
