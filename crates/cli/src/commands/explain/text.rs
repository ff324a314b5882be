//! The result as text.

use mpiscope_failures::{Entry, Role};
use mpiscope_units::{bytes, count, counted, rank_list};

use super::answer::{Answer, Message};
use super::facts::Facts;
use crate::commands::report::style::Style;
use crate::wrap::wrap;

/// Width of the words that begin paragraphs.
const LABEL: usize = 9;

/// Unknown lines that are printed.
const MOST_UNKNOWN: usize = 12;

/// Ranges of ranks that are printed.
const MOST_RANGES: usize = 8;

/// The whole page.
pub fn page(answer: &Answer, all: bool, style: Style) -> String {
    let mut page = Page { lines: Vec::new(), style };
    page.summary(answer);
    let explained = explained(answer, all);
    for message in &explained {
        page.message(message, answer.cause.as_deref() == Some(&message.entry.id));
    }
    if let Some(facts) = &answer.run {
        page.run(facts);
    }
    let rest: Vec<&Message> = answer
        .messages
        .iter()
        .filter(|message| !explained.iter().any(|other| other.entry.id == message.entry.id))
        .collect();
    page.rest(&rest);
    page.unknown(answer);
    page.lines.join("\n") + "\n"
}

/// The messages to explain in full: the most likely cause, and further causes. Without one, the most informative consequence.
fn explained(answer: &Answer, all: bool) -> Vec<&Message> {
    if all {
        return answer.messages.iter().collect();
    }
    let causes: Vec<&Message> =
        answer.messages.iter().filter(|message| message.entry.role == Role::Cause).take(2).collect();
    match causes.is_empty() {
        true => answer.messages.iter().take(1).collect(),
        false => causes,
    }
}

/// An entry of the catalogue without a log.
pub fn entry(entry: &Entry, style: Style) -> String {
    let mut page = Page { lines: Vec::new(), style };
    page.paragraph(entry.role.name(), &format!("{}: {}", entry.id, entry.title));
    page.paragraph("printed", &format!("by {}", entry.versions));
    for pattern in &entry.patterns {
        page.paragraph("", &pattern.replace('~', " ").replace("{!}", ""));
    }
    page.explanation(entry);
    page.lines.join("\n") + "\n"
}

struct Page {
    lines: Vec<String>,
    style: Style,
}

impl Page {
    /// A word in the margin and text beside it.
    fn paragraph(&mut self, label: &str, text: &str) {
        let width = self.style.width - LABEL - 1;
        // Long paths are cut in the middle.
        let words = self.style.clean(text);
        let words: Vec<String> = words.split(' ').map(|word| self.style.shorten(word, width)).collect();
        for (at, line) in wrap(&words.join(" "), width).into_iter().enumerate() {
            let label = if at == 0 { label } else { "" };
            self.lines.push(format!("{label:LABEL$} {line}").trim_end().to_owned());
        }
    }

    fn gap(&mut self) {
        if !self.lines.is_empty() {
            self.lines.push(String::new());
        }
    }

    fn summary(&mut self, answer: &Answer) {
        let kinds = answer.messages.len() as u64;
        let read = format!("{} lines read", count(answer.lines));
        let text = match (&answer.cause, answer.is_unexplained, kinds) {
            (Some(_), ..) => format!("{read}; {}", counted(kinds, "kind(s) of messages recognised")),
            (None, true, 0) => format!("{read}; no message is in the catalogue, but lines look like failures"),
            (None, true, _) => format!("{read}; only consequences of a failure are known, not its reason"),
            (None, false, 0) => format!("{read}; nothing looks like a failure"),
            (None, false, _) => format!("{read}; only warnings"),
        };
        let text =
            if answer.run.is_some() && answer.lines == 0 { "no messages were kept with the run".into() } else { text };
        self.paragraph("log", &text);
    }

    fn message(&mut self, message: &Message, is_cause: bool) {
        self.gap();
        let label = if is_cause { "CAUSE" } else { message.entry.role.name() };
        self.paragraph(label, &format!("{}: {}", message.entry.id, message.entry.title));
        self.paragraph("", &format!("{}, line {}:", message.first.file, count(message.first.line)));
        self.paragraph("", &format!("  {}", message.text));
        if let Some(who) = who(message) {
            self.paragraph("who", &who);
        }
        let fields: Vec<String> = message
            .fields
            .iter()
            .filter(|(name, _)| !["rank", "host", "text", "why"].contains(&name.as_str()))
            .map(|(name, value)| format!("{name} {value}"))
            .collect();
        if !fields.is_empty() {
            self.paragraph("values", &fields.join(", "));
        }
        self.explanation(message.entry);
    }

    fn explanation(&mut self, entry: &Entry) {
        self.paragraph("means", &entry.means);
        self.paragraph("why", &entry.why);
        for (at, step) in entry.steps.iter().enumerate() {
            self.paragraph(if at == 0 { "try" } else { "" }, &format!("{}. {step}", at + 1));
        }
        if !entry.see.is_empty() {
            self.paragraph("look at", &entry.see.join("; "));
        }
    }

    fn run(&mut self, facts: &Facts) {
        self.gap();
        let mpi = if facts.mpi.is_empty() { String::new() } else { format!(" under {}", facts.mpi) };
        self.paragraph("run", &format!("{}{mpi}", facts.program.join(" ")));
        match &facts.first {
            None => self.paragraph("", "all ranks ended normally"),
            Some(first) => {
                let who = first.rank.map_or_else(|| "a process".to_owned(), |rank| format!("rank {rank}"));
                let place = first.call.as_ref().map_or_else(String::new, |call| {
                    format!(", in {call}{}", first.site.as_ref().map_or_else(String::new, |site| format!(" at {site}")))
                });
                self.paragraph("first", &format!("{who} on {}: {}{place}", first.host, first.how));
            }
        }
        for end in &facts.ends {
            let plural = if end.ranks.len() == 1 { "" } else { "s" };
            self.paragraph("", &format!("rank{plural} {}: {}", rank_list(&end.ranks, MOST_RANGES), end.how));
        }
        if let Some(most) = facts.max_rss_bytes {
            let host = facts
                .host_rss_bytes
                .map_or_else(String::new, |sum| format!(", ranks of one host together {}", bytes(sum)));
            self.paragraph("memory", &format!("largest resident memory of a rank {}{host}", bytes(most)));
        }
    }

    fn rest(&mut self, rest: &[&Message]) {
        if rest.is_empty() {
            return;
        }
        self.gap();
        for message in rest {
            let who = who(message).map_or_else(String::new, |who| format!(" ({who})"));
            let times = if message.count > 1 { format!("{} times, ", count(message.count)) } else { String::new() };
            let text = format!(
                "{}: {}; {times}line {}{who}",
                message.entry.id,
                message.entry.title,
                count(message.first.line)
            );
            self.paragraph(
                if message.entry.role == Role::Follower { "follows" } else { message.entry.role.name() },
                &text,
            );
        }
        self.paragraph("", "all of them in full: --all, or mpiscope explain show ID");
    }

    fn unknown(&mut self, answer: &Answer) {
        if answer.unknown.is_empty() {
            return;
        }
        self.gap();
        self.paragraph("unknown", "lines that look like failures, and are in no message of the catalogue:");
        for line in answer.unknown.iter().take(MOST_UNKNOWN) {
            let times = if line.count > 1 { format!(" ({} times)", count(line.count)) } else { String::new() };
            let rank = line.rank.map_or_else(String::new, |rank| format!(", rank {rank}"));
            self.paragraph("", &format!("line {}{rank}{times}: {}", count(line.first.line), line.text));
        }
        let more = answer.unknown.len().saturating_sub(MOST_UNKNOWN) as u64 + answer.more_unknown;
        if more > 0 {
            self.paragraph("", &format!("{} more", count(more)));
        }
    }
}

/// Which ranks and hosts reported it.
fn who(message: &Message) -> Option<String> {
    let ranks: Vec<i32> = message.ranks.iter().filter_map(|rank| i32::try_from(*rank).ok()).collect();
    let first = message.first_rank.map(|rank| format!("rank {rank}"));
    let host = message.first_host.as_ref().map(|host| format!("on {host}"));
    let first = [first, host].into_iter().flatten().collect::<Vec<_>>().join(" ");
    let more = match (ranks.len(), message.hosts.len()) {
        (2.., _) => Some(format!("in all ranks {}", rank_list(&ranks, MOST_RANGES))),
        (_, hosts @ 2..) => Some(format!("in all {} hosts", count(hosts as u64))),
        _ => None,
    };
    match (first.is_empty(), more) {
        (true, more) => more,
        (false, None) => Some(first),
        (false, Some(more)) => Some(format!("{first} first, {more}")),
    }
}
