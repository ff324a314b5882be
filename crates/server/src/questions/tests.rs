//! Each request with invalid numbers: none is answered as if they were absent.

use mpiscope_ingest::testing;
use mpiscope_query::view::{Cancel, ViewError, ViewSession};
use mpiscope_run::{Live, Resolver, RunHeader};

use super::{ALL, BETWEEN, EARLY};
use crate::answer::Answer;
use crate::ask::answer;
use crate::params::Params;

const TEXT: &str =
    "0 0 10 Send to=1 tag=1 bytes=8\n1 0 20 Recv from=0 tag=1 bytes=8\n0 30 40 Barrier\n1 30 40 Barrier\n";

/// What restricts most questions: moments and durations, ids, and numbers that may be negative.
const FILTER: &str = "from until duration_min duration_max comm site region peer thread bytes_min bytes_max host iteration \
                      functions ranks peers tag row_from row_until";

/// A valid request, and its numeric parameters, besides those of [`FILTER`] if `true`.
const QUESTIONS: [(&str, &str, bool, &str); 28] = [
    ("run", "", false, ""),
    ("progress", "", false, ""),
    ("report", "", false, "brief"),
    ("working", "of_ask=a", false, ""),
    ("export", "from=0&until=50", false, "from until"),
    ("cells", "columns=10&rows=2", true, "columns rows quick"),
    ("order", "", false, ""),
    ("scatter", "x=bytes&y=duration", true, "width height points quick x_log y_log x_min x_max y_min y_max"),
    ("matrix", "", true, "blocks quick"),
    ("histogram", "field=duration", true, "bins is_log min max quick"),
    ("groups", "by=function", true, "limit quick"),
    ("calls", "", true, "limit"),
    ("messages", "", true, "limit"),
    ("bundles", "", true, "columns rows limit"),
    ("collectives", "", true, "limit"),
    ("waits", "", true, "limit"),
    ("regions", "", true, "limit"),
    ("begin", "region=0", false, "region"),
    ("path", "", true, ""),
    ("path_groups", "", true, "limit"),
    ("tree", "", true, "limit by_rank quick"),
    ("call", "rank=0&row=0", false, "rank row"),
    ("step", "rank=0&row=0&by=longer", false, "rank row than_ns"),
    ("find", "text=send&start=0&rank=0&row=0", true, "start rank row"),
    ("matches", "text=send", true, "at limit"),
    ("apart", "", false, "from until row_from row_until limit"),
    ("curves", "", true, "columns by_host quick"),
    ("moment", "at=0", true, "at limit"),
];

fn viewing(folder: &std::path::Path) -> ViewSession {
    testing::write(TEXT, folder);
    let glance = RunHeader::at(folder, Live::default()).unwrap();
    let viewing = ViewSession::later(glance, Resolver::default(), folder.join("store"));
    viewing.build(&|| true);
    viewing
}

/// The question with another value of one parameter.
fn with(right: &str, name: &str, value: &str) -> String {
    let others = right.split('&').filter(|part| !part.is_empty() && !part.starts_with(&format!("{name}=")));
    others.map(str::to_owned).chain([format!("{name}={value}")]).collect::<Vec<_>>().join("&")
}

fn must_be_wrong(answer: Result<Answer, ViewError>, query: &str, name: &str, value: &str) {
    match answer {
        Err(ViewError::Wrong(why)) => assert!(why.contains(name) && why.contains(value), "{query}: {why}"),
        Err(other) => panic!("{query}: {other}"),
        Ok(_) => panic!("{query} is answered"),
    }
}

const WRONG: [&str; 7] = ["", "soon", "nan", "inf", "1x", "0x10", "1_000"];

#[test]
fn what_is_no_number_is_wrong_in_each_question() {
    let folder = tempfile::tempdir().unwrap();
    let viewing = viewing(folder.path());
    let asked = |question: &str, query: &str| answer(&viewing, question, query, &Cancel::default());
    let known: Vec<&str> = EARLY.iter().map(|(name, _)| *name).chain(ALL.iter().map(|(name, _)| *name)).collect();
    let tried: Vec<&str> = QUESTIONS.iter().map(|(name, ..)| *name).collect();
    assert!(known.iter().all(|name| tried.contains(name)), "{known:?}");
    for (question, right, is_filtered, own) in QUESTIONS {
        // The run has no region: that is another error.
        assert!(!matches!(asked(question, right), Err(ViewError::Wrong(_))), "{question}?{right}");
        for name in own.split(' ').chain(FILTER.split(' ').filter(|_| is_filtered)).filter(|name| !name.is_empty()) {
            for value in WRONG {
                let query = with(right, name, value);
                must_be_wrong(asked(question, &query), &format!("{question}?{query}"), name, value);
            }
        }
    }
}

#[test]
fn what_is_no_number_is_wrong_between_two_runs() {
    let folder = tempfile::tempdir().unwrap();
    let viewing = viewing(folder.path());
    let scene = viewing.scene().unwrap();
    let (_, ask) = BETWEEN[0];
    let numbers = "from until other_from other_until duration_min duration_max bytes_min bytes_max functions tag limit";
    for name in numbers.split(' ') {
        for value in WRONG {
            let query = with("by=function", name, value);
            let found = Params::parse(&query).and_then(|params| ask(&scene, &scene, &params, &Cancel::default()));
            must_be_wrong(found, &query, name, value);
        }
    }
}

#[test]
fn numbers_out_of_range_twice_or_by_halves_are_wrong() {
    let folder = tempfile::tempdir().unwrap();
    let viewing = viewing(folder.path());
    for (question, query) in [
        ("cells", "columns=0"),
        ("cells", "rows=0"),
        ("cells", "columns=10&columns=20"),
        ("cells", "quick=2"),
        ("calls", "thread=70000"),
        ("calls", "bytes_min=-1"),
        ("calls", "limit=1e3"),
        ("scatter", "x=bytes&y=duration&width=0"),
        ("histogram", "field=duration&bins=0"),
        ("matrix", "blocks=0"),
        ("curves", "columns=0"),
        ("tree", "limit=0"),
        ("tree", "limit=20001"),
        ("path_groups", "limit=10001"),
        ("moment", "limit=10"),
        ("bundles", "limit=0"),
        ("bundles", "limit=4001"),
        ("bundles", "columns=0"),
        ("bundles", "rows=5000"),
        ("export", "from=10"),
        ("export", "until=10"),
        ("find", "text=send&start=0"),
        ("call", "rank=0"),
        ("order", "order=group:hosts"),
        ("order", "order=group:grid:x"),
        ("cells", "order=fold:all"),
        ("cells", "order=group:host;fold:some"),
        ("calls", "order=group:host;fold:but:x"),
        ("apart", "order=group:host;fold:3-1"),
    ] {
        let found = answer(&viewing, question, query, &Cancel::default());
        assert!(matches!(found, Err(ViewError::Wrong(_))), "{question}?{query}");
    }
    // Times before the beginning are in sight where two runs are aligned: none of the calls is left out by them.
    assert!(answer(&viewing, "calls", "from=-5&until=1e9", &Cancel::default()).is_ok());
}

/// Positions are rows: that of a folded group is all of its ranks.
#[test]
fn a_folded_group_is_one_position() {
    let folder = tempfile::tempdir().unwrap();
    testing::write(&format!("host a = 0\nhost b = 1,2\n{TEXT}2 10 40 Barrier\n"), folder.path());
    let glance = RunHeader::at(folder.path(), Live::default()).unwrap();
    let viewing = ViewSession::later(glance, Resolver::default(), folder.path().join("store"));
    viewing.build(&|| true);
    let head = |question: &str, query: &str| -> serde_json::Value {
        let bytes = answer(&viewing, question, query, &Cancel::default()).unwrap().into_bytes();
        let length = u32::from_le_bytes(bytes[4..8].try_into().unwrap()) as usize;
        serde_json::from_slice(&bytes[8..8 + length]).unwrap()
    };
    let order = head("order", "order=group:host;fold:1");
    assert_eq!(order["rows"], 2);
    assert_eq!(
        order["groups"][1],
        serde_json::json!({"text": "b", "number": 1, "from": 1, "until": 2, "ranks": 2, "is_folded": true})
    );
    let columns: Vec<_> =
        order["columns"].as_array().unwrap().iter().map(|c| (c["name"].as_str(), c["length"].as_u64())).collect();
    assert_eq!(columns, [(Some("rank"), Some(3)), (Some("start"), Some(3))]);
    assert_eq!(head("cells", "columns=10&order=group:host;fold:all")["rows"], 2);
    let calls = |query: &str| head("calls", query)["total"].as_u64().unwrap();
    let [a, b] =
        [0, 1].map(|row| calls(&format!("order=group:host;fold:all&row_from={row}&row_until={}&limit=100", row + 1)));
    assert_eq!((a, b), (calls("ranks=0&limit=100"), calls("ranks=1-2&limit=100")));
    assert!(0 < a && a < b);
}

/// The page of the protocol: a question in each heading, or elsewhere on the page as `NAME?…`.
const PAGE: &str = include_str!("../../../../docs/viewer/protocol.md");

/// Answered by the server itself, or named in a section about something else.
const WITHOUT_SECTION: [&str; 2] = ["order", "working"];
const OF_THE_SERVER: [&str; 2] = ["offers", "notes"];

/// The sections of questions: name and text.
fn sections() -> Vec<(&'static str, &'static str)> {
    let name = |heading: &'static str| {
        let code = heading.strip_prefix('`')?.split('`').next()?;
        Some(code.split('?').next().unwrap_or(code))
    };
    PAGE.split("\n## ").filter_map(|section| Some((name(section.lines().next()?)?, section))).collect()
}

#[test]
fn the_page_of_the_protocol_has_all_questions_and_no_other() {
    let between = BETWEEN.iter().map(|(name, _)| format!("N/{name}/M"));
    let names = EARLY.iter().map(|(name, _)| *name).chain(ALL.iter().map(|(name, _)| *name)).map(str::to_owned);
    let (without, mut known): (Vec<_>, Vec<_>) =
        names.chain(between).partition(|name| WITHOUT_SECTION.contains(&name.as_str()));
    for name in &without {
        assert!(PAGE.contains(&format!("`{name}?")), "{name} is not on the page");
    }
    known.extend(OF_THE_SERVER.map(str::to_owned));
    let mut on_page: Vec<_> = sections().into_iter().map(|(name, _)| name.to_owned()).collect();
    known.sort();
    on_page.sort();
    assert_eq!(on_page, known);
}

/// Whether a text in backticks names it, alone or as a parameter of a question.
fn names_parameter(text: &str, parameter: &str) -> bool {
    let is_name = |character: char| character.is_ascii_alphanumeric() || character == '_';
    text.split('`')
        .skip(1)
        .step_by(2)
        .any(|code| code.split(|character| !is_name(character)).any(|word| word == parameter))
}

#[test]
fn the_page_of_the_protocol_has_the_parameters_of_each_question() {
    let sections = sections();
    let of = |question: &str| sections.iter().find(|(name, _)| *name == question).map(|(_, section)| *section);
    for (question, request, is_filtered, numbers) in QUESTIONS {
        let text = of(question).unwrap_or(PAGE);
        let own = request.split('&').filter_map(|part| part.split('=').next()).filter(|name| !name.is_empty());
        let filter = FILTER.split(' ').filter(|_| is_filtered);
        for parameter in own.chain(numbers.split(' ').filter(|name| !name.is_empty())) {
            // Several questions take the parameters of `calls`.
            let as_for_calls = text.contains("as for `calls`").then(|| of("calls")).flatten().unwrap_or_default();
            let is_there = names_parameter(text, parameter) || names_parameter(as_for_calls, parameter);
            assert!(is_there, "{question}: {parameter} is not on the page");
        }
        for parameter in filter {
            assert!(names_parameter(PAGE, parameter), "{parameter} is not on the page");
        }
    }
}
