//! Thresholds, and how shares and ranks are written.

pub(crate) use crate::explanation::{share, share_of};

/// `0, 3–7, 9`; the first few stretches only.
pub(crate) fn ranks(list: &[i32]) -> String {
    let mut sorted = list.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    let mut runs: Vec<(i32, i32)> = Vec::new();
    for &rank in &sorted {
        match runs.last_mut() {
            Some(run) if run.1 + 1 == rank => run.1 = rank,
            _ => runs.push((rank, rank)),
        }
    }
    let text = |&(a, b): &(i32, i32)| match b - a {
        0 => a.to_string(),
        1 => format!("{a}, {b}"),
        _ => format!("{a}–{b}"),
    };
    let mut parts: Vec<String> = runs.iter().take(8).map(text).collect();
    if runs.len() > 8 {
        parts.push(format!("… ({} in total)", sorted.len()));
    }
    parts.join(", ")
}

/// `rank 3`, `ranks 3–5`.
pub(crate) fn ranks_named(list: &[i32]) -> String {
    if let [one] = list { format!("rank {one}") } else { format!("ranks {}", ranks(list)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words() {
        assert_eq!(ranks(&[4, 0, 1, 2, 7, 8]), "0–2, 4, 7, 8");
        assert_eq!(ranks_named(&[3]), "rank 3");
    }
}
