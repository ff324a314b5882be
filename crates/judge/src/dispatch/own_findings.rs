//! Findings of a process itself: which calls they name, and how certain they are.

use mpiscope_abi::id;
use mpiscope_abi::role::{self, Role};
use mpiscope_trace::check::event::Head;
use mpiscope_trace::check::rule;

use crate::finding::{Confidence, MAY_HAVE_WRITTEN, MAY_READ, MAY_WRITE};
use crate::judge::Judge;
use crate::report::Draft;
use crate::rules;

/// A finding, as the process has reported it.
pub(super) struct OwnFinding<'a> {
    /// Its number in the rank file.
    pub rule: u16,
    /// Position of the argument, 255 none.
    pub argument: u8,
    pub withheld: bool,
    /// Site of the other call, 0 none.
    pub origin: u32,
    pub values: &'a [i64; 3],
    pub text: &'a str,
}

impl Judge {
    pub(super) fn own_finding(&mut self, process: u32, head: &Head, finding: &OwnFinding<'_>) {
        let &OwnFinding { rule, argument, withheld, origin, values, text } = finding;
        let Some(known) = rules::of_process(rule) else { return };
        let elsewhere = |site| Head { site, function: 0, at: 0, ..*head };
        let toucher = toucher(rule, values);
        let mut places = vec![self.place(process, head)];
        places.extend(toucher.map(|(site, _)| self.place(process, &elsewhere(site))));
        places.extend(Some(origin).filter(|&site| site != 0).map(|site| self.place(process, &elsewhere(site))));
        if self.sink.again(known.id, &places) {
            return;
        }
        let place = places[0];
        let draft = Draft::new(known.id).text(rules::fill(known.text, text, *values)).literal();
        let draft = draft.withheld(withheld);
        let shown = match rule {
            rule::MEMORY_RACE => &values[..1],
            _ if toucher.is_some() => &values[..2],
            _ => &values[..],
        };
        let base = u32::from(head.function) & !mpiscope_abi::LARGE;
        let is_excused = match rule {
            // With an exit code the program may have ended because of an error.
            rule::NO_FINALIZE => values[0] != 0,
            // The standard only advises to detach memory before it is freed.
            rule::BUFFER_UNMAPPED => base == id::Win_detach,
            // It is not certain which variable it is.
            rule::VARIABLE_SHORT | rule::VARIABLE_TYPE => values[2] != 0,
            rule::BUFFER_RACE => values[2] & rule::MAY_BE_ORDERED != 0,
            _ => false,
        };
        let draft = if is_excused { draft.at_most(Confidence::Possible) } else { draft };
        let mut draft = shown.iter().enumerate().fold(draft, |d, (at, &v)| d.number(&format!("value{at}"), v));
        if let Some((site, role)) = toucher {
            draft.add(self.place(process, &elsewhere(site)), None, role);
        }
        let role = match rule {
            rule::MEMORY_RACE if values[1] & rule::WRITES != 0 => "writes",
            rule::MEMORY_RACE => "reads",
            _ => "calls",
        };
        draft.add(place, Some(argument).filter(|&a| a != 255), role);
        if origin != 0 {
            let role = if rule == rule::BUFFER_RACE { "the other operation" } else { "started here" };
            draft.add(self.place(process, &elsewhere(origin)), None, role);
        }
        match toucher.is_none() && is_written_in_collective(rule, text) {
            true => self.written.push((draft, false)),
            false => self.sink.add(draft),
        }
    }
}

/// A buffer of a collective operation was changed by an unknown writer.
fn is_written_in_collective(rule: u16, text: &str) -> bool {
    let name = text.split(',').next().unwrap_or_default();
    let function = mpiscope_abi::by_name(name).filter(|_| matches!(rule, rule::SEND_WRITTEN | rule::RECEIVE_WRITTEN));
    function.is_some_and(|id| matches!(role::role(id), Role::Collective(_)))
}

/// The instruction that touches a buffer in flight, where it is known: its site, and what it does.
fn toucher(rule: u16, values: &[i64; 3]) -> Option<(u32, &'static str)> {
    let is = |flag: i64| values[2] & flag != 0;
    let role = match (rule, is(rule::MAY_BE_BESIDE)) {
        (rule::SEND_WRITTEN | rule::RECEIVE_WRITTEN | rule::ARGUMENT_WRITTEN, false) => "writes",
        (rule::SEND_WRITTEN | rule::RECEIVE_WRITTEN | rule::ARGUMENT_WRITTEN, true) if is(rule::UNCHANGED) => MAY_WRITE,
        (rule::SEND_WRITTEN | rule::RECEIVE_WRITTEN | rule::ARGUMENT_WRITTEN, true) => MAY_HAVE_WRITTEN,
        (rule::RECEIVE_READ, false) => "reads",
        (rule::RECEIVE_READ, true) => MAY_READ,
        (rule::BUFFER_RACE | rule::MEMORY_RACE, _) if is(rule::WRITES) => "writes",
        (rule::BUFFER_RACE | rule::MEMORY_RACE, _) => "reads",
        _ => return None,
    };
    let site = u32::try_from(values[2] & i64::from(u32::MAX)).ok().filter(|&site| site != 0)?;
    Some((site, role))
}
