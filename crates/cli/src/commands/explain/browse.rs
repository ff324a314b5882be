//! `mpiscope explain list` and `show`: the catalogue itself.

use anyhow::Context;
use mpiscope_failures::{Entry, catalogue};

use super::text;
use crate::commands::report::style::Style;
use crate::failure::Failure;
use crate::say;

/// List the messages of the catalogue
#[derive(clap::Args)]
pub struct ListArgs {
    /// Only messages with all of these words, in their id, title, text or explanation
    #[arg(value_name = "WORD")]
    words: Vec<String>,

    /// Print the messages as a JSON array
    #[arg(long)]
    json: bool,
}

/// Print messages of the catalogue with their explanation
#[derive(clap::Args)]
pub struct ShowArgs {
    /// Ids, as in the list; openmpi shows all of Open MPI
    #[arg(value_name = "ID", required = true)]
    ids: Vec<String>,
}

pub fn list(args: &ListArgs) -> Result<i32, Failure> {
    let wanted: Vec<String> = args.words.iter().map(|word| word.to_lowercase()).collect();
    let entries: Vec<&Entry> =
        catalogue().entries().iter().filter(|entry| wanted.iter().all(|word| contains(entry, word))).collect();
    let text = match args.json {
        true => serde_json::to_string_pretty(&entries).context("cannot write JSON")? + "\n",
        false => table(&entries),
    };
    say::result(&text).context("cannot write the list")?;
    Ok(0)
}

fn contains(entry: &Entry, word: &str) -> bool {
    let texts = [&entry.id, &entry.title, &entry.means, &entry.why];
    let more = entry.patterns.iter().chain(&entry.steps);
    texts.into_iter().chain(more).any(|text| text.to_lowercase().contains(word))
}

fn table(entries: &[&Entry]) -> String {
    entries.iter().map(|entry| format!("{:<28} {:<9} {}\n", entry.id, entry.role.name(), entry.title)).collect()
}

pub fn show(args: &ShowArgs) -> Result<i32, Failure> {
    let style = Style::new(80, |key| std::env::var(key).ok());
    let mut pages = Vec::new();
    for id in &args.ids {
        let found: Vec<&Entry> =
            catalogue().entries().iter().filter(|entry| entry.id == *id || entry.source() == id).collect();
        if found.is_empty() {
            return Err(anyhow::anyhow!("no message has the id {id}; type: mpiscope explain list").into());
        }
        pages.extend(found.into_iter().map(|entry| text::entry(entry, style)));
    }
    say::result(&pages.join("\n")).context("cannot write the messages")?;
    Ok(0)
}
