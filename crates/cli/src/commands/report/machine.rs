//! What the machine did to the ranks, in the verdict and among the findings.

use mpiscope_analysis::Explanation;

use super::page::Page;
use super::units;

const LABEL: usize = 11;
/// Share of computing time spent waiting or asleep from which on it gets a line.
const LEAST: f64 = 0.02;

/// The first line of the verdict, if the machine is the cause.
pub fn first_line(page: &mut Page, e: &Explanation) {
    if let Some(line) = e.machine.as_ref().and_then(|machine| machine.headline.as_deref()) {
        page.paragraph("machine", LABEL, line);
    }
}

/// The parts of computing time: running, waiting for a core, asleep.
pub fn split(page: &mut Page, e: &Explanation) {
    let Some(machine) = &e.machine else { return };
    let c = machine.computing;
    let share = |ns: u64| units::share(ns, c.computing_ns);
    if c.computing_ns == 0 || share(c.waiting_ns + c.asleep_ns) < LEAST {
        return;
    }
    let percent = |ns: u64| units::percent(share(ns));
    let mut text = format!("running {}, waiting for a core {}", percent(c.running_ns), percent(c.waiting_ns));
    if c.waiting_most_ns > c.waiting_least_ns {
        text += &format!(" ({} to {})", percent(c.waiting_least_ns), percent(c.waiting_most_ns));
    }
    if share(c.asleep_ns) >= LEAST {
        text += &format!(", asleep {}", percent(c.asleep_ns));
    }
    page.paragraph("computing", LABEL, &text);
}
