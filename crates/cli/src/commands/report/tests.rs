//! The page as text, the tables as CSV, the whole as JSON, for runs made by hand.

use std::io;
use std::path::Path;

use mpiscope_analysis::Explanation;
use mpiscope_analysis::attainable::{Attainable, AttainableRow, Estimate, Halo, LeftOut, Shape};
use mpiscope_query::MachineProfile;
use mpiscope_run::topology::Topology;
use mpiscope_run::{Live, Rank, Resolver, Run, Summary, testing};
use serde_json::Value;

use super::style::Style;
use super::tables::{self, By};
use super::{Report, grid, page};

const WIDE: Style = Style { unicode: true, width: 80 };

fn summary(make: fn(&Path) -> io::Result<()>) -> Summary {
    let folder = tempfile::tempdir().unwrap();
    make(folder.path()).unwrap();
    let mut summary = Run::open(folder.path(), &Live::default()).unwrap().summary(|_| true, &Resolver::default());
    summary.overview.run = "halo2d.mpiscope".into();
    summary
}

/// The page without an explanation.
fn plain(summary: Summary, full: bool, style: Style) -> String {
    page::render(&Report { summary, checks: None, explanation: None, machine_profile: None }, full, style)
}

fn assert_fits(text: &str, style: Style) {
    for line in text.lines() {
        assert!(line.chars().count() <= style.width, "{} characters: {line}", line.chars().count());
        assert_eq!(line, line.trim_end());
        assert!(style.unicode || line.is_ascii(), "{line}");
    }
}

#[test]
fn a_good_run_on_one_page() {
    let text = plain(summary(testing::good_run), false, WIDE);
    assert_fits(&text, WIDE);
    assert!(text.lines().count() <= 60, "{} lines", text.lines().count());
    insta::assert_snapshot!(text);
}

#[test]
fn a_bad_run_says_so_first() {
    let text = plain(summary(testing::bad_run), false, WIDE);
    assert_fits(&text, WIDE);
    insta::assert_snapshot!(text);
}

#[test]
fn everything() {
    let text = plain(summary(testing::good_run), true, WIDE);
    assert_fits(&text, WIDE);
    insta::assert_snapshot!(text);
}

/// The good run on a network: two nodes of its two hosts, or four by rank.
fn located(topology: &str) -> Summary {
    let folder = tempfile::tempdir().unwrap();
    testing::good_run(folder.path()).unwrap();
    let run = Run::open(folder.path(), &Live::default()).unwrap();
    let mut summary = run.summary(|_| true, &Resolver::default());
    run.locate(&mut summary, &Topology::parse(topology).unwrap()).unwrap();
    summary
}

const RING: &str = "[torus]\nshape = [4]\n[nodes]\nranks_per_node = 1";
const TREE: &str = "[tree]\narity = [1, 2]\n[nodes]\nhosts = ['node[1-2]']";
const HALF: &str = "[torus]\nshape = '2x2'\n[nodes]\nhosts = ['node1']";

#[test]
fn a_network() {
    let sections = |topology: &str, full: bool| {
        let text = plain(located(topology), full, WIDE);
        assert_fits(&text, WIDE);
        let blocks = text.split("\n\n").filter(|block| block.starts_with("NETWORK"));
        blocks.collect::<Vec<_>>().join("\n\n")
    };
    let all = [sections(RING, true), sections(TREE, false), sections(HALF, false)];
    insta::assert_snapshot!(all.join("\n\n-----\n\n"));
}

fn run_with_nodes(path: &Path) -> io::Result<()> {
    testing::good_run(path)?;
    testing::nodes(path)
}

#[test]
fn places_inside_hosts() {
    let s = summary(run_with_nodes);
    let text = plain(s.clone(), true, WIDE);
    assert_fits(&text, WIDE);
    let wanted = ["MESSAGES", "HOSTS", "PLACEMENT"];
    let blocks = text.split("\n\n").filter(|block| wanted.iter().any(|head| block.starts_with(head)));
    let peers = tables::grid(By::Peer, &s).text(WIDE).join("\n");
    insta::assert_snapshot!(blocks.chain([peers.as_str()]).collect::<Vec<_>>().join("\n\n"));
}

/// Facts of the tool interface, one of them different on rank 3.
fn run_with_protocol(path: &Path) -> io::Result<()> {
    testing::good_run(path)?;
    for rank in 0..4 {
        let mut file = testing::rank(rank);
        file.info("mpi_t.cvar.btl_vader_eager_limit", if rank == 3 { "65536" } else { "4096" });
        file.info("mpi_t.cvar.pml", "ob1");
        std::fs::write(testing::file_name(path, rank, "rank"), file.bytes())?;
    }
    Ok(())
}

/// Settings in the environment, one of them on one rank.
fn run_with_settings(path: &Path) -> io::Result<()> {
    testing::good_run(path)?;
    for rank in 0..4 {
        let mut file = testing::rank(rank);
        file.info("settings", "4");
        for (name, value) in [("A", "1"), ("B", "2"), ("C", "3")] {
            file.info(&format!("env.OMPI_MCA_{name}"), value);
        }
        if rank == 3 {
            file.info("env.OMPI_MCA_AA", "9");
        }
        std::fs::write(testing::file_name(path, rank, "rank"), file.bytes())?;
    }
    Ok(())
}

#[test]
fn settings_in_force() {
    let s = summary(run_with_settings);
    let text = plain(s.clone(), false, WIDE);
    assert!(
        text.contains("settings  OMPI_MCA_A=1, OMPI_MCA_AA=9 (rank 3), OMPI_MCA_B=2, and 1 more: --full"),
        "{text}"
    );
    let text = plain(s, true, WIDE);
    let block = text.split("\n\n").find(|block| block.starts_with("SETTINGS")).unwrap();
    assert_eq!(block.lines().count(), 2 + 4, "{block}");
    assert!(!plain(summary(testing::good_run), true, WIDE).contains("SETTINGS"));
}

#[test]
fn protocol_facts() {
    let s = summary(run_with_protocol);
    assert!(!plain(s.clone(), false, WIDE).contains("PROTOCOL"));
    let text = plain(s.clone(), true, WIDE);
    let block = text.split("\n\n").find(|block| block.starts_with("PROTOCOL FACTS")).unwrap();
    insta::assert_snapshot!(block);
}

#[test]
fn peers_with_hops() {
    let csv = tables::grid(By::Peer, &located(RING)).csv();
    assert!(csv.starts_with("rank,peer,same_node,class,hops,messages_sent,"), "{csv}");
    assert!(csv.contains("\n0,2,other,other,2,100,80000,"), "{csv}");
    let text = tables::grid(By::Peer, &located(HALF)).text(WIDE);
    assert!(text[0].contains(" hops "), "{text:?}");
}

#[test]
fn narrow_plain_terminals_get_plain_lines() {
    let narrow = Style { unicode: false, width: 60 };
    for make in [testing::good_run, testing::bad_run] {
        let s = summary(make);
        for full in [false, true] {
            assert_fits(&plain(s.clone(), full, narrow), narrow);
            assert_fits(&plain(located(RING), full, narrow), narrow);
        }
        for by in [By::Call, By::Size, By::Peer, By::Site, By::Comm, By::Rank] {
            tables::grid(by, &s).text(narrow).iter().for_each(|line| assert_fits(line, narrow));
        }
    }
}

/// An explanation of a minute of rank time, with what `add` adds.
fn explained(add: impl FnOnce(&mut Explanation)) -> Explanation {
    let mut e = Explanation::default();
    e.scope.rank_time_ns = 60_000_000_000;
    add(&mut e);
    e
}

fn page_of(e: Explanation, full: bool, style: Style) -> String {
    let summary = summary(testing::bad_run);
    let text =
        page::render(&Report { summary, checks: None, explanation: Some(e), machine_profile: None }, full, style);
    assert_fits(&text, style);
    text
}

#[test]
fn who_is_stuck_comes_first() {
    let text = "rank 0 in MPI_Recv from 1 (tag 7) for 5.30 s ← rank 1 in MPI_Recv from 0 (tag 7) for 5.29 s ← rank 0";
    let stuck = mpiscope_analysis::deadlock::Stuck { kind: "deadlock", text: text.into(), ..Default::default() };
    let page = page_of(explained(|e| e.stuck = Some(stuck.clone())), false, WIDE);
    let verdict = page.split("\n\n").find(|block| block.starts_with("VERDICT")).unwrap();
    let said: Vec<&str> = verdict.lines().skip(1).take(3).collect();
    assert!(said[0].starts_with("deadlock   rank 0 in MPI_Recv from 1 (tag 7) for 5.30 s ←"), "{verdict}");
    assert!(said[2].starts_with("time"), "{verdict}");
    let plain = Style { unicode: false, width: 80 };
    assert!(page_of(explained(|e| e.stuck = Some(stuck)), false, plain).contains("5.30 s <- rank"));
}

#[test]
fn of_a_run_that_failed_at_once_nothing_else_is_said() {
    let how = "called MPI_Abort with code 3";
    let said = |alike| {
        let failed = mpiscope_analysis::Failed { after_ns: 4_000_000, ranks: 2, alike, how: how.into() };
        page_of(explained(|e| e.failed = Some(failed)), false, WIDE).split_whitespace().collect::<Vec<_>>().join(" ")
    };
    assert!(said(2).contains(&format!("failed the run failed 4.00 ms after MPI_Init (2 ranks: {how})")), "{}", said(2));
    assert!(said(1).contains(&format!("after MPI_Init (1 of 2 failed ranks: {how})")), "{}", said(1));
    let said = said(2);
    assert!(said.contains("none: the run failed too soon"), "{said}");
}

#[test]
fn notes_take_a_line_each() {
    let long = "Efficiencies and the critical path follow the first thread of each rank: others are not in them, however \
                much they do.";
    let e = || explained(|e| e.caveats = vec![long.into(), "short".into()]);
    let short = page_of(e(), false, WIDE);
    assert!(
        short.contains(
            "\nnote  Efficiencies and the critical path follow the first thread of each rank…\n      short\n"
        ),
        "{short}"
    );
    let full = page_of(e(), true, WIDE).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(full.contains(long));
}

#[test]
fn one_base_of_shares() {
    let s = summary(testing::good_run);
    let o = &s.overview;
    assert_eq!(o.rank_time_ns, s.ranks.iter().map(|r| r.inside_ns).sum::<u64>());
    assert_eq!((o.share("MPI_Init", 1), o.share("MPI_Finalize", 1)), (None, None));
    assert_eq!(o.share("MPI_Send", o.rank_time_ns / 2), Some(0.5));
    let csv = tables::grid(By::Call, &s).csv();
    let share = |call: &str| {
        let column = csv.lines().next().unwrap().split(',').position(|name| name == "time_share").unwrap();
        csv.lines().find(|l| l.starts_with(call)).unwrap().split(',').nth(column).unwrap().to_owned()
    };
    assert_eq!(share("MPI_Init,"), "");
    let send = s.calls.iter().find(|c| c.call == "MPI_Isend").unwrap();
    let wanted = send.sum.time_ns as f64 / o.rank_time_ns as f64;
    assert!((share("MPI_Isend,").parse::<f64>().unwrap() - wanted).abs() < 1e-6);
}

#[test]
fn no_regions_are_no_heading() {
    let text = super::by_text(By::Region, &summary(testing::good_run), WIDE);
    assert!(text.starts_with("no regions: ") && text.lines().count() == 1, "{text}");
    let text = super::by_text(By::Call, &summary(testing::good_run), WIDE);
    assert!(text.trim_end().ends_with("of rank time, from MPI_Init's return to MPI_Finalize's entry"), "{text}");
}

#[test]
fn completions_stand_among_the_sizes() {
    let row = mpiscope_analysis::CompletionRow {
        function: "MPI_Wait",
        bin: 7,
        calls: 3,
        time_ns: 3_000_000,
        min_ns: 1,
        max_ns: 2_000_000,
        bytes_received: 300,
    };
    let mut s = summary(testing::good_run);
    s.sizes.extend(super::completions::rows(&explained(|e| e.completions = vec![row])));
    let csv = tables::grid(By::Size, &s).csv();
    assert!(csv.lines().any(|l| l.starts_with("MPI_Wait,7,64 B up to 128 B,64,127,3,3000000,300,")), "{csv}");
}

/// What fuzzing the reader found worth keeping, with one byte after the other changed.
#[test]
fn hostile_files_are_rendered() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/rank_file");
    for entry in std::fs::read_dir(corpus).unwrap() {
        let seed = std::fs::read(entry.unwrap().path()).unwrap();
        for at in (0..seed.len()).step_by(797) {
            let mut bytes = seed.clone();
            bytes[at] ^= 0xff;
            let Ok(rank) = Rank::read("x.rank".as_ref(), testing::Folded(&bytes)) else { continue };
            let (manifest, path) = (Default::default(), "run".into());
            let run = Run {
                path,
                manifest,
                ranks: vec![rank],
                other_exits: Vec::new(),
                diagnostics: Vec::new(),
                worlds: Vec::new(),
            };
            let s = run.summary(|_| true, &Resolver::looking_in(Vec::new()));
            assert_fits(&plain(s.clone(), true, WIDE), WIDE);
            for by in [By::Call, By::Size, By::Peer, By::Site, By::Comm, By::Rank] {
                let grid = tables::grid(by, &s);
                grid.text(WIDE).iter().for_each(|line| assert_fits(line, WIDE));
                grid.csv();
            }
        }
    }
}

#[test]
fn calls_as_csv() {
    let csv = tables::grid(By::Call, &summary(testing::good_run)).csv();
    let head = csv.lines().next().unwrap();
    assert!(head.starts_with("call,count,time_ns,bytes,"), "{head}");
    let send = csv.lines().find(|l| l.starts_with("MPI_Isend,")).unwrap();
    assert!(send.starts_with("MPI_Isend,800,1600000,3520000,"), "{send}");
}

#[test]
fn every_table_is_square() {
    for make in [testing::good_run, testing::bad_run, run_with_nodes] {
        let s = summary(make);
        for by in [By::Call, By::Size, By::Peer, By::Site, By::Comm, By::Rank] {
            let grid::Grid { columns, rows } = tables::grid(by, &s);
            assert!(!rows.is_empty());
            assert!(rows.iter().all(|row| row.len() == columns.len()), "{by:?}");
            let names: std::collections::BTreeSet<_> = columns.iter().map(|c| c.name).collect();
            assert!(names.len() == columns.len() && !names.contains(""), "{by:?}: {names:?}");
        }
    }
}

/// A run beside a profile that has most of what it needs.
fn beside_a_profile(notes: &[&str]) -> Report {
    let time = |ns: f64| {
        let is_certain = ns != 9000.0;
        let end = |share: f64| is_certain.then_some(share * ns);
        Estimate { ns, low_ns: end(0.9), high_ns: end(1.1), is_disturbed: ns > 5000.0 }
    };
    let row = |what, pair_class, ns: f64| AttainableRow {
        what,
        pair_class,
        hops: None,
        ranks: 16,
        from_bytes: 4096,
        to_bytes: 8191,
        bytes: 6000,
        count: 123_456,
        of: 234_567,
        time_ns: 1_000_000_000,
        median_ns: 2 * ns as u64,
        attainable: time(ns),
        reached: time(ns).low_ns.map(|_| 0.5),
        excess_ns: 500_000_000,
    };
    let shape = |dims: &[u32], is_own: bool| Shape {
        dims: dims.to_vec(),
        is_own,
        is_assumed: dims.len() > 2,
        messages: 4.0,
        bytes: 123_456.0,
        surface: 1.25,
        attainable: (dims.len() > 1).then(|| time(34_000.0)),
    };
    let halo = Halo {
        iterations: Some(100),
        median_ns: Some(51_000),
        max_ns: Some(60_000),
        max_rank: Some(3),
        waiting_ns: Some(10_000),
        axis_bytes: vec![Some(4096), None],
        other_share: 0.25,
        shapes: vec![shape(&[4, 4], true), shape(&[16], false), shape(&[4, 2, 2], false)],
    };
    let left = |what, command: Option<&str>| LeftOut {
        what,
        pair_class: None,
        hops: None,
        ranks: 4,
        count: 40,
        time_ns: 1_200_000,
        why: "the profile has operations of 16 ranks".to_owned(),
        command: command.map(str::to_owned),
    };
    let found = Attainable {
        rows: (0..8)
            .flat_map(|_| [row("messages", Some("same-l3"), 1000.0), row("MPI_Allreduce", None, 9000.0)])
            .collect(),
        halo: Some(halo),
        left_out: vec![
            left("MPI_Alltoall", Some("mpiscope bench -n 4 -o NEW.machine pingpong collectives")),
            left("MPI_Alltoallw", None),
        ],
    };
    let profile = MachineProfile {
        path: Some("/home/user/node1.machine".into()),
        is_used: true,
        ended_s: Some(1_700_000_000),
        ranks: Some(16),
        is_disturbed: true,
        notes: notes.iter().map(|note| (*note).to_owned()).collect(),
    };
    let summary = summary(testing::good_run);
    let explanation = Some(explained(|e| (e.format, e.attainable) = (1, Some(found))));
    Report { summary, checks: None, explanation, machine_profile: Some(profile) }
}

/// The section of a page.
fn attainable_section(report: &Report, full: bool, style: Style) -> String {
    let text = page::render(report, full, style);
    assert_fits(&text, style);
    let from = text.find("\nATTAINABLE").expect("the section") + 1;
    let mut blocks = text[from..].split("\n\n");
    // The exchange of the grid is a block of its own.
    let first = blocks.next().unwrap_or_default().to_owned();
    blocks.next().filter(|block| block.starts_with("exchange")).map_or(first.clone(), |block| first + "\n\n" + block)
}

#[test]
fn beside_what_the_machine_can_do() {
    let report = beside_a_profile(&["n2 was not measured: the numbers are those of other hosts"]);
    insta::assert_snapshot!(attainable_section(&report, false, WIDE));
    for style in [Style { unicode: false, width: 60 }, Style { unicode: true, width: 200 }] {
        for full in [false, true] {
            attainable_section(&report, full, style);
        }
    }
    let full = attainable_section(&report, true, WIDE);
    assert_eq!(full.matches("messages, same L3").count(), 8, "{full}");
}

#[test]
fn a_profile_that_cannot_be_used_is_reported() {
    let mut report = beside_a_profile(&["x.machine does not exist; measure one: mpiscope bench -n 4 -o NEW.machine"]);
    let profile = report.machine_profile.as_mut().unwrap();
    (profile.is_used, profile.is_disturbed, profile.ended_s) = (false, false, None);
    report.explanation.as_mut().unwrap().attainable = None;
    insta::assert_snapshot!(attainable_section(&report, false, WIDE));
}

#[test]
fn json_is_as_the_schema_says() {
    let schema: Value = serde_json::from_str(include_str!("../../../../../schemas/report.schema.json")).unwrap();
    let mut values = Vec::new();
    for make in [testing::good_run, testing::bad_run, run_with_nodes, run_with_protocol] {
        values.push(
            serde_json::to_value(Report {
                summary: summary(make),
                checks: None,
                explanation: None,
                machine_profile: None,
            })
            .unwrap(),
        );
    }
    for topology in [RING, TREE, HALF] {
        values.push(
            serde_json::to_value(Report {
                summary: located(topology),
                checks: None,
                explanation: None,
                machine_profile: None,
            })
            .unwrap(),
        );
    }
    values.push(serde_json::to_value(beside_a_profile(&["a note"])).unwrap());
    for value in values {
        let mut wrong = Vec::new();
        check(&schema, &schema, &value, "$", &mut wrong);
        assert!(wrong.is_empty(), "{wrong:#?}");
    }
}

/// The part of JSON Schema that the checked-in schema uses.
fn check(root: &Value, schema: &Value, value: &Value, at: &str, wrong: &mut Vec<String>) {
    if let Some(name) = schema["$ref"].as_str() {
        let target = root.pointer(name.strip_prefix('#').unwrap()).unwrap_or_else(|| panic!("{name}"));
        return check(root, target, value, at, wrong);
    }
    if let Some(options) = schema["anyOf"].as_array() {
        let fits = |option: &Value| {
            let mut wrong = Vec::new();
            check(root, option, value, at, &mut wrong);
            wrong.is_empty()
        };
        if !options.iter().any(fits) {
            wrong.push(format!("{at}: fits nothing of anyOf: {value}"));
        }
        return;
    }
    let kinds = match &schema["type"] {
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
        Value::String(kind) => vec![kind.as_str()],
        _ => panic!("{at}: the schema gives no type"),
    };
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(n) if n.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    if !kinds.contains(&kind) {
        wrong.push(format!("{at}: {kind} instead of {kinds:?}"));
    }
    if schema["enum"].as_array().is_some_and(|all| !all.contains(value)) {
        wrong.push(format!("{at}: {value} is not in the enum"));
    }
    for (i, item) in value.as_array().into_iter().flatten().enumerate() {
        if !schema["items"].is_null() {
            check(root, &schema["items"], item, &format!("{at}[{i}]"), wrong);
        }
    }
    let Some(object) = value.as_object() else { return };
    for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        if !object.contains_key(name) {
            wrong.push(format!("{at}: {name} is missing"));
        }
    }
    for (name, field) in object {
        match (&schema["properties"][name], &schema["additionalProperties"]) {
            (Value::Null, Value::Object(_)) => {
                check(root, &schema["additionalProperties"], field, &format!("{at}.{name}"), wrong)
            }
            (Value::Null, _) => wrong.push(format!("{at}.{name} is not in the schema")),
            (known, _) => check(root, known, field, &format!("{at}.{name}"), wrong),
        }
    }
}
