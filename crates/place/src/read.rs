//! An order from a file that a launcher reads, or that `place --write` has written.

/// The node of each rank, from one line for each rank: a host, a host with its number of ranks (`n1:4`), or a line of Open MPI's rankfile
/// (`rank 3=n1 slot=0`). Empty lines and what follows `#` do not count.
///
/// # Errors
///
/// If a line is none of these, a rank is missing, or a host is not one of `names`.
pub fn read(text: &str, names: &[String]) -> Result<Vec<u32>, String> {
    let mut in_order: Vec<u32> = Vec::new();
    let mut by_rank: Vec<Option<u32>> = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or("").trim();
        if line.is_empty() {
            continue;
        }
        let at = number + 1;
        let node = |host: &str| {
            let found = names.iter().position(|name| name == host || short(name) == short(host));
            found.map(|node| node as u32).ok_or_else(|| format!("line {at}: `{host}` is none of the nodes"))
        };
        if let Some((rank, rest)) = line.strip_prefix("rank ").and_then(|rest| rest.split_once('=')) {
            let rank: usize = rank.trim().parse().map_err(|_| format!("line {at}: `{}` is not a rank", rank.trim()))?;
            if rank > MOST_RANKS {
                return Err(format!("line {at}: rank {rank} is above {MOST_RANKS}"));
            }
            let host = rest.split_whitespace().next().unwrap_or("");
            by_rank.resize(by_rank.len().max(rank + 1), None);
            by_rank[rank] = Some(node(host)?);
            continue;
        }
        let host = line.split_whitespace().next().unwrap_or("");
        let (host, count) = match host.rsplit_once(':') {
            Some((host, count)) => {
                let count = count.parse().ok().filter(|count| *count <= MOST_RANKS);
                (host, count.ok_or_else(|| format!("line {at}: expected HOST or HOST:RANKS"))?)
            }
            None => (host, 1),
        };
        let node = node(host)?;
        in_order.extend(std::iter::repeat_n(node, count));
    }
    match (in_order.is_empty(), by_rank.is_empty()) {
        (true, true) => Err("it lists no ranks".to_owned()),
        (false, false) => Err("it has lines with `rank` and lines without".to_owned()),
        (false, true) => Ok(in_order),
        (true, false) => {
            let missing = by_rank.iter().position(Option::is_none);
            missing.map_or_else(
                || Ok(by_rank.into_iter().flatten().collect()),
                |rank| Err(format!("rank {rank} is missing")),
            )
        }
    }
}

/// More ranks than any job has; a larger number is a mistake.
const MOST_RANKS: usize = 1 << 26;

/// One side may have the short host name and the other the full one.
fn short(host: &str) -> &str {
    host.split('.').next().unwrap_or(host)
}
