//! Pipelines of fewer ranks than a chain of waits has: pieces of work in a row, each of which is sent when it is computed.
//!
//! A rank that receives several pieces from another one, and computes between them, waits for the first one until the other rank has
//! computed it: the pipeline fills. One such wait could be any late message; rows of receives and of sends with computing between them show
//! that the work is divided, and can be divided further.

use std::collections::{BTreeMap, BTreeSet};

use mpiscope_abi::role::Role;
use mpiscope_units::{count, ranks_text, time};

use super::chain::{LEAST_RANKS, LEAST_TIMES, PIECES, PIPELINE_FILL, calls_at_places, fill_advice, fill_title};
use super::registry::Context;
use super::sequence::Letter;
use super::thresholds::share;
use super::tokens::NO_LETTER;
use crate::explanation::{Confidence, Explanation, Finding, Relations, Remedy, Value, Wait, capital};

/// Part of the calls that come after the same call, with computing between: at least every third one.
const IN_A_ROW: u32 = 3;
/// A piece takes at least this long, ns: latency does not matter to a quarter of it.
const LEAST_PIECE_NS: u64 = 100_000;
/// Shorter waits do not fill anything, ns.
const LEAST_WAIT_NS: u64 = 20_000;

/// Waits for data, by rank and facts of the receiving call and the late rank: how long, and how many.
#[derive(Default)]
pub(super) struct Waits(BTreeMap<(u32, u32, u32), (u64, u64)>);

impl Waits {
    /// A rank has waited for a message of another one.
    pub fn add(&mut self, wait: &Wait) {
        let Some(cause) = wait.cause.filter(|_| wait.ns() >= LEAST_WAIT_NS) else { return };
        let (ns, times) = self.0.entry((wait.rank.0, wait.facts, cause.rank.0)).or_default();
        (*ns, *times) = (*ns + wait.ns(), *times + 1);
    }

    /// The finding `pipeline_fill` of two or three ranks.
    pub fn find(&self, context: &Context<'_>, explanation: &mut Explanation) {
        let sends_in_rows = |rank: u32| {
            let meanings = context.tables.ranks.get(rank as usize).map_or(&[][..], |alphabet| &alphabet.meanings);
            let sends = (0..).zip(meanings).filter(|(_, meaning)| matches!(meaning.role, Role::Send(_)));
            sends.map(|(letter, _)| letter).any(|letter| rows(context, rank, letter).is_some())
        };
        // Only the first piece of a row is waited for. In one long row others are late now and then.
        let fills = |rank: u32, facts: u32, times: u64| {
            let letters = context.tables.ranks.get(rank as usize).map_or(&[][..], |alphabet| &alphabet.letters);
            let letter = letters.get(facts as usize).copied().filter(|&letter| letter < NO_LETTER);
            let rows = letter.and_then(|letter| rows(context, rank, letter)).unwrap_or(0);
            rows >= LEAST_TIMES && times <= rows + rows / 4
        };
        let pieces: Vec<_> = self
            .0
            .iter()
            .filter(|((rank, facts, late), (_, times))| fills(*rank, *facts, *times) && sends_in_rows(*late))
            .collect();
        let (cost_ns, fills) = pieces.iter().fold((0, 0), |(ns, times), (_, of)| (ns + of.0, times + of.1));
        let ranks: BTreeSet<u32> = pieces.iter().flat_map(|((rank, _, late), _)| [*rank, *late]).collect();
        let is_short = ranks.len() < LEAST_RANKS as usize;
        if !is_short || fills < LEAST_TIMES || cost_ns < context.scope.threshold_ns() {
            return;
        }
        let world = |rank: u32| context.dimensions.ranks.get(rank as usize).map_or(-1, |row| row.world_rank);
        let site = |rank: u32, facts: u32| {
            let info = context.facts.get(rank as usize)?.get(facts as usize)?;
            Some(context.dimensions.site(info.site).to_owned()).filter(|site| !site.is_empty())
        };
        let sites: BTreeSet<String> = pieces.iter().filter_map(|((rank, facts, _), _)| site(*rank, *facts)).collect();
        let calls = calls_at_places(pieces.iter().map(|((rank, facts, _), _)| (*rank, *facts)), context.facts);
        let waiting: BTreeSet<i32> = pieces.iter().map(|((rank, ..), _)| world(*rank)).collect();
        let late: BTreeSet<i32> = pieces.iter().map(|((.., late), _)| world(*late)).collect();
        let names: Vec<i32> = waiting.iter().copied().collect();
        let verb = if names.len() == 1 { "waits" } else { "wait" };
        let at = sites.first().map_or(String::new(), |site| format!(" at {site}"));
        explanation.findings.push(Finding {
            title: fill_title(ranks.len(), cost_ns / fills.max(1), fills),
            text: format!(
                "{} {verb} {} times{at} for the first of several pieces that another rank computes and sends one after the other: {} in total.",
                capital(&ranks_text(&names)),
                count(fills),
                time(cost_ns),
            ),
            advice: fill_advice(),
            cost_ns,
            share: share(cost_ns, context.scope),
            confidence: Confidence::Medium,
            ranks: names,
            cause_ranks: late.into_iter().collect(),
            sites: sites.into_iter().take(4).collect(),
            evidence: BTreeMap::from([("fill_ns", Value::Int(cost_ns)), ("fills", Value::Int(fills))]),
            remedy: Some(Remedy { pieces: Some(PIECES), calls: Some(calls), ..Remedy::default() }),
            relations: Relations { needs_saving: true, ..PIPELINE_FILL.relations },
            ..Finding::of(&PIPELINE_FILL)
        });
    }
}

/// How many rows of these calls a rank makes, with computing between the calls; `None` if they are not in rows.
fn rows(context: &Context<'_>, rank: u32, letter: u16) -> Option<u64> {
    let letters = &context.sequences.get(rank as usize)?.letters;
    let of: &Letter = letters.get(usize::from(letter))?;
    let again = of.steps.iter().find(|step| step.count > 0 && step.from == letter)?;
    let is_row = again.count * IN_A_ROW >= of.count && again.gap.median() >= LEAST_PIECE_NS;
    is_row.then(|| u64::from(of.count.saturating_sub(again.count)))
}
