//! What may help this run: changes that are worth a replay.

use std::collections::BTreeMap;

use mpiscope_abi::LARGE;
use mpiscope_abi::role::{Pattern, Role};
use mpiscope_model::simulation::{Algorithm, Hierarchy, Kind, Network, Waiting};
use mpiscope_store::{CallInfo, flags};

use crate::apply::{Run, awaits_messages, receives};
use crate::change::{Change, Place};
use crate::kinds::has_algorithms;
use crate::placement::Placement;
use crate::suggested::is_blocking;

/// Call sites of one kind that are tried.
const MOST_SITES: usize = 6;
/// A function with less than this share of the time in MPI is not worth an attempt.
const LEAST: f64 = 0.01;

/// Each for itself.
pub fn candidates(run: Run<'_>, network: &Network) -> Vec<Vec<Change>> {
    let mut found = vec![Change::Balance];
    let inside_ns: u64 = run.recorded.inside_ns;
    let is_much = |ns: u64| ns as f64 >= LEAST * inside_ns as f64;
    let most = |is_such: fn(&CallInfo) -> bool| sites(run, is_such, |info| info.time_ns, MOST_SITES, is_much);
    found.extend(most(is_blocking_barrier).map(Change::Without));
    let sites: Vec<Place> = most(is_blocking).collect();
    found.extend(sites.iter().cloned().map(Change::NonBlocking));
    if network.ports > 1 && (network.ports as usize) < network.port_of.len() {
        found.push(Change::Placement(Placement::named("best")));
    }
    let mut all: Vec<Vec<Change>> = found.into_iter().map(|change| vec![change]).collect();
    // An exchange is often made of several calls.
    if sites.len() > 1 {
        all.push(sites.into_iter().map(Change::NonBlocking).collect());
    }
    let waits_ns = run.recorded.waits_ns[Waiting::LateReceiver as usize];
    if is_much(waits_ns) {
        all.extend(eager_limits(network));
    }
    let has_waiting_requests = run
        .recorded
        .by_function_ns
        .iter()
        .any(|(function, ns)| matches!(mpiscope_abi::role::role(*function), Role::Complete) && is_much(*ns));
    if has_waiting_requests || is_much(run.recorded.waits_ns[Waiting::Target as usize]) {
        all.push(vec![Change::Progress]);
    }
    let mut functions = BTreeMap::<u32, u64>::new();
    for (function, ns) in &run.recorded.by_function_ns {
        *functions.entry(function & !LARGE).or_default() += ns;
    }
    for (number, kind) in (0..).zip(run.kinds) {
        let function = kind.function & !LARGE;
        let is_worth_it = functions.remove(&function).is_some_and(is_much);
        if is_worth_it && kind.members.len() > 1 {
            all.extend(
                other_algorithms((number, kind), network).map(|algorithm| vec![Change::Algorithm(function, algorithm)]),
            );
        }
    }
    all.extend(
        senders(run, |info| is_plain_send(info) && info.bytes_sent <= SMALL_BYTES)
            .map(Change::Aggregated)
            .map(|of| vec![of]),
    );
    let is_small_operation =
        |info: &CallInfo| info.is_blocking_collective() && info.bytes_sent.max(info.bytes_received) <= SMALL_BYTES;
    let small_operations = frequent(run, CallInfo::is_blocking_collective, is_small_operation);
    all.extend(small_operations.map(Change::Aggregated).map(|of| vec![of]));
    all.extend(senders(run, |info| info.role == Role::SendReceive).map(Change::Neighbourhood).map(|of| vec![of]));
    if is_much(waits_ns) {
        all.extend(senders(run, is_blocking_send).map(Change::Reordered).map(|of| vec![of]));
        // That they are late is seen in the time of sends.
        all.extend(frequent(run, receives, receives).map(Change::Early).map(|of| vec![of]));
    }
    if is_much(run.recorded.waits_ns[Waiting::LateSender as usize]) {
        all.extend(most(awaits_messages).take(MOST_FREQUENT).map(Change::Arrival).map(|of| vec![of]));
    }
    all
}

/// Algorithms for a kind of operations that it surely does not have already.
pub(crate) fn other_algorithms<'a>(
    (number, kind): (u32, &'a Kind),
    network: &'a Network,
) -> impl Iterator<Item = Algorithm> + 'a {
    let is_possible = move |algorithm: Algorithm| {
        !network.may_take(number, kind, algorithm)
            && (algorithm != Algorithm::Hierarchical || Hierarchy::new(kind, network).is_some())
    };
    let all = if has_algorithms(kind.function) { Algorithm::of(kind.data) } else { &[] };
    all.iter().copied().filter(move |algorithm| is_possible(*algorithm))
}

/// Larger messages gain little from being aggregated.
const SMALL_BYTES: u64 = 16 << 10;
/// Call sites of frequent calls of which changes are tried.
const MOST_FREQUENT: usize = 3;
/// A call site with less than this share of all such calls is not worth an attempt.
const LEAST_CALLS: f64 = 0.1;

fn is_plain_send(info: &CallInfo) -> bool {
    matches!(info.role, Role::Send(_)) && info.flags & (flags::PERSISTENT | flags::MAKES_PERSISTENT) == 0
}

fn is_blocking_send(info: &CallInfo) -> bool {
    is_plain_send(info) && is_blocking(info)
}

/// Call sites of such calls, those with most of them first.
fn senders(run: Run<'_>, is_such: impl Fn(&CallInfo) -> bool) -> std::vec::IntoIter<Place> {
    frequent(run, |info| matches!(info.role, Role::Send(_) | Role::SendReceive), is_such)
}

/// Call sites with much of all calls of a kind, of those that are such calls; those with most of them first.
pub(crate) fn frequent(
    run: Run<'_>,
    is_of_kind: impl Fn(&CallInfo) -> bool,
    is_such: impl Fn(&CallInfo) -> bool,
) -> std::vec::IntoIter<Place> {
    let all: u64 = run.facts.iter().flatten().filter(|info| is_of_kind(info)).map(|info| info.calls).sum();
    let is_much = |calls: u64| calls as f64 >= LEAST_CALLS * all as f64;
    sites(run, is_such, |info| info.calls, MOST_FREQUENT, is_much)
}

/// At most so many call sites of such calls, of those that have much of something; those with most of it first.
fn sites(
    run: Run<'_>,
    is_such: impl Fn(&CallInfo) -> bool,
    of: impl Fn(&CallInfo) -> u64,
    most: usize,
    is_much: impl Fn(u64) -> bool,
) -> std::vec::IntoIter<Place> {
    let mut sums = BTreeMap::<&str, u64>::new();
    for info in run.facts.iter().flatten().filter(|info| is_such(info)) {
        *sums.entry(run.dimensions.site(info.site)).or_default() += of(info);
    }
    let mut sites: Vec<(&str, u64)> = sums.into_iter().filter(|of| is_much(of.1) && !of.0.is_empty()).collect();
    sites.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
    sites.truncate(most);
    sites.into_iter().map(|(site, _)| place(site)).collect::<Vec<_>>().into_iter()
}

fn is_blocking_barrier(info: &CallInfo) -> bool {
    matches!(info.role, Role::Collective(Pattern::Barrier))
        && info.flags & (flags::NON_BLOCKING | flags::PERSISTENT) == 0
}

/// The next larger eager limits.
pub(crate) fn eager_limits(network: &Network) -> impl Iterator<Item = Vec<Change>> + use<> {
    let most = network.links.iter().map(|link| link.eager_bytes).max().unwrap_or(0);
    let next = [16 << 10, 64 << 10, 256 << 10, 1 << 20].into_iter().filter(move |&bytes| bytes > most).take(2);
    next.map(|bytes| vec![Change::Eager(bytes)])
}

/// A call site as a place of changes.
pub(crate) fn place(site: &str) -> Place {
    // `function file:line`: file and line are enough, and shorter.
    Place::Site(site.rsplit(' ').next().unwrap_or(site).to_owned())
}
