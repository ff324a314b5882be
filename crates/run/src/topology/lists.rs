//! Short forms of long lists: `n[00-31]` for hosts, `0-3,8` for numbers.

use super::MOST_LISTED;

/// Maximum total length of the names that a list of hosts expands to: a short pattern can expand to a lot.
const MOST_BYTES: u128 = 64 << 20;
/// Most brackets of a pattern.
const MOST_BRACKETS: usize = 4;

/// Names for `n[00-31]`, `r[1-2]n[0,7-9]`, `login`. Leading zeros are kept.
pub fn hosts(text: &str) -> Result<Vec<String>, String> {
    let Some((head, rest)) = text.split_once('[') else {
        let plain = !text.is_empty() && !text.contains([']', ',']) && !text.contains(char::is_whitespace);
        return if plain { Ok(vec![text.to_owned()]) } else { Err(format!("invalid host name '{text}'")) };
    };
    let unclear = || format!("invalid list of hosts '{text}': write n[00-31] or n[0,7-9]");
    let (inside, tail) = rest.split_once(']').ok_or_else(unclear)?;
    if tail.matches('[').count() >= MOST_BRACKETS {
        return Err(unclear());
    }
    let tails = if tail.is_empty() { vec![String::new()] } else { hosts(tail)? };
    let mut found = Vec::new();
    for item in inside.split(',') {
        let (first, last) = item.split_once('-').unwrap_or((item, item));
        let (from, to) = (number(first).ok_or_else(unclear)?, number(last).ok_or_else(unclear)?);
        let count = to.checked_sub(from).ok_or_else(unclear)?.saturating_add(1);
        let width = first.len();
        let names = u128::from(count) * tails.len() as u128;
        let longest = head.len() + width + tails.iter().map(String::len).max().unwrap_or(0);
        if names + found.len() as u128 > MOST_LISTED as u128 || names * longest as u128 > MOST_BYTES {
            return Err(format!("'{text}' means more than {MOST_LISTED} hosts, or names that are too long"));
        }
        let names = (from..=to).flat_map(|n| tails.iter().map(move |tail| format!("{head}{n:0width$}{tail}")));
        found.extend(names);
    }
    Ok(found)
}

/// Numbers for `0-3,8`.
pub fn numbers(text: &str) -> Result<Vec<u64>, String> {
    let unclear = || format!("invalid list of numbers '{text}': write 0-3,8");
    let mut found = Vec::new();
    for item in text.split(',') {
        let item = item.trim();
        let (first, last) = item.split_once('-').unwrap_or((item, item));
        let (from, to) = (number(first).ok_or_else(unclear)?, number(last).ok_or_else(unclear)?);
        let count = to.checked_sub(from).ok_or_else(unclear)?;
        if count >= (MOST_LISTED - found.len()) as u64 {
            return Err(format!("'{text}' means more than {MOST_LISTED} numbers"));
        }
        found.extend(from..=to);
    }
    Ok(found)
}

/// Only digits; `parse` would accept a sign.
fn number(text: &str) -> Option<u64> {
    // 20 digits hold every number of 64 bits; more zeros in front would only make names long.
    (text.len() <= 20 && text.bytes().all(|byte| byte.is_ascii_digit())).then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_in_short() {
        assert_eq!(hosts("login").unwrap(), ["login"]);
        assert_eq!(hosts("n[08-11]").unwrap(), ["n08", "n09", "n10", "n11"]);
        assert_eq!(hosts("r[1-2]n[0,7].x").unwrap(), ["r1n0.x", "r1n7.x", "r2n0.x", "r2n7.x"]);
        let long = format!("{}[0-999999]", "n".repeat(1000));
        let deep = "[0]".repeat(100_000);
        for text in [&long, &deep, "n[00000000000000000000000001]"] {
            assert!(hosts(text).is_err(), "{}", text.len());
        }
        for text in ["", "a b", "a,b", "n[", "n[]", "n[1", "n[2-1]", "n[a]", "n[0-99999999999]", "n[0-99999]m[0-99999]"]
        {
            assert!(hosts(text).is_err(), "{text}");
        }
    }

    #[test]
    fn numbers_in_short() {
        assert_eq!(numbers("0-2, 8").unwrap(), [0, 1, 2, 8]);
        for text in ["", "a", "2-1", "-1", "1-", "0-99999999999"] {
            assert!(numbers(text).is_err(), "{text}");
        }
    }
}
