//! MPICH's selection trees: nested conditions, of which the first that holds is followed.
//!
//! The text has one condition per line, indented by its depth; after ` -> ` comes what is selected. Once a condition holds, those after
//! it are not looked at, even if nothing below it fits: then nothing is selected.

/// A condition.
#[derive(Debug)]
pub(super) struct Node {
    pub test: String,
    /// What is selected.
    pub leaf: Option<String>,
    pub below: Vec<Node>,
}

/// What a tree is asked.
#[derive(Debug, Clone, Default)]
pub(super) struct Question {
    pub ranks: u64,
    /// Whether the library knows hosts and members of hosts of this communicator.
    pub is_parent: bool,
    pub is_one_host: bool,
    pub ranks_per_host: u64,
    pub average_bytes: u64,
    pub total_bytes: u64,
    pub count: u64,
    pub commutes: bool,
    pub is_built_in: bool,
    pub is_in_place: bool,
    pub is_consecutive: bool,
    pub is_threaded: bool,
}

/// Nodes of a text.
pub(super) fn parse(text: &str) -> Vec<Node> {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty()).peekable();
    level(&mut lines, 0)
}

fn depth(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

fn level<'a>(lines: &mut std::iter::Peekable<impl Iterator<Item = &'a str>>, at: usize) -> Vec<Node> {
    let mut nodes = Vec::new();
    while let Some(line) = lines.next_if(|line| depth(line) == at) {
        let (test, leaf) =
            line.trim().split_once(" -> ").map_or((line.trim(), None), |(test, leaf)| (test, Some(leaf)));
        let below = match lines.peek().map(|next| depth(next)) {
            Some(next) if next > at => level(lines, next),
            _ => Vec::new(),
        };
        nodes.push(Node { test: test.to_owned(), leaf: leaf.map(Into::into), below });
    }
    nodes
}

/// What is selected. `Err` with the condition that is not known here.
pub(super) fn select<'a>(nodes: &'a [Node], question: &Question) -> Result<Option<&'a str>, &'a str> {
    for node in nodes {
        if holds(&node.test, question).ok_or(node.test.as_str())? {
            return match &node.leaf {
                Some(leaf) => Ok(Some(leaf)),
                None => select(&node.below, question),
            };
        }
    }
    Ok(None)
}

/// Sizes and numbers of ranks in the conditions at and below some nodes: the first value for which a condition has the other outcome.
pub(super) fn boundaries(nodes: &[Node], ranks: u64, bytes: &mut Vec<u64>, sizes: &mut Vec<u64>) {
    for node in nodes {
        let limit = |name: &str| {
            let rest = node.test.strip_prefix(name)?;
            let (number, more) = rest.strip_prefix("<=").map_or((rest.strip_prefix('<')?, 0), |number| (number, 1));
            Some(number.parse::<u64>().ok()? + more)
        };
        bytes.extend(limit("avg_msg_size"));
        bytes.extend(limit("total_msg_size").map(|total| total.div_ceil(ranks.max(1))));
        sizes.extend(limit("comm_size"));
        boundaries(&node.below, ranks, bytes, sizes);
    }
}

/// `None` if the condition is not known.
fn holds(test: &str, question: &Question) -> Option<bool> {
    if test == "any" || test.ends_with("=any") {
        return Some(true);
    }
    let split = test.find(['<', '='])?;
    let (name, rest) = test.split_at(split);
    let yes = |fact: bool| match rest {
        "=yes" => Some(fact),
        "=no" => Some(!fact),
        _ => None,
    };
    let below = |value: u64| match rest.strip_prefix("<=") {
        Some(limit) => Some(value <= limit.parse().ok()?),
        None => Some(value < rest.strip_prefix('<')?.parse().ok()?),
    };
    match (name, rest) {
        ("comm_type", _) => Some(rest == "=intra"),
        ("comm_size", "=pow2") => Some(question.ranks.is_power_of_two()),
        ("comm_size", "=node_comm_size") => Some(question.is_one_host),
        ("comm_size", _) => below(question.ranks),
        ("comm_hierarchy", _) => Some((rest == "=parent") == question.is_parent),
        ("comm_avg_ppn", _) => below(question.ranks_per_host),
        ("avg_msg_size", _) => below(question.average_bytes),
        ("total_msg_size", _) => below(question.total_bytes),
        ("count", "<pow2") => Some(question.count < 1 << question.ranks.max(1).ilog2()),
        ("count", _) => below(question.count),
        ("is_commutative", _) => yes(question.commutes),
        ("is_op_built_in", _) => yes(question.is_built_in),
        ("is_sendbuf_inplace", _) => yes(question.is_in_place),
        // Blocks of MPI_Reduce_scatter: their sizes are not recorded one by one.
        ("is_block_regular", _) => yes(true),
        ("is_node_consecutive", _) => yes(question.is_consecutive),
        ("is_multi_threaded", _) => yes(question.is_threaded),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
comm_size<8
  avg_msg_size<=100 -> short
  avg_msg_size=any
    is_commutative=yes -> long
comm_size=pow2 -> even
";

    #[test]
    fn the_first_condition_that_holds_is_followed() {
        let nodes = parse(TEXT);
        let ask = |ranks, average_bytes, commutes| {
            select(&nodes, &Question { ranks, average_bytes, commutes, ..Question::default() })
        };
        assert_eq!(ask(7, 100, false), Ok(Some("short")));
        assert_eq!(ask(7, 101, true), Ok(Some("long")));
        // Nothing fits below, and the next condition is not looked at.
        assert_eq!(ask(4, 101, false), Ok(None));
        assert_eq!(ask(8, 0, false), Ok(Some("even")));
        assert_eq!(ask(9, 0, false), Ok(None));
    }

    #[test]
    fn unknown_conditions_are_reported() {
        let nodes = parse("moon=full -> a\n");
        assert_eq!(select(&nodes, &Question::default()), Err("moon=full"));
    }

    #[test]
    fn boundaries_are_the_first_values_after_a_change() {
        let (mut bytes, mut ranks) = (Vec::new(), Vec::new());
        boundaries(&parse(TEXT), 4, &mut bytes, &mut ranks);
        boundaries(&parse("total_msg_size<81920 -> a\n"), 3, &mut bytes, &mut ranks);
        assert_eq!((bytes, ranks), (vec![101, 27307], vec![8]));
    }
}
