//! The tables of `--by`. Names of CSV columns contain the unit and are stable.

use mpiscope_run::{Measure, PeerClass, SiteRow, Summary};

use super::grid::{Field, Grid, number, spare, words};
use super::units::{self, share};

/// The choices of `--by`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum By {
    /// MPI functions
    Call,
    /// MPI functions by message size
    Size,
    /// Ranks by communication partner
    Peer,
    /// MPI functions by call site
    Site,
    /// Communicators
    Comm,
    /// Regions of the program (mpiscope.h, NVTX, Kokkos, Caliper)
    Region,
    /// Ranks
    Rank,
}

/// The table for `by`.
pub fn grid(by: By, summary: &Summary) -> Grid {
    match by {
        By::Call => calls(summary),
        By::Size => sizes(summary),
        By::Peer => peers(summary),
        By::Site => sites(summary),
        By::Comm => comms(summary),
        By::Region => regions(summary),
        By::Rank => ranks(summary),
    }
}

/// The remark below a table in text.
pub fn remark(by: By, summary: &Summary, style: super::style::Style) -> Option<String> {
    match by {
        By::Region if summary.regions.is_empty() => Some(NO_REGIONS.into()),
        By::Call | By::Size | By::Site | By::Comm => {
            let whole = units::time(summary.overview.rank_time_ns, style);
            Some(format!("shares of {whole} of rank time, from MPI_Init's return to MPI_Finalize's entry"))
        }
        By::Peer | By::Region | By::Rank => None,
    }
}

const NO_REGIONS: &str = "no regions: the program marks none; see docs/annotations.md to add them (mpiscope.h)";

fn text(text: impl Into<String>) -> Field {
    Field::Text(text.into())
}

fn rank(rank: i32) -> Field {
    Field::Number(rank.into())
}

fn optional<T>(value: Option<T>, field: impl Fn(T) -> Field) -> Field {
    value.map_or(Field::Empty, field)
}

/// The columns of every table of calls: count, time, share, mean, longest, bytes.
fn measure(sum: &Measure, share: Option<f64>) -> Vec<Field> {
    vec![
        Field::Count(sum.calls),
        Field::Time(sum.time_ns),
        Field::Bytes(sum.bytes),
        optional(share, Field::Share),
        Field::Time(sum.mean_ns()),
        Field::Time(sum.min_call_ns),
        Field::Time(sum.max_call_ns),
        Field::Bytes(sum.bytes_sent),
        Field::Bytes(sum.bytes_received),
    ]
}

fn measure_columns() -> Vec<super::grid::Column> {
    vec![
        number("count", "count"),
        number("time_ns", "time"),
        number("bytes", "bytes"),
        number("time_share", "share"),
        spare("mean_ns", "mean"),
        number("min_ns", ""),
        spare("max_ns", "longest"),
        number("bytes_sent", ""),
        number("bytes_received", ""),
    ]
}

fn calls(s: &Summary) -> Grid {
    let mut columns = vec![words("call", "call")];
    columns.extend(measure_columns());
    columns.extend([
        spare("ranks", "ranks"),
        number("time_ns_rank_min", ""),
        number("rank_of_time_min", ""),
        number("time_ns_rank_max", ""),
        number("rank_of_time_max", ""),
        number("count_rank_min", ""),
        number("count_rank_max", ""),
        words("groups", ""),
    ]);
    let rows = s.calls.iter().map(|c| {
        let (time, count) = (&c.time_ns_by_rank, &c.calls_by_rank);
        let mut row = vec![text(&c.call)];
        row.extend(measure(&c.sum, s.overview.share(&c.call, c.sum.time_ns)));
        row.extend([
            Field::Count(c.ranks),
            Field::Time(time.min.value),
            rank(time.min.rank),
            Field::Time(time.max.value),
            rank(time.max.rank),
            Field::Count(count.min.value),
            Field::Count(count.max.value),
            text(c.groups.join(" ")),
        ]);
        row
    });
    Grid { rows: rows.collect(), columns }
}

fn sizes(s: &Summary) -> Grid {
    let mut columns = vec![
        words("call", "call"),
        number("bin", ""),
        words("", "message size"),
        number("from_bytes", ""),
        number("to_bytes", ""),
    ];
    columns[2].name = "size";
    columns.extend(measure_columns());
    let rows = s.sizes.iter().map(|r| {
        let range = match (r.from_bytes, r.to_bytes) {
            (Some(0), _) => units::bytes(0),
            (Some(1), _) => units::bytes(1),
            (Some(from), Some(to)) if to < u64::MAX => {
                format!("{} up to {}", units::bytes(from), units::bytes(to.saturating_add(1)))
            }
            (Some(from), _) => format!("{} and more", units::bytes(from)),
            _ => "(mixed)".into(),
        };
        let mut row = vec![
            text(&r.call),
            optional(r.bin, |bin| Field::Number(bin.into())),
            text(range),
            optional(r.from_bytes, Field::Bytes),
            // The last bin has no upper end.
            optional(r.to_bytes.filter(|&to| to < u64::MAX), Field::Bytes),
        ];
        row.extend(measure(&r.sum, s.overview.share(&r.call, r.sum.time_ns)));
        row
    });
    Grid { rows: rows.collect(), columns }
}

fn peers(s: &Summary) -> Grid {
    // An empty column would suggest that all hops are unknown.
    let with_hops = s.topology.is_some();
    let mut columns = vec![
        number("rank", "rank"),
        number("peer", "peer"),
        words("same_node", ""),
        words("class", "node"),
        number("messages_sent", "sent"),
        number("bytes_sent", "bytes"),
        number("messages_received", "received"),
        number("bytes_received", "bytes"),
        number("time_ns", "time"),
    ];
    if with_hops {
        columns.insert(4, number("hops", "hops"));
    }
    let node = |same: Option<bool>| match same {
        Some(true) => "same",
        Some(false) => "other",
        None => "",
    };
    let rows = s.peers.iter().map(|p| {
        let mut row = vec![
            rank(p.rank),
            rank(p.peer),
            text(node(p.same_node)),
            text(class(p.class)),
            Field::Count(p.messages_sent),
            Field::Bytes(p.bytes_sent),
            Field::Count(p.messages_received),
            Field::Bytes(p.bytes_received),
            Field::Time(p.time_ns),
        ];
        if with_hops {
            row.insert(4, optional(p.hops, |hops| Field::Count(hops.into())));
        }
        row
    });
    Grid { rows: rows.collect(), columns }
}

/// The class of a pair of ranks, as a stable name.
fn class(class: PeerClass) -> &'static str {
    match class {
        PeerClass::Itself => "itself",
        PeerClass::SameL2 => "same L2",
        PeerClass::SameL3 => "same L3",
        PeerClass::SameNuma => "same NUMA",
        PeerClass::SamePackage => "same package",
        PeerClass::SameNode => "same",
        PeerClass::SameNodeNotBound => "same, not bound",
        PeerClass::OtherNode => "other",
        PeerClass::Unknown => "",
    }
}

/// `function file:line`, the file without its directory.
pub fn place(row: &SiteRow) -> String {
    mpiscope_run::CallStack { frames: row.frames.clone() }.text()
}

fn sites(s: &Summary) -> Grid {
    let mut columns = vec![
        words("call", "call"),
        words("site", "site"),
        words("function", ""),
        words("file", ""),
        number("line", ""),
        words("module", ""),
    ];
    columns.extend(measure_columns());
    columns.extend([spare("ranks", "ranks"), words("stack", "")]);
    let rows = s.sites.iter().map(|r| {
        let first = r.frames.first();
        let mut row = vec![
            text(&r.call),
            text(place(r)),
            optional(first, |f| text(&f.function)),
            optional(first.and_then(|f| f.file.as_deref()), text),
            optional(first.and_then(|f| f.line), |line| Field::Number(line.into())),
            optional(first, |f| text(&f.module)),
        ];
        row.extend(measure(&r.sum, s.overview.share(&r.call, r.sum.time_ns)));
        let stack: Vec<&str> = r.frames.iter().map(|f| f.function.as_str()).collect();
        row.extend([Field::Count(r.ranks), text(stack.join(" < "))]);
        row
    });
    Grid { rows: rows.collect(), columns }
}

fn comms(s: &Summary) -> Grid {
    let mut columns = vec![
        words("communicator", "communicator"),
        words("id", ""),
        number("size", "size"),
        number("remote_size", ""),
        words("members", "members"),
        words("created_by", ""),
    ];
    columns.extend(measure_columns());
    columns.push(number("ranks", ""));
    let rows = s.comms.iter().map(|c| {
        let mut row = vec![
            text(&c.facts.label),
            text(&c.id),
            Field::Number(c.facts.size.into()),
            Field::Number(c.facts.remote_size.into()),
            text(&c.facts.members),
            text(&c.facts.created_by),
        ];
        row.extend(measure(&c.sum, s.overview.share("", c.sum.time_ns)));
        row.push(Field::Count(c.ranks));
        row
    });
    Grid { rows: rows.collect(), columns }
}

fn regions(s: &Summary) -> Grid {
    let columns = vec![
        words("region", "region"),
        words("source", ""),
        number("depth", ""),
        number("count", "count"),
        number("time_ns", "time"),
        number("min_ns", ""),
        number("max_ns", ""),
        number("time_ns_rank_min", "least"),
        number("rank_of_time_min", "rank"),
        number("time_ns_rank_max", "most"),
        number("rank_of_time_max", "rank"),
        number("mpi_time_ns", "in MPI"),
        number("mpi_share", "share"),
        number("mpi_count", "calls"),
        number("bytes", ""),
        number("ranks", ""),
        number("open", ""),
    ];
    let rows = s.regions.iter().map(|r| {
        let time = &r.time_ns_by_rank;
        vec![
            text(&r.region),
            text(r.source),
            Field::Count(r.depth),
            Field::Count(r.count),
            Field::Time(r.time_ns),
            Field::Time(r.min_ns),
            Field::Time(r.max_ns),
            Field::Time(time.min.value),
            rank(time.min.rank),
            Field::Time(time.max.value),
            rank(time.max.rank),
            Field::Time(r.mpi.time_ns),
            if r.time_ns == 0 { Field::Empty } else { Field::Share(share(r.mpi.time_ns, r.time_ns)) },
            Field::Count(r.mpi.calls),
            Field::Bytes(r.mpi.bytes),
            Field::Count(r.ranks),
            Field::Count(r.open),
        ]
    });
    Grid { rows: rows.collect(), columns }
}

fn ranks(s: &Summary) -> Grid {
    let columns = vec![
        number("rank", "rank"),
        words("host", "host"),
        number("pid", "pid"),
        words("cpus", "cores"),
        words("bound", ""),
        words("packages", ""),
        words("numa", ""),
        words("l3", ""),
        words("coordinates", ""),
        number("threads", ""),
        number("wall_ns", "wall"),
        number("user_ns", "user"),
        number("system_ns", ""),
        number("max_rss_bytes", "memory"),
        number("inside_ns", ""),
        number("mpi_ns", "in MPI"),
        number("mpi_share", "share"),
        number("count", "calls"),
        number("time_ns", ""),
        number("bytes", ""),
        number("bytes_sent", "sent"),
        number("bytes_received", ""),
        number("calls_failed", ""),
        number("requests_started", ""),
        number("requests_completed", ""),
        words("fate", "end"),
    ];
    let rows = s.ranks.iter().map(|r| {
        vec![
            rank(r.rank),
            text(&r.host),
            Field::Number(r.pid.into()),
            optional(r.cpus.as_deref(), text),
            optional(r.place.bound, |bound| text(if bound { "yes" } else { "no" })),
            text(numbers(&r.place.packages)),
            text(numbers(&r.place.numa)),
            text(numbers(&r.place.l3)),
            text(coordinates(r)),
            Field::Count(r.threads),
            optional(r.wall_ns, Field::Time),
            optional(r.user_ns, Field::Time),
            optional(r.system_ns, Field::Time),
            optional(r.max_rss_bytes, Field::Bytes),
            Field::Time(r.inside_ns),
            Field::Time(r.mpi_ns),
            optional(r.mpi_share, Field::Share),
            Field::Count(r.sum.calls),
            Field::Time(r.sum.time_ns),
            Field::Bytes(r.sum.bytes),
            Field::Bytes(r.sum.bytes_sent),
            Field::Bytes(r.sum.bytes_received),
            Field::Count(r.calls_failed),
            Field::Count(r.requests_started),
            Field::Count(r.requests_completed),
            text(r.fate.text()),
        ]
    });
    Grid { rows: rows.collect(), columns }
}

/// `0-3` for consecutive numbers.
pub fn numbers(sorted: &[u32]) -> String {
    let numbers: Vec<i32> = sorted.iter().filter_map(|&n| i32::try_from(n).ok()).collect();
    units::ranks(&numbers, 12)
}

/// `grid (1,0)` for each Cartesian communicator.
pub fn coordinates(rank: &mpiscope_run::RankRow) -> String {
    let one = |(label, at): &(String, Vec<u32>)| {
        let at: Vec<String> = at.iter().map(u32::to_string).collect();
        format!("{label} ({})", at.join(","))
    };
    rank.coordinates.iter().map(one).collect::<Vec<_>>().join("; ")
}
