//! What processes are called in texts.
//!
//! Texts are made with the judge's numbers of processes ("rank 3", "ranks 0, 1 and 5–7"). Those of the first world are its
//! ranks. Others count from 0 in their own world, so in a finding their numbers become that: "rank 1 of spawned world 2".

use rustc_hash::FxHashMap;

use crate::Introduction;

/// Processes of other worlds.
#[derive(Default)]
pub(crate) struct Names {
    names: FxHashMap<u32, (i32, String)>,
}

impl Names {
    pub fn add(&mut self, process: u32, who: Introduction) {
        let spawned = if who.is_spawned { "spawned " } else { "" };
        self.names.insert(process, (who.rank, format!("{spawned}world {}", who.world)));
    }

    /// A text with the names of these.
    pub fn put_into(&self, text: &mut String) {
        if self.names.is_empty() {
            return;
        }
        let (mut out, mut left) = (String::with_capacity(text.len()), text.as_str());
        while let Some(at) = left.find("ank") {
            let (before, after) = left.split_at(at + 3);
            out += before;
            let start = before.strip_suffix("rank").or_else(|| before.strip_suffix("Rank"));
            let is_word = start.is_some_and(|start| !start.ends_with(char::is_alphabetic));
            let list = after.strip_prefix("s ").or_else(|| after.strip_prefix(' ')).filter(|_| is_word);
            left = match list {
                Some(list) => {
                    out += &after[..after.len() - list.len()];
                    self.list(list, &mut out)
                }
                None => after,
            };
        }
        out += left;
        *text = out;
    }

    /// Takes the numbers at the beginning; what follows them.
    fn list<'a>(&self, mut left: &'a str, out: &mut String) -> &'a str {
        loop {
            let Some((first, rest)) = number(left) else { return left };
            let range = rest.strip_prefix('–').and_then(number);
            let (last, rest) = range.unwrap_or((first, rest));
            match (self.names.get(&first), self.names.get(&last)) {
                (Some((rank, world)), _) if first == last => *out += &format!("{rank} of {world}"),
                (Some((rank, world)), Some((to, _))) => *out += &format!("{rank}–{to} of {world}"),
                _ => *out += &left[..left.len() - rest.len()],
            }
            left = rest;
            let next = [", ", " and "].iter().find(|by| left.strip_prefix(**by).and_then(number).is_some());
            let Some(by) = next else { return left };
            *out += by;
            left = &left[by.len()..];
        }
    }
}

fn number(text: &str) -> Option<(u32, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    Some((text[..end].parse().ok()?, &text[end..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processes_of_other_worlds_have_their_ranks() {
        let mut names = Names::default();
        for rank in 0..4 {
            let who = Introduction {
                world: 2,
                rank,
                size: 4,
                is_spawned: rank < 3,
                ticks_per_s: 1,
                zero_ticks: 0,
                zero_ns: 0,
                multiple: false,
            };
            names.add(1024 + rank as u32, who);
        }
        let said = |text: &str| {
            let mut text = text.to_owned();
            names.put_into(&mut text);
            text
        };
        assert_eq!(said("Rank 1025 waits for rank 0."), "Rank 1 of spawned world 2 waits for rank 0.");
        assert_eq!(said("rank 1024's MPI_Recv"), "rank 0 of spawned world 2's MPI_Recv");
        assert_eq!(
            said("Deadlock of ranks 0, 1 and 1024–1026 with tag 1024"),
            "Deadlock of ranks 0, 1 and 0–2 of spawned world 2 with tag 1024"
        );
        assert_eq!(said("ranks 1024 and 1027 and 7 more"), "ranks 0 of spawned world 2 and 3 of world 2 and 7 more");
        assert_eq!(said("any rank, ranks, Frank 1024"), "any rank, ranks, Frank 1024");
    }
}
