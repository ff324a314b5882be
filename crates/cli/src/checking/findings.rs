//! Findings of the judge with their places, and as SARIF.

use mpiscope_judge::{Finding, Party, Severity, rules};
use mpiscope_query::{CheckCall, CheckFinding, CheckLine, Checks};
use serde_json::{Value, json};

use super::worlds::{self, Worlds};

/// A finding with its places, and data that is needed only during the check.
#[derive(Debug)]
pub struct ReportedFinding {
    pub finding: CheckFinding,
    /// Whether processes among its parties can never continue.
    pub stuck: bool,
    /// The judge's number of the finding.
    pub number: u32,
}

/// The function that a party called, if the party is a call.
pub fn called(party: &Party) -> Option<&'static str> {
    let id = party.function.into();
    mpiscope_abi::function(id).map(|_| mpiscope_abi::name(id))
}

/// The process of a call.
pub fn who(call: &CheckCall) -> String {
    worlds::called(call.world_rank, call.world, call.spawned)
}

impl ReportedFinding {
    /// Adds the stack and the time (`CLOCK_MONOTONIC`) that `place` returns for each call.
    pub fn new(
        finding: Finding,
        worlds: &Worlds,
        mut place: impl FnMut(&Party) -> (Vec<CheckLine>, Option<u64>),
    ) -> ReportedFinding {
        let calls = finding.parties.iter().map(|party| {
            let id = party.function.into();
            let param = party.argument.and_then(|a| mpiscope_abi::params(id).iter().find(|p| p.c == a));
            let (stack, at_ns) = place(party);
            let of = worlds.position_of(party.process);
            let known = stack.iter().find(|line| line.file.is_some());
            CheckCall {
                file: known.and_then(|line| line.file.clone()),
                line: known.and_then(|line| line.line),
                rank: party.process,
                world: of.map_or(0, |of| of.world),
                world_rank: of.map_or(party.process, |of| of.rank),
                spawned: of.is_some_and(|of| of.is_spawned),
                function: called(party).map(str::to_owned),
                argument: party.argument,
                argument_name: param.map(|param| mpiscope_abi::param_name(param).to_owned()),
                role: party.role.clone(),
                stack,
                at_ns,
            }
        });
        let reported = CheckFinding {
            parties: calls.collect(),
            id: finding.id.to_owned(),
            severity: finding.severity,
            confidence: finding.confidence,
            section: finding.section.to_owned(),
            title: finding.title,
            text: finding.text,
            advice: finding.advice,
            more: finding.more,
            numbers: finding.numbers,
            count: finding.count,
            found_ns: mpiscope_launch::clock::monotonic_ns(),
            suppressed: false,
        };
        ReportedFinding { finding: reported, stuck: finding.stuck, number: finding.number }
    }
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Hint => "note",
        Severity::Warning => "warning",
        Severity::Error => "error",
    }
}

/// As SARIF 2.1.0, for editors and continuous integration.
pub fn sarif(checks: &Checks) -> Value {
    let location = |line: &CheckLine| {
        let file = line.file.as_deref()?;
        let mut physical = json!({ "artifactLocation": { "uri": file } });
        if let Some(number) = line.line.filter(|&n| n > 0) {
            physical["region"] = json!({ "startLine": number });
        }
        Some(physical)
    };
    let results = checks.reported().map(|f| {
        let at = |call: &CheckCall| call.stack.iter().find_map(location);
        let first: Vec<Value> =
            f.parties.first().and_then(at).map(|p| json!({ "physicalLocation": p })).into_iter().collect();
        let related: Vec<Value> = f
            .parties
            .iter()
            .skip(1)
            .filter_map(|call| {
                let text = format!("{}: {} {}", who(call), call.function.as_deref().unwrap_or_default(), call.role);
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
