//! The page: its sections in order. A section without content is omitted.

use mpiscope_analysis::{Explanation, rule, rules};

use super::style::Style;
use super::{Report, attainable, checks, details, explanation, findings, header, network, quality, regions, sections};
use crate::wrap::wrap;

/// Number of rows of each table on a page.
#[derive(Clone, Copy, Debug)]
pub struct Extent {
    /// Rows of "where the time goes".
    pub calls: usize,
    /// Rows of message sizes.
    pub sizes: usize,
    /// Call sites.
    pub sites: usize,
    /// Regions.
    pub regions: usize,
    /// Communicators.
    pub comms: usize,
    /// Findings.
    pub findings: usize,
    /// Groups of ranks that ended in the same way, functions not intercepted, files skipped.
    pub notes: usize,
}

/// The one-page report.
pub const ONE_PAGE: Extent = Extent { calls: 9, sizes: 5, sites: 10, regions: 12, comms: 4, findings: 5, notes: 4 };
/// Everything.
pub const FULL: Extent = Extent {
    calls: usize::MAX,
    sizes: usize::MAX,
    sites: usize::MAX,
    regions: usize::MAX,
    comms: usize::MAX,
    findings: usize::MAX,
    notes: usize::MAX,
};

/// The lines of the page.
pub struct Page {
    pub style: Style,
    lines: Vec<String>,
}

impl Page {
    /// Adds a line, cut at the page's width.
    pub fn line(&mut self, text: impl AsRef<str>) {
        let text = self.style.clean(text.as_ref());
        self.lines.push(self.style.shorten(text.trim_end(), self.style.width));
    }

    /// Adds the lines of a table.
    pub fn lines(&mut self, lines: Vec<String>) {
        lines.iter().for_each(|line| self.line(line));
    }

    /// Adds an empty line and a heading, with a remark on its right if that fits.
    pub fn heading(&mut self, title: &str, remark: &str) {
        let room = self.style.width.saturating_sub(title.chars().count() + 2);
        self.lines.push(String::new());
        match remark.chars().count() {
            n if n == 0 || n > room => self.line(title),
            _ => self.line(format!("{title}  {remark:>room$}")),
        }
    }

    /// Adds `label` and a text that continues with a hanging indent.
    pub fn paragraph(&mut self, label: &str, indent: usize, text: &str) {
        for (at, line) in wrap(text, self.style.width.saturating_sub(indent)).into_iter().enumerate() {
            let label = if at == 0 { label } else { "" };
            self.line(format!("{label:<indent$}{line}"));
        }
    }

    fn text(self) -> String {
        let mut text = self.lines.join("\n");
        text.push('\n');
        text
    }
}

/// The report as text.
pub fn render(report: &Report, full: bool, style: Style) -> String {
    let summary = &report.summary;
    let mut page = Page { style, lines: Vec::new() };
    let extent = if full { FULL } else { ONE_PAGE };
    header::title(&mut page, summary);
    header::fates(&mut page, summary, extent);
    if let Some(found) = &report.checks {
        checks::section(&mut page, found, summary.overview.all_normal, extent, full);
    }
    if let Some(found) = &report.explanation {
        explanation::verdict(&mut page, found);
        findings::section(&mut page, found, extent.findings, full);
    }
    header::facts(&mut page, summary);
    header::spreads(&mut page, summary, full);
    header::not_seen(&mut page, summary, extent, full);
    sections::calls(&mut page, summary, extent);
    sections::shares(&mut page, summary);
    sections::sizes(&mut page, summary, extent);
    sections::messages(&mut page, summary);
    network::section(&mut page, summary, full);
    attainable::section(&mut page, report, full);
    regions::render(&mut page, summary, extent);
    sections::sites(&mut page, summary, extent);
    sections::comms(&mut page, summary, extent);
    if full {
        if let Some(found) = &report.explanation {
            explanation::details(&mut page, found);
            quality::sections(&mut page, found);
        }
        details::render(&mut page, summary);
    }
    page.text()
}

/// Findings with their evidence and rules: all, or those of one rule.
pub fn findings(found: &Explanation, id: &str, style: Style) -> anyhow::Result<String> {
    let mut page = Page { style, lines: Vec::new() };
    let wanted = |f: &&mpiscope_analysis::Finding| id == super::ALL || f.id == id;
    if id != super::ALL {
        let Some(rule) = rule(id) else {
            let ids: Vec<&str> = rules().map(|r| r.id).collect();
            anyhow::bail!("unknown rule '{id}'; the rules are {}", ids.join(", "));
        };
        explanation::rule(&mut page, rule);
    }
    let mut shown = 0;
    for finding in found.findings.iter().filter(wanted) {
        shown += 1;
        explanation::evidence(&mut page, shown, finding, found);
    }
    if shown == 0 {
        page.line("");
        page.line("no such finding in this run: nothing of this kind exceeds the rule's threshold");
    }
    Ok(page.text())
}
