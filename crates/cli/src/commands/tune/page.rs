//! The result as text.

use std::path::Path;

use mpiscope_experiments::{Fate, Gain};
use mpiscope_launch::shell_words;
use mpiscope_units::{counted, percent};

use super::super::report::grid::{Field, Grid, number, words};
use super::super::report::style::Style;
use super::answer::{Answer, ENV, PROFILE, Row};
use super::record::{BEST, RUN};
use crate::wrap::wrap;

/// Candidates that are listed in one group.
const MOST: usize = 12;

pub fn page(answer: &Answer, directory: &Path, width: usize) -> String {
    let style = Style::new(width, |key| std::env::var(key).ok());
    let mut lines: Vec<String> = Vec::new();
    let mut say = |text: &str| lines.extend(wrap(text, style.width));
    if answer.dry_run {
        say(&format!("{} candidates; no experiment was made (--dry-run).", answer.candidates.len()));
    } else {
        head(answer, &mut say);
    }
    if let Some(best) = &answer.best {
        lines.push(String::new());
        lines.push("HOW TO USE IT".to_owned());
        lines.push(format!("  {}", best.line));
        let shown = |name: &str| shell_words::join(&[directory.join(name).to_string_lossy()]);
        lines.push(format!("  or: . {}", shown(ENV)));
        lines.push(format!("  or, in mpiscope.toml, the profile of {}", shown(PROFILE)));
        if directory.join(BEST).is_dir() {
            lines.push(format!("  what changed: mpiscope diff {} {}", shown(RUN), shown(BEST)));
        }
    }
    let measured: Vec<&Row> = answer.candidates.iter().filter(|row| row.result.screened.is_some()).collect();
    if !measured.is_empty() {
        lines.push(String::new());
        lines.push("CANDIDATES   gain: share of the time that is saved".to_owned());
        lines.extend(table(&measured).text(style));
    }
    let refused = answer.candidates.iter().filter_map(|row| match &row.result.fate {
        Fate::Refused { reason } => Some(format!("{}: {reason}", row.candidate.title)),
        _ => None,
    });
    group(&mut lines, "REFUSED", refused.collect(), style);
    let not_measured = answer.candidates.iter().filter(|row| row.result.fate == Fate::NotTried);
    let not_measured: Vec<String> = not_measured
        .map(|row| match answer.dry_run {
            true => match row.candidate.predicted {
                Some(gain) => format!("{} ({}; predicted {})", row.candidate.title, row.candidate.why, percent(gain)),
                None => format!("{} ({})", row.candidate.title, row.candidate.why),
            },
            false => format!("{}: the budget ended before", row.candidate.title),
        })
        .collect();
    group(&mut lines, if answer.dry_run { "WOULD BE TRIED" } else { "NOT TRIED" }, not_measured, style);
    let untried = answer.untried.iter().map(|left| format!("{}: {}", left.what, left.why)).collect();
    group(&mut lines, "NO CANDIDATES", untried, style);
    let advice = answer.advice.iter().map(|advice| {
        format!("{}: {} of the time, by the model. {}", advice.change, percent(advice.predicted), advice.how)
    });
    group(&mut lines, "CHANGES OF THE SOURCE   not made here; see mpiscope predict", advice.collect(), style);
    lines.iter().map(|line| style.clean(line).trim_end().to_owned()).collect::<Vec<_>>().join("\n") + "\n"
}

fn head(answer: &Answer, say: &mut impl FnMut(&str)) {
    let (least, error) = (percent(answer.least_gain), answer.compared.error_rate);
    let set = answer.compared.settings.join(" + ");
    match (&answer.best, answer.compared.gain) {
        (Some(_), Some(Gain { total: Some(total), pairs, .. })) => {
            say(&format!("Faster by {} on average (at least {}): {set}", percent(total.gain), percent(total.low)));
            say(&format!(
                "Runs of this program differ much. Proved by the sum of the times of {pairs} pairs of runs in random order; the probability \
                 that the gain is less than the second number is at most {}.",
                percent(error)
            ));
        }
        (Some(_), Some(gain)) => {
            say(&format!("Faster by {}: {set}", interval(gain)));
            say(&format!(
                "Proved by {} pairs of runs in random order; the probability that the gain is less than the first number is at most {}.",
                gain.pairs,
                percent(error)
            ));
        }
        (_, Some(gain)) if !answer.complete => {
            let so_far = match gain.median > 0.0 {
                true => format!("seems to gain {}", percent(gain.median)),
                false => "seems to gain nothing".to_owned(),
            };
            let pairs = mpiscope_units::counted(gain.pairs as u64, "pair(s) of runs");
            say(&format!("Not proved yet: {set} {so_far} after {pairs}. Continue with --resume."));
        }
        (_, Some(gain)) => say(&format!(
            "No gain is proved. The best set, {set}, seemed to gain; compared again it gained {}.",
            interval(gain)
        )),
        (_, None) if !answer.complete && answer.candidates.iter().any(|row| row.result.screened.is_none()) => {
            say("The search ended before the candidates were measured. Continue with --resume.");
        }
        (_, None) if answer.candidates.is_empty() => say("There are no candidates for this run."),
        (_, None) => say("Nothing that was tried makes the program faster."),
    }
    let times = answer.baseline_seconds.map_or(String::new(), |seconds| {
        let noise = percent(answer.noise.unwrap_or(0.0));
        let what = match (answer.region, answer.iterations) {
            (Some(region), _) => format!("region {region} takes"),
            (None, Some(number)) => {
                format!("the time until {} of the main loop are done is", counted(number, "iteration(s)"))
            }
            (None, None) => "it takes".to_owned(),
        };
        format!(" Without changes {what} {seconds:.3} s; two such runs differ by {noise}.")
    });
    say(&format!("{} runs in {:.0} s.{times} Gains below {least} are not claimed.", answer.runs, answer.used_seconds));
}

fn interval(gain: Gain) -> String {
    let end = |end: Option<f64>| end.map_or("?".to_owned(), |share| format!("{:.1}", share * 100.0));
    format!("{} ({} … {} %)", percent(gain.median), end(gain.low), end(gain.high))
}

fn table(rows: &[&Row]) -> Grid {
    let columns = vec![
        words("", "setting"),
        number("", "predicted"),
        number("", "measured"),
        number("", "runs"),
        words("", "result"),
    ];
    let row = |row: &&Row| {
        let gain = row.result.screened;
        vec![
            Field::Text(row.candidate.title.clone()),
            row.candidate.predicted.map_or(Field::Empty, |gain| Field::Text(percent(gain))),
            gain.map_or(Field::Empty, |gain| Field::Text(percent(gain.median))),
            Field::Count(gain.map_or(0, |gain| gain.pairs as u64)),
            Field::Text(match &row.result.fate {
                Fate::Chosen => "chosen".to_owned(),
                Fate::Refused { .. } => "refused".to_owned(),
                Fate::NotChosen | Fate::NotTried => String::new(),
            }),
        ]
    };
    Grid { columns, rows: rows.iter().map(row).collect() }
}

fn group(lines: &mut Vec<String>, title: &str, items: Vec<String>, style: Style) {
    if items.is_empty() {
        return;
    }
    lines.push(String::new());
    lines.push(title.to_owned());
    for item in items.iter().take(MOST) {
        for (number, line) in wrap(item, style.width - 2).into_iter().enumerate() {
            lines.push(format!("{}{line}", if number == 0 { "- " } else { "  " }));
        }
    }
    if items.len() > MOST {
        lines.push(format!("- and {} more (--json)", items.len() - MOST));
    }
}
