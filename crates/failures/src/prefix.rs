//! What launchers, loggers and libraries put before a line: its rank, its host, the time.

/// Where a line comes from, as far as its prefixes say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Origin<'a> {
    /// Rank in `MPI_COMM_WORLD`.
    pub rank: Option<u32>,
    /// Host; ASCII.
    pub host: Option<&'a [u8]>,
    /// Process id, which identifies a process where its rank is unknown.
    pub pid: Option<u32>,
}

impl Origin<'_> {
    /// Whether lines of both can belong to one message.
    pub fn agrees(&self, other: &Origin) -> bool {
        let differ = |a: Option<u32>, b: Option<u32>| a.zip(b).is_some_and(|(a, b)| a != b);
        !differ(self.rank, other.rank) && !differ(self.pid, other.pid)
    }

    /// The host as text.
    pub fn host_name(&self) -> Option<String> {
        self.host.map(|host| String::from_utf8_lossy(host).into_owned())
    }
}

/// No line has more of them.
const MOST_PREFIXES: usize = 6;

/// Takes all prefixes off a line without escape sequences. Reads bytes and allocates nothing, as it sees every line of a failure.
pub fn strip(line: &[u8]) -> (Origin<'_>, &[u8]) {
    let mut origin = Origin::default();
    let mut rest = line;
    for _ in 0..MOST_PREFIXES {
        let next = match rest.first() {
            Some(b'[') => bracket(rest, &mut origin),
            Some(byte) if byte.is_ascii_alphanumeric() || byte.is_ascii_whitespace() => {
                label(rest, &mut origin).or_else(|| time(rest))
            }
            _ => None,
        };
        match next {
            Some(next) => rest = next.trim_ascii_start(),
            None => break,
        }
    }
    (origin, rest)
}

/// `[1,3]<stderr>:`, `[1,rank=3]<stdout>:`, `[3]`, `[host:1234]`, `[host:1234:0:1234]`, `[host]`, `[1669.123]`.
fn bracket<'a>(line: &'a [u8], origin: &mut Origin<'a>) -> Option<&'a [u8]> {
    let inside = line.strip_prefix(b"[")?;
    let end = memchr::memchr(b']', &inside[..inside.len().min(120)])?;
    let (inside, mut rest) = (&inside[..end], &inside[end + 1..]);
    let is_tag = memchr::memmem::find(inside, b"rank=").is_some();
    if inside.is_empty()
        || inside.contains(&b'@')
        || memchr::memchr3(b'=', b' ', b'(', inside).is_some() && !is_tag && !is_time(inside)
    {
        return None;
    }
    if let Some(comma) = memchr::memchr(b',', inside) {
        let is_stream = [&b"<stderr>"[..], b"<stdout>", b"<stddiag>"].iter().find_map(|s| rest.strip_prefix(*s));
        let after = is_stream?;
        rest = after.strip_prefix(b":").unwrap_or(after);
        let rank = &inside[comma + 1..];
        origin.rank = number(rank.strip_prefix(b"rank=").unwrap_or(rank));
        return Some(rest);
    }
    if let Some(rank) = number(inside) {
        origin.rank = origin.rank.or(Some(rank));
    } else if let Some(colon) = memchr::memchr(b':', inside) {
        let (host, pid) = (&inside[..colon], &inside[colon + 1..]);
        if let Some(pid) = number(&pid[..memchr::memchr(b':', pid).unwrap_or(pid.len())]) {
            if is_host(host) {
                origin.host = origin.host.or(Some(host));
                origin.pid = origin.pid.or(Some(pid));
            }
        } else if !is_time(inside) {
            return None;
        }
    } else if is_host(inside)
        && rest.first() == Some(&b' ')
        && inside.iter().any(u8::is_ascii_digit)
        && !is_time(inside)
    {
        origin.host = origin.host.or(Some(inside));
    } else if !is_time(inside) {
        return None;
    }
    Some(rest.strip_prefix(b":").unwrap_or(rest))
}

/// `3: ` of srun, `node7: ` of pdsh, `rank 3: `.
fn label<'a>(line: &'a [u8], origin: &mut Origin<'a>) -> Option<&'a [u8]> {
    let end = memchr::memchr(b':', &line[..line.len().min(64)])?;
    let (word, rest) = (line[..end].trim_ascii_start(), &line[end + 1..]);
    if rest.first() != Some(&b' ') {
        return None;
    }
    let rank = word.strip_prefix(b"rank ").or_else(|| word.strip_prefix(b"Rank ")).unwrap_or(word);
    if let Some(rank) = number(rank) {
        origin.rank = origin.rank.or(Some(rank));
        return Some(rest);
    }
    // Only names with a number: `error: ` and `mpirun: ` are part of the message.
    let is_node = word.first().is_some_and(u8::is_ascii_lowercase)
        && word.last().is_some_and(u8::is_ascii_digit)
        && is_host(word)
        && !word.contains(&b'.');
    is_node.then(|| {
        origin.host = origin.host.or(Some(word));
        rest
    })
}

/// `2024-05-01T10:00:00.123+02:00 `, `10:00:00.123 `, `2024-05-01 `.
fn time(line: &[u8]) -> Option<&[u8]> {
    if !line.first().is_some_and(u8::is_ascii_digit) {
        return None;
    }
    let end = memchr::memchr(b' ', &line[..line.len().min(40)])?;
    is_time(&line[..end]).then(|| &line[end + 1..])
}

fn is_time(word: &[u8]) -> bool {
    let belongs = |byte: &u8| {
        byte.is_ascii_digit() || matches!(byte, b':' | b'-' | b'.' | b',' | b'T' | b'Z' | b'+' | b' ' | b'/')
    };
    word.first().is_some_and(u8::is_ascii_digit)
        && word.iter().all(belongs)
        && memchr::memchr3(b':', b'-', b'.', word).is_some()
        && word.iter().filter(|byte| byte.is_ascii_digit()).count() >= 4
}

/// Digits as a number.
pub fn number(text: &[u8]) -> Option<u32> {
    let digit = |number: u32, byte: &u8| byte.is_ascii_digit().then(|| number * 10 + u32::from(byte - b'0'));
    if text.is_empty() || text.len() >= 10 { None } else { text.iter().try_fold(0, digit) }
}

fn is_host(text: &[u8]) -> bool {
    text.len() <= 64
        && text.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.'))
        && text.iter().any(u8::is_ascii_alphabetic)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &str) -> (Option<u32>, Option<String>, String) {
        let (origin, rest) = strip(line.as_bytes());
        (origin.rank, origin.host_name(), String::from_utf8_lossy(rest).into_owned())
    }

    #[test]
    fn the_forms_of_launchers_are_known() {
        let text = |rank: Option<u32>, host: Option<&str>, rest: &str| (rank, host.map(str::to_owned), rest.to_owned());
        assert_eq!(of("[1,3]<stderr>:[vm7:123] *** x"), text(Some(3), Some("vm7"), "*** x"));
        assert_eq!(of("[1,rank=12]<stdout>: x"), text(Some(12), None, "x"));
        assert_eq!(of("17: slurmstepd: error: x"), text(Some(17), None, "slurmstepd: error: x"));
        assert_eq!(of("[3] Abort(1)"), text(Some(3), None, "Abort(1)"));
        assert_eq!(of("node42: 3: x"), text(Some(3), Some("node42"), "x"));
        assert_eq!(
            of("[1669450000.123456] [n1:77:0]  a.c:12 UCX  ERROR x"),
            text(None, Some("n1"), "a.c:12 UCX  ERROR x")
        );
        assert_eq!(of("2024-05-01T10:00:00.123+02:00 [host:1] x"), text(None, Some("host"), "x"));
    }

    #[test]
    fn what_belongs_to_a_message_stays() {
        for line in [
            "error: x",
            "mpirun: x",
            "./a.out: error",
            "[mpi::common-tofu::tofu-stag-error] Failed",
            "[proxy:0:0@vm] HYDU_x (a.c:1): y",
            "[ERR.] PLE 0019",
            "a.c:12: error: x",
            "[mpiexec@vm] x",
        ] {
            assert_eq!(of(line).2, line);
        }
    }
}
