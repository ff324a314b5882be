//! Answers by name, one after the other.

use std::io::Write;

use flate2::Compression;
use flate2::write::DeflateEncoder;
use mpiscope_query::view::{self, Cancel, Filter, RunInfo, ViewError, ViewSession};
use serde_json::{Map, Value, json};

use super::CALLS_MOST;
use crate::ask::answer;
use crate::brief::is_odd;
use crate::frame::Frame;
use crate::questions::rows;

/// Statistics of the whole run are only computed for runs with at most this many calls: each reads all of them.
const SCANNED_MOST: u64 = 50_000_000;
/// For runs with more calls, only the statistics that are shown first.
const SCANNED_OFTEN: u64 = 4_000_000;
/// Limit for messages, waits and regions of the window.
const ROWS_MOST: usize = 16_000;
/// Bins of curves: the result has at least half as many.
const CURVES_COLUMNS: usize = 1024;
/// For runs with more ranks, the zoomed-out timeline of the page has no rows of single ranks that could be put in order.
const ORDERED_MOST: usize = super::levels::TALL_ROWS;
/// Most communicators by which the page can group ranks: those that it offers (`viewer/src/commands/fold.ts`).
const ORDERED_COMMS: usize = 30;
/// Limit of the critical path.
const PATH_MOST: usize = 400_000;

/// Fields whose groups of the whole run are included: for large runs the first ones.
const GROUPS: [&str; 12] =
    ["function", "site", "rank", "size_bin", "peer", "comm", "host", "tag", "region", "iteration", "thread", "class"];
const GROUPS_OF_LARGE: usize = 4;
const HISTOGRAMS: [&str; 3] = ["duration", "bytes", "bandwidth"];
const SCATTERS: [(&str, u8); 3] = [("end", 0), ("bytes", 1), ("start", 0)];

/// Names with bytes.
#[derive(Default)]
pub(crate) struct Pack {
    entries: Vec<(String, Vec<u8>)>,
    about: Vec<u8>,
}

impl Pack {
    pub fn put(&mut self, name: &str, bytes: Vec<u8>) {
        self.entries.push((name.to_owned(), bytes));
    }

    /// The description of the pack itself.
    pub fn put_about(&mut self, about: &Value) {
        self.about = about.to_string().into_bytes();
    }

    /// An answer, if there is one; answers that this run cannot give are left out.
    fn ask(
        &mut self,
        viewing: &ViewSession,
        name: &str,
        (question, query): (&str, &str),
        cancel: &Cancel,
    ) -> Result<(), ViewError> {
        match answer(viewing, question, query, cancel) {
            Ok(found) => self.put(name, found.into_bytes()),
            Err(ViewError::Cancelled) => return Err(ViewError::Cancelled),
            Err(_) => {}
        }
        Ok(())
    }

    /// Tables and plots of the whole run, as the page requests them first.
    pub fn put_statistics(&mut self, viewing: &ViewSession, info: &RunInfo, cancel: &Cancel) -> Result<(), ViewError> {
        if info.calls > SCANNED_MOST {
            return Ok(());
        }
        let is_large = info.calls > SCANNED_OFTEN;
        for by in &GROUPS[..if is_large { GROUPS_OF_LARGE } else { GROUPS.len() }] {
            self.ask(viewing, &format!("groups/{by}"), ("groups", &format!("by={by}&limit=400")), cancel)?;
        }
        for field in &HISTOGRAMS[..if is_large { 1 } else { HISTOGRAMS.len() }] {
            let query = format!("field={field}&is_log=1&bins=100");
            self.ask(viewing, &format!("histogram/{field}/1"), ("histogram", &query), cancel)?;
        }
        self.put_curves(viewing, info, "run", "", cancel)?;
        self.ask(viewing, "tree", ("tree", "limit=1000"), cancel)?;
        self.ask(viewing, "path_groups", ("path_groups", "limit=400"), cancel)?;
        self.ask(viewing, "matrix/rank", ("matrix", "by=rank&blocks=64"), cancel)?;
        self.ask(viewing, "bundles", ("bundles", "columns=64&rows=64&limit=2000"), cancel)?;
        self.ask(viewing, "matrix/host", ("matrix", "by=host"), cancel)?;
        for (x, x_log) in &SCATTERS[..if is_large { 1 } else { SCATTERS.len() }] {
            let query = format!("x={x}&y=duration&x_log={x_log}&y_log=1&width=320&height=160&points=2000");
            self.ask(viewing, &format!("scatter/{x}/duration/{x_log}/1"), ("scatter", &query), cancel)?;
        }
        Ok(())
    }

    /// Ranks in the groups that the page offers and that do not follow from its description of the run.
    pub fn put_orders(&mut self, viewing: &ViewSession, info: &RunInfo, cancel: &Cancel) -> Result<(), ViewError> {
        if info.ranks.count > ORDERED_MOST {
            return Ok(());
        }
        for group in groupings(info) {
            self.ask(viewing, &format!("order/{group}"), ("order", &format!("order=group:{group}")), cancel)?;
        }
        Ok(())
    }

    /// Curves over time, for all ranks and per host.
    fn put_curves(
        &mut self,
        viewing: &ViewSession,
        info: &RunInfo,
        of: &str,
        window: &str,
        cancel: &Cancel,
    ) -> Result<(), ViewError> {
        for by_host in 0..=u8::from(info.hosts.len() > 1) {
            let query = format!("by_host={by_host}&columns={CURVES_COLUMNS}{window}");
            self.ask(viewing, &format!("curves/{of}/{by_host}"), ("curves", &query), cancel)?;
        }
        Ok(())
    }

    /// Individual calls and the lines between them.
    pub fn put_window(
        &mut self,
        viewing: &ViewSession,
        info: &RunInfo,
        (from, until): (u64, u64),
        cancel: &Cancel,
    ) -> Result<(), ViewError> {
        let window = format!("from={from}&until={until}");
        self.put_curves(viewing, info, "window", &format!("&{window}"), cancel)?;
        let calls = answer(viewing, "calls", &format!("{window}&limit={CALLS_MOST}"), cancel)?;
        self.put("calls", calls.into_bytes());
        self.put_details(viewing, from, until, cancel)?;
        for question in ["waits", "regions"] {
            self.ask(viewing, question, (question, &format!("{window}&limit={ROWS_MOST}")), cancel)?;
        }
        let scene = viewing.scene()?;
        let filter = Filter { from_ns: Some(from), until_ns: Some(until), ..Filter::default() };
        self.put("messages", rows::messages_of(&scene, &filter, ROWS_MOST, cancel)?.into_bytes());
        if let Some(lifetimes) = rows::lifetimes_of(&scene, &filter, ROWS_MOST, cancel)? {
            self.put("lifetimes", lifetimes.into_bytes());
        }
        self.put("collectives", rows::collectives_of(&scene, &filter, ROWS_MOST, cancel)?.into_bytes());
        let path = answer(viewing, "path", "", cancel)?.into_bytes();
        if path.len() <= PATH_MOST {
            self.put("path", path);
        }
        Ok(())
    }

    /// Data that the columns of `calls` do not have: datatypes, elements and roots of the same calls, and frames of their sites.
    fn put_details(&mut self, viewing: &ViewSession, from: u64, until: u64, cancel: &Cancel) -> Result<(), ViewError> {
        let scene = viewing.scene()?;
        let filter = Filter { from_ns: Some(from), until_ns: Some(until), ..Filter::default() };
        let kept = view::calls(&scene, &filter, CALLS_MOST, cancel)?.rows;
        let dimensions = scene.dimensions();
        let mut names: Vec<&str> = vec![""];
        let (mut datatypes, mut elements, mut roots) = (Vec::new(), Vec::new(), Vec::new());
        let mut sites = Map::new();
        for at in 0..kept.len() {
            let facts = kept.call_info_of(at, scene.call_info());
            let of_rank = dimensions.datatypes.get(kept.rank[at] as usize);
            let datatype = facts.and_then(|f| of_rank?.get(&f.datatype)).map_or("", |d| d.name.as_str());
            let place = names.iter().position(|name| *name == datatype).unwrap_or_else(|| {
                names.push(datatype);
                names.len() - 1
            });
            datatypes.push(place as u16);
            elements.push(facts.map_or(0, |f| kept.detail(at).copied().unwrap_or_else(|| f.detail(0)).count) as f64);
            roots.push(facts.filter(|f| f.root.is_some()).map_or(-1, |f| f.root.0 as i32));
            if let Some(site) = facts.and_then(|f| f.site.index())
                && let Some(row) = dimensions.sites.get(site).filter(|row| row.frames.len() > 1)
            {
                sites.entry(site.to_string()).or_insert_with(|| json!(row.frames));
            }
        }
        let frame = Frame::new("details", json!({"datatypes": names, "sites": sites}))
            .column("datatype", datatypes)
            .column("elements", elements)
            .column("root", roots);
        self.put("details", frame.into_bytes());
        Ok(())
    }

    /// Deflated: the length of the list in four bytes, the list of names and lengths, then their contents.
    pub fn into_bytes(mut self) -> Vec<u8> {
        self.entries.insert(0, ("about".to_owned(), self.about));
        let list: Vec<Value> = self.entries.iter().map(|(name, bytes)| json!([name, bytes.len()])).collect();
        let list = Value::from(list).to_string();
        let mut all = (list.len() as u32).to_le_bytes().to_vec();
        all.extend_from_slice(list.as_bytes());
        self.entries.iter().for_each(|(_, bytes)| all.extend_from_slice(bytes));
        deflated(&all)
    }
}

/// Groupings of ranks as orders name them, other than by host.
fn groupings(info: &RunInfo) -> Vec<String> {
    let network =
        info.network.iter().flat_map(|network| ["node"].into_iter().chain(network.has_switches.then_some("switch")));
    let axes = info.grid.iter().flat_map(|grid| (0..grid.dims.len()).map(|axis| format!("grid:{axis}")));
    let comms = info.communicators.iter().filter(|comm| comm.size > 1).take(ORDERED_COMMS);
    network.map(str::to_owned).chain(axes).chain(comms.map(|comm| format!("comm:{}", comm.id))).collect()
}

/// `bytes` in the format of the browser's `deflate-raw`.
pub(super) fn deflated(bytes: &[u8]) -> Vec<u8> {
    let mut to = DeflateEncoder::new(Vec::new(), Compression::new(7));
    // Into memory: nothing can fail.
    let _ = to.write_all(bytes);
    to.finish().unwrap_or_default()
}

/// Ids of functions that can move data: only their calls have bytes.
pub(super) fn functions_with_data(info: &RunInfo) -> Vec<u32> {
    let moves = |id: u32| mpiscope_query::view::moves_data(id);
    info.functions.iter().filter(|f| f.bytes > 0 || moves(f.id)).map(|f| f.id).collect()
}

/// Most ranks that ended abnormally.
const ODD_RANKS: usize = 64;

/// The parts of the report that the page shows: the full one has rows for each rank and wait.
pub(super) fn report(json: &[u8]) -> Value {
    let all: Value = serde_json::from_slice(json).unwrap_or_default();
    let mut kept = Map::new();
    for part in ["overview", "losses", "diagnostics", "calls"] {
        kept.insert(part.to_owned(), all[part].clone());
    }
    let odd = all["ranks"].as_array().into_iter().flatten().filter(|rank| is_odd(rank));
    let ranks: Vec<_> = odd.take(ODD_RANKS).cloned().collect();
    kept.insert("ranks".to_owned(), ranks.into());
    let explanation = match &all["explanation"] {
        Value::Object(_) => {
            let e = &all["explanation"];
            let mut parts = Map::new();
            for part in ["scope", "time", "findings", "phases", "grid", "pattern", "caveats"] {
                parts.insert(part.to_owned(), e[part].clone());
            }
            for part in ["efficiency", "critical_path", "iterations"] {
                parts.insert(part.to_owned(), plain(&e[part]));
            }
            Value::Object(parts)
        }
        _ => Value::Null,
    };
    kept.insert("explanation".to_owned(), explanation);
    Value::Object(kept)
}

/// An object without the lists and objects in it.
fn plain(value: &Value) -> Value {
    match value {
        Value::Object(all) => Value::Object(
            all.iter().filter(|(_, v)| !v.is_array() && !v.is_object()).map(|(k, v)| (k.clone(), v.clone())).collect(),
        ),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_report_keeps_findings_and_drops_lists_of_ranks() {
        let ranks: Vec<_> = (0..1000).map(|rank| json!({"rank": rank, "fate": {"kind": if rank == 7 { "killed" } else { "finalized" }}, "in_flight": []})).collect();
        let all = json!({
            "overview": {"run": "</script>"}, "ranks": ranks, "sites": [1, 2], "calls": [],
            "explanation": {"findings": [{"id": "x"}], "iterations": {"count": 3, "starts_ns": [[1, 2]]}, "waits": [1], "efficiency": null},
        });
        let kept = report(all.to_string().as_bytes());
        assert_eq!(kept["ranks"].as_array().map(Vec::len), Some(1));
        assert_eq!(kept["explanation"]["iterations"], json!({"count": 3}));
        assert_eq!(kept["explanation"]["findings"], json!([{"id": "x"}]));
        assert!(kept.get("sites").is_none() && kept["explanation"].get("waits").is_none());
        assert_eq!(report(b"{}")["explanation"], Value::Null);
    }
}
