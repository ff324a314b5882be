//! Access to files through MPI: which library does it, how many ranks access the file, and hints for all files.

use super::{Candidate, Change, Facts, Found, percent, set, title};
use crate::Family;

/// A smaller share of the time is not worth experiments.
const LEAST: f64 = 0.02;

/// Hints that are tried: name, contents of the file that ROMIO reads, meaning.
const HINTS: [(&str, &str, &str); 4] = [
    ("collective", "romio_cb_read enable\nromio_cb_write enable\n", "a few ranks access the file for all"),
    ("independent", "romio_cb_read disable\nromio_cb_write disable\n", "each rank accesses the file"),
    ("no-sieving", "romio_ds_read disable\nromio_ds_write disable\n", "gaps are not read or written"),
    (
        "large-buffers",
        "cb_buffer_size 67108864\nind_rd_buffer_size 67108864\nind_wr_buffer_size 16777216\n",
        "larger buffers",
    ),
];

/// Files of hints, by name: whoever makes experiments writes them into [`Facts::hints_directory`].
pub fn hint_files() -> impl Iterator<Item = (&'static str, &'static str)> {
    HINTS.iter().map(|(name, text, _)| (*name, *text))
}

/// Whether candidates for files may be found.
pub fn accesses_files(facts: &Facts) -> bool {
    share(facts) >= LEAST
}

fn share(facts: &Facts) -> f64 {
    facts.share(|name| name.starts_with("MPI_File_"))
}

pub(super) fn find(facts: &Facts, found: &mut Found) {
    if !accesses_files(facts) {
        found.leave("access to files", format!("it takes only {} of the ranks' time", percent(share(facts))));
        return;
    }
    let why = format!("access to files takes {} of the ranks' time", percent(share(facts)));
    let mut push = |changes: Vec<Change>, subject: &str, title: String, why: String| {
        found.candidates.push(Candidate {
            title,
            subject: subject.to_owned(),
            changes,
            why,
            question: None,
            predicted: None,
            prior: 0.05 + share(facts) / 4.0,
        });
    };
    match facts.family() {
        Some(Family::OpenMpi) => {
            let name = "io_ompio_num_aggregators";
            let entry = facts.variable(Family::OpenMpi, &[name]);
            // One for all, one for each host, all.
            let mut numbers = vec![1, facts.hosts.max(1), facts.ranks];
            numbers.dedup();
            for number in numbers {
                let Some(entry) = entry.filter(|entry| facts.value_of(entry) != Some(&number.to_string())) else {
                    continue;
                };
                let changes = vec![set(entry, number)];
                push(changes.clone(), name, title(&changes), why.clone());
            }
            let other = Change::Set { variable: "OMPI_MCA_io".into(), value: "^ompio".into() };
            push(vec![other.clone()], "io", format!("{} (ROMIO)", title(&[other])), why);
        }
        Some(Family::Mpich | Family::Intel | Family::CrayMpich | Family::Mvapich) => {
            let Some(directory) = &facts.hints_directory else {
                found.leave("hints for files", "there is no place for files of hints");
                return;
            };
            for (name, _, meaning) in HINTS {
                let value = format!("{directory}/{name}");
                let changes = vec![Change::Set { variable: "ROMIO_HINTS".into(), value }];
                push(changes.clone(), "hints", title(&changes), format!("{why}; {meaning}"));
            }
        }
        _ => found.leave("access to files", "the tables have no variable of this MPI for it"),
    }
}
