//! Rules of the findings of this folder.

use crate::rules::Rule;

/// Rules of this part.
pub const RULES: &[Rule] = &[
    Rule {
        id: "outlier",
        what: "A single computation or call that took much longer than its like on the same rank.",
        formula: "Like: computations between the same two calls, calls of the same function, site and communicator. \
                  Longer: by more than 8 median deviations and twice the median, both estimated while reading (frugal \
                  streaming, Ma et al. 2013). Cost: the excess, and the excess of calls of other ranks that overlap it \
                  by more than half.",
        threshold: "0.2 % of the rank time, waits of others included, and 4 ms longer; 5 % if nobody waits for it, or if \
                    it is a call that no computation and no wait explains. What recurs in more than 3 + 1/200 of cases \
                    is no outlier, nor one of more than 5 events of which each costs half as much or more. At most 5 \
                    events, 2 of them such calls.",
        doubt: "Calls that were long for another reason at the same moment count as its victims. Look at the proof.",
    },
    Rule {
        id: "warm_up",
        what: "Iterations at the beginning that took longer than the others, or that the program sets apart.",
        formula: "Sum over the leading iterations of length − median length, times ranks. Leading: longer than the \
                  median by 6 median absolute deviations and a quarter; or followed by a collective operation that the \
                  program does once. Computing before the first call of the loop counts if a collective operation comes \
                  before it (a barrier, where no turn is set apart), and it is longer than usual by 6 turns and 20 ms, alike on all ranks. What ranks come later to the first \
                  iteration than they usually are apart is left out.",
        threshold: "5 % of the rank time (10 % if the program sets them apart), 10 ms on the median rank, and twice what \
                    later iterations are longer in one of 20 cases.",
        doubt: "The first iterations may have more to do. Compare their calls with those of a later iteration.",
    },
    Rule {
        id: "noise",
        what: "Many small delays of computations that take the same time otherwise.",
        formula: "Of computations between the same two calls whose median deviation is below a tenth of the median: sum \
                  of what exceeds the median by more than 8 deviations (Petrini, Kerbyson, Pakin, SC 2003: noise as what \
                  is added to a fixed work quantum).",
        threshold: "1 % of the rank time and 1 ms; 32 delays.",
        doubt: "Work that really varies now and then looks the same. Run with fewer ranks than cores: noise becomes less.",
    },
    Rule {
        id: "idle_ranks",
        what: "Ranks that exchange no messages where others do, or compute nothing.",
        formula: "No messages (or, where nobody has any, less than a fiftieth of the median rank's computation) and \
                  computation in less than a tenth of the time. Cost: their time in MPI and after their end.",
        threshold: "1 % of the rank time and 1 ms; not more than half of the ranks.",
        doubt: "A rank that only reads and writes files for others has a purpose.",
    },
    Rule {
        id: "master_bottleneck",
        what: "One rank for which nearly all others wait in turn.",
        formula: "Waits for messages (late_sender, wrong_order…, late_receiver, wait_for_progress) by the rank that \
                  causes them: one has half of them, from three quarters of the other ranks, and takes messages of \
                  as many. Cost: these waits.",
        threshold: "5 % of the rank time and 1 ms; 3 ranks.",
        doubt: "It may only hand on the delay of others: look at serialisation_chain.",
    },
    Rule {
        id: "pipeline_fill",
        what: "Work goes through the ranks one after the other; each waits until the one before has computed its piece.",
        formula: "Chains as in serialisation_chain that wait for data for more than half of their cost. Fill time: from \
                  the moment the first rank of a chain waits until its last rank goes on. Saving: replay with pieces a \
                  quarter as long.",
        threshold: "1 % of the rank time and 1 ms; 3 chains.",
        doubt: "The replay counts no further latency for the smaller messages: with pieces of some µs less is saved.",
    },
    Rule {
        id: "serialisation_chain",
        what: "A chain of blocking sends, each waiting for a rank that was waiting itself.",
        formula: "A wait for a sender or receiver that waited during it continues the chain of that rank. Cost: the overlap of both \
                  waits, for chains of 4 ranks and more (indirect waiting; Böhme et al., ICPP 2010, call it propagated \
                  delay).",
        threshold: "1 % of the rank time and 1 ms; 3 chains.",
        doubt: "Its cost is part of that of late_sender and late_receiver: it says why these waits are there. A sweep needs the order.",
    },
    Rule {
        id: "placement",
        what: "Ranks that exchange much are on different nodes.",
        formula: "Bytes of messages between nodes as placed, and as placed best of: exchanging pairs (Kernighan and Lin \
                  1970), growing groups from the strongest ties, blocks of the process grid. Cost: time of messages \
                  between nodes after both sides were there, times the share of bytes that would be saved.",
        threshold: "A tenth of the bytes between nodes, 1 % of the rank time and 1 ms.",
        doubt: "Bytes of collective operations are not part of it, nor who shares a switch.",
    },
];
