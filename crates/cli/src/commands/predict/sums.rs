//! What the sums of a run without events still tell: bounds, not predictions.

use std::path::{Path, PathBuf};

use mpiscope_abi::role::{Role, role};
use mpiscope_run::{CallRow, Summary};
use mpiscope_units::{percent, share};
use serde::Serialize;

use super::super::report::{grid, style::Style};
use crate::wrap::wrap;
use grid::{Field, Grid, number, words};

/// Functions that are listed.
const MOST: usize = 8;

/// See the module.
#[derive(Serialize)]
pub struct Sums {
    format: u32,
    run: PathBuf,
    /// What of the job the run does not have.
    caveats: Vec<String>,
    no_events: &'static str,
    ranks: u64,
    /// From the end of `MPI_Init` to `MPI_Finalize`, of the rank that takes longest.
    time_ns: u64,
    balance: Option<Balance>,
    /// The most expensive first.
    functions: Vec<Function>,
}

/// What ranks compute.
#[derive(Serialize, Debug, PartialEq)]
struct Balance {
    most_computing_ns: u64,
    most_computing_rank: i32,
    mean_computing_ns: u64,
    /// By how much that rank computes longer than the mean, as a share of the time: equal sums of work save no more.
    at_most: f64,
}

/// Time in a function.
#[derive(Serialize)]
struct Function {
    function: String,
    calls: u64,
    bytes: u64,
    /// Of all ranks.
    time_ns: u64,
    /// Of the time of all ranks.
    share: f64,
}

impl Sums {
    /// Of a run.
    pub fn new(run: &Path, summary: &Summary, caveats: &[String], no_events: &'static str) -> Sums {
        let ranks = &summary.ranks;
        let all_ns: u64 = ranks.iter().map(|rank| rank.inside_ns).sum();
        let is_inside = |row: &&CallRow| !matches!(role(row.id), Role::Init | Role::Finalize) && row.sum.time_ns > 0;
        let function = |row: &CallRow| Function {
            function: row.call.clone(),
            calls: row.sum.calls,
            bytes: row.sum.bytes,
            time_ns: row.sum.time_ns,
            share: share(row.sum.time_ns, all_ns),
        };
        let mut functions: Vec<Function> = summary.calls.iter().filter(is_inside).map(function).collect();
        functions.sort_by_key(|function| std::cmp::Reverse(function.time_ns));
        Sums {
            format: 1,
            run: run.to_owned(),
            caveats: caveats.to_vec(),
            no_events,
            ranks: ranks.len() as u64,
            time_ns: ranks.iter().map(|rank| rank.inside_ns).max().unwrap_or(0),
            balance: balance(ranks.iter().map(|rank| (rank.rank, rank.inside_ns, rank.mpi_share))),
            functions,
        }
    }

    /// As a page.
    pub fn page(&self, style: Style) -> String {
        let mut parts: Vec<String> = self.caveats.iter().map(|caveat| format!("{caveat}.")).collect();
        let run = self.run.display();
        parts.push(format!(
            "{run} has no events, so that nothing is predicted: {}. What its sums tell:",
            self.no_events
        ));
        if let Some(balance) = &self.balance {
            let time = |ns: u64| Field::Time(ns).text(style);
            parts.push(format!(
                "Balance: rank {} computes for {}, the mean is {}. Work that is moved from the ranks with much to those with little saves at most {} of the {} that the run takes. Ranks \
                 may also compute longest in turn: sums do not show that.",
                balance.most_computing_rank,
                time(balance.most_computing_ns),
                time(balance.mean_computing_ns),
                percent(balance.at_most),
                time(self.time_ns)
            ));
        }
        let mut lines: Vec<String> = parts.iter().flat_map(|part| wrap(part, style.width)).collect();
        let columns = vec![
            words("", "function"),
            number("", "of time"),
            number("", "time"),
            number("", "calls"),
            number("", "bytes"),
        ];
        let row = |function: &Function| {
            vec![
                Field::Text(function.function.clone()),
                Field::Share(function.share),
                Field::Time(function.time_ns),
                Field::Count(function.calls),
                Field::Bytes(function.bytes),
            ]
        };
        let rows: Vec<Vec<Field>> = self.functions.iter().take(MOST).map(row).collect();
        if !rows.is_empty() {
            lines.extend(Grid { columns, rows }.text(style));
            let last = "Shares are of the time of all ranks. Who sends how much to whom, and what orders of ranks mean for it: mpiscope place";
            lines.extend(wrap(&format!("{last} {run}"), style.width));
        }
        lines.join("\n") + "\n"
    }
}

/// From each rank, its time and the share of it in MPI. `None` where that is not known of all.
fn balance(ranks: impl Iterator<Item = (i32, u64, Option<f64>)>) -> Option<Balance> {
    let computing = |(rank, ns, mpi_share): (i32, u64, Option<f64>)| {
        Some((((1.0 - mpi_share?.min(1.0)) * ns as f64).round() as u64, rank, ns))
    };
    let all: Vec<(u64, i32, u64)> = ranks.map(computing).collect::<Option<_>>()?;
    let &(most_computing_ns, most_computing_rank, _) = all.iter().max_by_key(|of| (of.0, std::cmp::Reverse(of.1)))?;
    let mean_computing_ns = all.iter().map(|of| of.0).sum::<u64>() / all.len() as u64;
    let time_ns = all.iter().map(|of| of.2).max()?;
    let at_most = share(most_computing_ns - mean_computing_ns, time_ns);
    Some(Balance { most_computing_ns, most_computing_rank, mean_computing_ns, at_most })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rank_that_computes_longest_is_compared_with_the_mean() {
        let of = |ranks: &[(i32, Option<f64>)]| balance(ranks.iter().map(|&(rank, share)| (rank, 1000, share)));
        let found = of(&[(0, Some(0.5)), (1, Some(0.1)), (2, Some(0.6))]).unwrap();
        assert_eq!((found.most_computing_ns, found.most_computing_rank, found.mean_computing_ns), (900, 1, 600));
        assert!((found.at_most - 0.3).abs() < 1e-9, "{found:?}");
        assert_eq!(of(&[(0, Some(0.5)), (1, None)]), None);
        assert_eq!(of(&[]), None);
    }
}
