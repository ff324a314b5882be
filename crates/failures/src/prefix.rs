//! What launchers, loggers and libraries put before a line: its rank, its host, the time.

/// Where a line comes from, as far as its prefixes say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// Rank in `MPI_COMM_WORLD`.
    pub rank: Option<u32>,
    /// Host.
    pub host: Option<String>,
    /// Process id, which identifies a process where its rank is unknown.
    pub pid: Option<u32>,
}

impl Origin {
    /// Whether lines of both can belong to one message.
    pub fn agrees(&self, other: &Origin) -> bool {
        let differ = |a: Option<u32>, b: Option<u32>| a.zip(b).is_some_and(|(a, b)| a != b);
        !differ(self.rank, other.rank) && !differ(self.pid, other.pid)
    }
}

/// No line has more of them.
const MOST_PREFIXES: usize = 6;

/// Takes all prefixes off a line without escape sequences.
pub fn strip(line: &[u8]) -> (Origin, &[u8]) {
    let mut origin = Origin::default();
    let mut rest = line;
    for _ in 0..MOST_PREFIXES {
        let next = bracket(rest, &mut origin).or_else(|| label(rest, &mut origin)).or_else(|| time(rest));
        match next {
            Some(next) => rest = next.trim_ascii_start(),
            None => break,
        }
    }
    (origin, rest)
}

/// `[1,3]<stderr>:`, `[1,rank=3]<stdout>:`, `[3]`, `[host:1234]`, `[host:1234:0:1234]`, `[host]`, `[1669.123]`.
fn bracket<'a>(line: &'a [u8], origin: &mut Origin) -> Option<&'a [u8]> {
    let inside = line.strip_prefix(b"[")?;
    let end = inside.iter().take(120).position(|byte| *byte == b']')?;
    let (inside, mut rest) = (std::str::from_utf8(&inside[..end]).ok()?, &inside[end + 1..]);
    if inside.is_empty()
        || inside.contains('@')
        || inside.contains(['=', ' ', '(']) && !inside.contains("rank=") && !is_time(inside)
    {
        return None;
    }
    if let Some((_, rank)) = inside.split_once(',') {
        let is_stream = [&b"<stderr>"[..], b"<stdout>", b"<stddiag>"].iter().find_map(|s| rest.strip_prefix(*s));
        if let Some(after) = is_stream {
            rest = after.strip_prefix(b":").unwrap_or(after);
            origin.rank = number(rank.trim_start_matches("rank="));
            return Some(rest);
        }
        return None;
    }
    if let Some(rank) = number(inside) {
        origin.rank = origin.rank.or(Some(rank));
    } else if let Some((host, pid)) = inside.split_once(':') {
        if let Some(pid) = number(pid.split(':').next().unwrap_or(pid)) {
            if is_host(host) {
                origin.host = origin.host.take().or_else(|| Some(host.to_owned()));
                origin.pid = origin.pid.or(Some(pid));
            }
        } else if !is_time(inside) {
            return None;
        }
    } else if is_host(inside)
        && rest.first() == Some(&b' ')
        && inside.contains(|c: char| c.is_ascii_digit())
        && !is_time(inside)
    {
        origin.host = origin.host.take().or_else(|| Some(inside.to_owned()));
    } else if !is_time(inside) {
        return None;
    }
    Some(rest.strip_prefix(b":").unwrap_or(rest))
}

/// `3: ` of srun, `node7: ` of pdsh, `rank 3: `.
fn label<'a>(line: &'a [u8], origin: &mut Origin) -> Option<&'a [u8]> {
    let end = line.iter().take(64).position(|byte| *byte == b':')?;
    let (word, rest) = (std::str::from_utf8(&line[..end]).ok()?.trim_start(), &line[end + 1..]);
    if rest.first() != Some(&b' ') {
        return None;
    }
    let rank = word.strip_prefix("rank ").or_else(|| word.strip_prefix("Rank ")).unwrap_or(word);
    if let Some(rank) = number(rank) {
        origin.rank = origin.rank.or(Some(rank));
        return Some(rest);
    }
    // Only names with a number: `error: ` and `mpirun: ` are part of the message.
    let is_node = is_host(word)
        && word.ends_with(|c: char| c.is_ascii_digit())
        && word.starts_with(|c: char| c.is_ascii_lowercase());
    (is_node && !word.contains('.')).then(|| {
        origin.host = origin.host.take().or_else(|| Some(word.to_owned()));
        rest
    })
}

/// `2024-05-01T10:00:00.123+02:00 `, `10:00:00.123 `, `2024-05-01 `.
fn time(line: &[u8]) -> Option<&[u8]> {
    let end = line.iter().take(40).position(|byte| *byte == b' ')?;
    let word = std::str::from_utf8(&line[..end]).ok()?;
    is_time(word).then(|| &line[end + 1..])
}

fn is_time(word: &str) -> bool {
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    digits >= 4
        && word.starts_with(|c: char| c.is_ascii_digit())
        && word.contains([':', '-', '.'])
        && word.bytes().all(|byte| {
            byte.is_ascii_digit() || matches!(byte, b':' | b'-' | b'.' | b',' | b'T' | b'Z' | b'+' | b' ' | b'/')
        })
}

fn number(text: &str) -> Option<u32> {
    (!text.is_empty() && text.len() < 10 && text.bytes().all(|byte| byte.is_ascii_digit()))
        .then(|| text.parse().ok())?
}

fn is_host(text: &str) -> bool {
    !text.is_empty()
        && text.len() <= 64
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.'))
        && text.bytes().any(|byte| byte.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &str) -> (Option<u32>, Option<String>, String) {
        let (origin, rest) = strip(line.as_bytes());
        (origin.rank, origin.host, String::from_utf8_lossy(rest).into_owned())
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
