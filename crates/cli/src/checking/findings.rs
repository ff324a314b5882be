//! Findings as files: `RUN/check/findings.json` and SARIF.

use mpiscope_judge::{Confidence, Finding, Severity, rules};
use mpiscope_symbols::Frame;
use serde::Serialize;
use serde_json::{Value, json};

/// A line of a stack.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Line {
    pub function: String,
    pub file: Option<String>,
    pub line: Option<u32>,
}

impl From<&Frame> for Line {
    fn from(frame: &Frame) -> Line {
        Line { function: frame.function.clone(), file: frame.file.clone(), line: frame.line }
    }
}

/// A call that a finding is about.
#[derive(Clone, Debug, Serialize)]
pub struct Call {
    /// Rank in `MPI_COMM_WORLD`; processes of other worlds come after it.
    pub rank: u32,
    /// `None` when it is about no call.
    pub function: Option<&'static str>,
    /// Number of the argument in C, from 0, and its name.
    pub argument: Option<u8>,
    pub argument_name: Option<&'static str>,
    pub role: String,
    /// The innermost line whose source is known.
    pub file: Option<String>,
    pub line: Option<u32>,
    /// Innermost first; empty when unknown.
    pub stack: Vec<Line>,
}

/// A finding with its places.
#[derive(Clone, Debug, Serialize)]
pub struct Told {
    pub id: &'static str,
    pub severity: Severity,
    pub confidence: Confidence,
    /// Section of MPI-5.0.
    pub section: &'static str,
    pub title: String,
    pub text: String,
    pub advice: String,
    pub parties: Vec<Call>,
    /// Further calls of which these are examples.
    pub more: u64,
    pub numbers: Vec<(String, i64)>,
    pub count: u64,
    /// When it was told first, ns of `CLOCK_MONOTONIC`.
    pub found_ns: u64,
    /// Taken out by `--suppress`.
    pub suppressed: bool,
    /// Processes among its parties can never go on.
    #[serde(skip)]
    pub stuck: bool,
    #[serde(skip)]
    pub number: u32,
}

impl Told {
    /// With the stacks that `stack` finds for a process's site.
    pub fn new(finding: Finding, mut stack: impl FnMut(u32, u32) -> Vec<Line>) -> Told {
        let calls = finding.parties.iter().map(|party| {
            let function =
                mpiscope_abi::function(party.function.into()).map(|_| mpiscope_abi::name(party.function.into()));
            let params = mpiscope_abi::params(party.function.into());
            let param = party.argument.and_then(|a| params.iter().find(|p| p.c == a));
            let stack = stack(party.process, party.site);
            let known = stack.iter().find(|line| line.file.is_some());
            Call {
                file: known.and_then(|line| line.file.clone()),
                line: known.and_then(|line| line.line),
                rank: party.process,
                function,
                argument: party.argument,
                argument_name: param.map(mpiscope_abi::param_name),
                role: party.role.clone(),
                stack,
            }
        });
        Told {
            parties: calls.collect(),
            id: finding.id,
            severity: finding.severity,
            confidence: finding.confidence,
            section: finding.section,
            title: finding.title,
            text: finding.text,
            advice: finding.advice,
            more: finding.more,
            numbers: finding.numbers,
            count: finding.count,
            stuck: finding.stuck,
            found_ns: mpiscope_launch::clock::monotonic_ns(),
            suppressed: false,
            number: finding.number,
        }
    }

    /// Makes the program wrong: what is only possible never does.
    pub fn is_wrong(&self) -> bool {
        !self.suppressed && self.confidence == Confidence::Certain && self.severity > Severity::Hint
    }
}

/// Everything that a check has found.
#[derive(Serialize)]
pub struct Report<'a> {
    /// Version of this structure.
    pub format: u32,
    pub program: &'a [String],
    /// Processes that were checked.
    pub processes: usize,
    /// Events that were not heard: what follows from their absence is not certain.
    pub events_lost: u64,
    /// What else was not seen, or not while the program ran.
    pub notes: &'a [String],
    pub findings: &'a [Told],
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Hint => "note",
        Severity::Warning => "warning",
        Severity::Error => "error",
    }
}

/// As SARIF 2.1.0, for editors and continuous integration.
pub fn sarif(report: &Report<'_>) -> Value {
    let location = |line: &Line| {
        let file = line.file.as_deref()?;
        let mut physical = json!({ "artifactLocation": { "uri": file } });
        if let Some(number) = line.line.filter(|&n| n > 0) {
            physical["region"] = json!({ "startLine": number });
        }
        Some(physical)
    };
    let results = report.findings.iter().filter(|f| !f.suppressed).map(|f| {
        let at = |call: &Call| call.stack.iter().find_map(location);
        let first: Vec<Value> =
            f.parties.first().and_then(at).map(|p| json!({ "physicalLocation": p })).into_iter().collect();
        let related: Vec<Value> = f
            .parties
            .iter()
            .skip(1)
            .filter_map(|call| {
                let text = format!("rank {}: {} {}", call.rank, call.function.unwrap_or(""), call.role);
                Some(json!({ "physicalLocation": at(call)?, "message": { "text": text } }))
            })
            .collect();
        json!({
            "ruleId": f.id,
            "level": level(f.severity),
            "message": { "text": format!("{} {}", f.text, f.advice) },
            "locations": first,
            "relatedLocations": related,
            "occurrenceCount": f.count.max(1),
            "properties": { "confidence": f.confidence, "section": f.section },
        })
    });
    let rule = |rule: &rules::Rule| {
        json!({
            "id": rule.id,
            "shortDescription": { "text": rule.title },
            "help": { "text": rule.advice },
            "defaultConfiguration": { "level": level(rule.severity) },
        })
    };
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "mpiscope",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": rules::all().map(rule).collect::<Vec<_>>(),
            } },
            "results": results.collect::<Vec<_>>(),
        }],
    })
}
