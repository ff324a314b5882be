//! What ran, how it ended, and what the figures below do not include.

use std::collections::BTreeMap;

use mpiscope_query::{ended, nothing_recorded};
use mpiscope_run::{InFlightCall, ProtocolRow, RankRow, Spread, Summary, WorldRow};

use super::page::{Extent, Page};
use super::units;

const INDENT: usize = 10;

/// Settings in the environment that are named.
const SETTINGS: usize = 3;

/// Variables of the environment that change what the MPI does.
fn settings(page: &mut Page, s: &Summary) {
    let text = |row: &ProtocolRow| {
        let ranks: u64 = row.ranks.iter().map(|&(first, last)| (last - first) as u64 + 1).sum();
        let on = if ranks < s.overview.ranks {
            format!(" (rank {})", units::stretched(&row.ranks, 6))
        } else {
            String::new()
        };
        format!("{}={}{on}", row.key, row.value)
    };
    let mut named: Vec<String> = s.settings.iter().take(SETTINGS).map(text).collect();
    if s.settings.len() > SETTINGS {
        named.push(format!("and {} more: --full", s.settings.len() - SETTINGS));
    }
    if !named.is_empty() {
        page.paragraph("settings", INDENT, &named.join(", "));
    }
}

/// First line.
pub fn title(page: &mut Page, s: &Summary) {
    let name = s.overview.run.file_name().unwrap_or(s.overview.run.as_os_str()).to_string_lossy();
    let start = if s.overview.start_unix_ns == 0 { String::new() } else { units::utc(s.overview.start_unix_ns) };
    let left = format!("mpiscope report of {name}");
    let room = page.style.width.saturating_sub(left.chars().count() + 2);
    if start.len() > room {
        page.line(left)
    } else {
        page.line(format!("{left}  {start:>room$}"))
    }
    if let Some(predicted) = &s.overview.predicted {
        page.paragraph("", 0, &predicted.text());
    }
}

/// How the ranks ended, if not normally.
pub fn fates(page: &mut Page, s: &Summary, extent: Extent) {
    if s.overview.all_normal {
        return;
    }
    let mut groups: BTreeMap<(bool, String, String), Vec<&RankRow>> = BTreeMap::new();
    for rank in &s.ranks {
        let waiting = match rank.in_flight.last() {
            // The fate of an aborted rank already implies MPI_Abort.
            Some(call) if !rank.fate.is_normal() && call.call != "MPI_Abort" => waiting(call),
            _ => String::new(),
        };
        groups.entry((rank.fate.is_normal(), rank.fate.text(), waiting)).or_default().push(rank);
    }
    page.heading("HOW IT ENDED", "");
    let count = groups.len();
    for ((_, fate, waiting), ranks) in groups.into_iter().take(extent.notes) {
        let numbers: Vec<i32> = ranks.iter().map(|r| r.rank).collect();
        page.paragraph("", 0, &ended(&numbers, ranks[0].pid, &fate));
        if !waiting.is_empty() {
            page.paragraph("    in", 7, &format!("{waiting}{}", since(page, &ranks)));
        }
    }
    if count > extent.notes {
        page.line(format!("... and {} more groups: --full", count - extent.notes));
    }
}

/// The call that did not return, without details that differ between ranks that wait in the same way.
fn waiting(call: &InFlightCall) -> String {
    let mut arguments = Vec::new();
    if let Some(peer) = call.peer {
        arguments.push(call.peer_name.map_or_else(|| format!("peer {peer}"), str::to_owned));
    }
    if let Some(tag) = call.tag {
        arguments.push(call.tag_name.map_or_else(|| format!("tag {tag}"), str::to_owned));
    }
    if call.requests > 0 {
        arguments.push(format!("{} request(s)", call.requests));
    }
    arguments.extend(call.comm.clone());
    let site = call.site.as_ref().map(|site| format!(" at {site}")).unwrap_or_default();
    format!("{}({}){site}", call.call, arguments.join(", "))
}

fn since(page: &Page, ranks: &[&RankRow]) -> String {
    let calls = || ranks.iter().filter_map(|r| r.in_flight.last());
    let time = |ns| units::time(ns, page.style);
    let elapsed: Vec<u64> = calls().filter_map(|c| c.elapsed_ns).collect();
    match (elapsed.iter().min(), elapsed.iter().max()) {
        (Some(&min), Some(&max)) if time(min) == time(max) => format!(", for {}", time(max)),
        (Some(&min), Some(&max)) => format!(", for {} to {}", time(min), time(max)),
        _ => {
            let first = calls().map(|c| c.entered_after_ns).min();
            first.map(|ns| format!(", entered {} after the start", time(ns))).unwrap_or_default()
        }
    }
}

/// Program, MPI, hosts.
pub fn facts(page: &mut Page, s: &Summary) {
    let o = &s.overview;
    page.line("");
    if !o.program.is_empty() {
        page.paragraph("program", INDENT, &o.program.join(" "));
    }
    let level = match o.thread_level {
        Some(0) => "MPI_THREAD_SINGLE",
        Some(1) => "MPI_THREAD_FUNNELED",
        Some(2) => "MPI_THREAD_SERIALIZED",
        Some(3) => "MPI_THREAD_MULTIPLE",
        _ => "",
    };
    let mpi: Vec<String> = [library(&o.mpi), level.into()].into_iter().filter(|t| !t.is_empty()).collect();
    if !mpi.is_empty() {
        page.paragraph("MPI", INDENT, &mpi.join(", "));
    }
    settings(page, s);
    let of = if o.world_size > o.ranks { format!(" of {}", o.world_size) } else { String::new() };
    let threads = match o.threads_max {
        0 | 1 => String::new(),
        n => format!(", up to {n} threads a rank in MPI"),
    };
    let hosts: Vec<String> = o.hosts.iter().filter(|(name, _)| !name.is_empty()).map(host).collect();
    let on = match hosts.len() {
        0 => String::new(),
        1..=4 => format!(" on {}", hosts.join(", ")),
        n => format!(" on {n} hosts: {}, ...", hosts[..3].join(", ")),
    };
    page.paragraph("ranks", INDENT, &format!("{}{of}{on}{threads}", o.ranks));
    if o.worlds.len() > 1 {
        let others: Vec<String> = o.worlds.iter().filter(|w| w.world != o.world).take(6).map(world).collect();
        let more = if o.worlds.len() > 7 { format!("; and {} more", o.worlds.len() - 7) } else { String::new() };
        let text = format!("{} (this report); the run also has --world {}{more}", o.world, others.join("; --world "));
        page.paragraph("world", INDENT, &text);
    }
    if !o.left_out.is_empty() {
        // Processes that ended before their rank was known have rank -1.
        let known: Vec<(i32, i32)> = o.left_out.iter().copied().filter(|&(first, _)| first >= 0).collect();
        let mut others = Vec::new();
        if !known.is_empty() {
            others.push(format!("rank(s) {}", units::stretched(&known, 12)));
        }
        if known.len() < o.left_out.len() {
            others.push("processes of unknown rank".into());
        }
        page.paragraph("left out", INDENT, &format!("{} (--ranks)", others.join(" and ")));
    }
}

fn world(row: &WorldRow) -> String {
    let spawned = if row.spawned { ", spawned" } else { "" };
    let plural = if row.ranks == 1 { "" } else { "s" };
    // The whole command line is in the JSON.
    let program = row.command.split(' ').next().and_then(|path| path.rsplit('/').next()).unwrap_or_default();
    format!("{} ({} rank{plural} of {program}{spawned})", row.world, row.ranks)
}

fn host((name, ranks): (&String, &u64)) -> String {
    format!("{name} ({ranks})")
}

/// Shortens the library's version string, which some MPIs make long: `MPICH Version:      4.0.2`,
/// `Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4, …`.
fn library(text: &str) -> String {
    let first = text.lines().next().unwrap_or("").split(',').next().unwrap_or("");
    first.replace(" Version:", "").split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Wall time, CPU time, memory and MPI time over ranks; with `--full`, the memory that MPI_Init added.
pub fn spreads(page: &mut Page, s: &Summary, full: bool) {
    let o = &s.overview;
    let style = page.style;
    let time = |ns: u64| units::time(ns, style);
    let digits = s.ranks.iter().map(|r| r.rank.to_string().len()).max().unwrap_or(1);
    let gap = digits + 3;
    page.line(format!("{:INDENT$} {:>8}{:gap$} {:>8} {:>8}", "", "min", "", "mean", "max"));
    let mut row = |label: &str, texts: Option<[String; 3]>, [low, high]: [i32; 2]| {
        let Some([min, mean, max]) = texts else { return };
        page.line(format!("{label:<INDENT$} {min:>8} [{low:>digits$}] {mean:>8} {max:>8} [{high:>digits$}]"));
    };
    let ranks = |s: &Option<Spread>| s.map_or([0, 0], |s| [s.min.rank, s.max.rank]);
    let texts = |s: &Option<Spread>, f: &dyn Fn(u64) -> String| {
        s.filter(|s| s.max.value > 0).map(|s| [f(s.min.value), f(s.mean), f(s.max.value)])
    };
    for (label, spread) in [("wall", &o.wall_ns), ("user", &o.user_ns), ("system", &o.system_ns), ("in MPI", &o.mpi_ns)]
    {
        row(label, texts(spread, &time), ranks(spread));
    }
    // A share of each rank's own time.
    let share = o.mpi_share.map(|s| [s.min.value, s.mean, s.max.value].map(units::percent));
    row("MPI share", share, o.mpi_share.map_or([0, 0], |s| [s.min.rank, s.max.rank]));
    row("MPI_Init", texts(&o.init_ns, &time), ranks(&o.init_ns));
    row("memory", texts(&o.max_rss_bytes, &units::bytes), ranks(&o.max_rss_bytes));
    if full {
        row("+ in Init", texts(&o.init_rss_bytes, &units::bytes), ranks(&o.init_rss_bytes));
    }
}

/// What was lost, filtered, not intercepted, damaged or missing.
pub fn not_seen(page: &mut Page, s: &Summary, extent: Extent, full: bool) {
    let l = &s.losses;
    let mut notes: Vec<String> = Vec::new();
    let mut note = |n: u64, text: &str| {
        if n > 0 {
            notes.push(units::counted(n, text));
        }
    };
    note(l.calls_without_thread, "call(s) of threads beyond the limit: not in any table");
    note(l.calls_filtered, "call(s) while recording was paused or filtered: not in any table");
    note(l.ranks_switched_off, "rank(s) stopped recording before their end");
    let waiting = s.ranks.iter().map(|r| r.in_flight.len() as u64).sum();
    note(waiting, "call(s) had not returned: in the share of MPI, not in other tables");
    note(l.ranks_not_wanted, "rank(s) not recorded (--ranks): not in any table");
    note(l.damaged_parts, "damaged part(s) of files left out");
    note(l.definitions_lost, "definition(s) lost (no room): names and sites may be missing");
    note(l.calls_coarse, "call(s) counted without size, peer and site");
    note(l.events_overwritten, "event(s) overwritten by newer ones; the tables here are complete");
    note(l.events_dropped, "event(s) dropped; the tables here are complete");
    note(l.events_unreadable, "event(s) unreadable, or left out with unreadable ones; the tables here are complete");
    note(l.requests_lost, "request(s) could not be tracked");
    note(l.requests_cut, "request(s) behind the end of long lists not recorded: which call completed them is guessed");
    note(s.overview.calls_failed, "call(s) returned an error");
    note(s.overview.processes_without_mpi, "process(es) ended without calling MPI");
    if !s.overview.missing.is_empty() {
        notes.push(nothing_recorded(&s.overview.missing));
    }
    let names: Vec<&str> = s.not_intercepted.iter().map(|u| u.name.as_str()).take(extent.notes).collect();
    if !names.is_empty() {
        let more = s.not_intercepted.len() - names.len();
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        notes.push(format!("not intercepted: {}{more}", names.join(", ")));
    }
    let files = s.diagnostics.iter().map(|d| match &d.file {
        Some(file) => format!("{file}: {}", d.text),
        None => d.text.clone(),
    });
    notes.extend(files.clone().take(extent.notes));
    let more = s.diagnostics.len().saturating_sub(extent.notes);
    if more > 0 {
        notes.push(format!("{} on files: --full", units::counted(more as u64, "more note(s)")));
    }
    super::notes::notes(page, INDENT, notes.iter().map(String::as_str), full);
}
