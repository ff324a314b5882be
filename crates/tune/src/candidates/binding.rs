//! To what each rank is bound.

use super::{Candidate, Change, Facts, Found, Launching, title};

pub(super) fn find(facts: &Facts, found: &mut Found) {
    let option = match facts.launching() {
        Launching::OpenMpi => "--bind-to",
        Launching::Hydra => "-bind-to",
        Launching::Other => {
            found.leave("binding", "the options of this launcher are not changed");
            return;
        }
    };
    let now = facts.launcher.iter().position(|word| word.trim_start_matches('-') == "bind-to");
    let now = now.and_then(|at| facts.launcher.get(at + 1)).map(String::as_str);
    let mut values = vec!["none"];
    if facts.ranks_per_host <= facts.cores {
        values.push("core");
    } else {
        found.leave(
            format!("{option} core"),
            format!("{} ranks of a host are more than its {} cores", facts.ranks_per_host, facts.cores),
        );
    }
    for value in values.into_iter().filter(|value| now != Some(value)) {
        let changes = vec![Change::Option { option: option.to_owned(), value: value.to_owned() }];
        found.candidates.push(Candidate {
            title: title(&changes),
            subject: "binding".to_owned(),
            changes,
            why: match now {
                Some(now) => format!("{option} {now} is in force"),
                None => "the launcher binds ranks as it likes".to_owned(),
            },
            question: None,
            predicted: None,
            prior: 0.15,
        });
    }
}
