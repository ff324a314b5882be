//! The rules about the structure of a run.

use crate::rules::Rule;

/// Rules of this part.
pub const RULES: &[Rule] = &[
    Rule {
        id: "outlier",
        what: "A single computation or call that took much longer than comparable ones on the same rank.",
        formula: "Comparable: computations between the same two calls; calls of the same function, site and communicator. \
                  Much longer: by more than 8 median deviations and more than twice the median, both estimated while reading \
                  (frugal streaming, Ma et al. 2013). Cost: the excess, and the excess of calls of other ranks that overlap it \
                  by more than half.",
        threshold: "0.2 % of the rank time, including waits of other ranks, and 4 ms longer; 5 % if no rank waits for it, or if \
                    it is a call that no computation and no wait explains. Events that recur in more than 3 + 1/200 of all cases \
                    are not outliers, nor is one of more than 5 events that each cost at least half as much. At most 5 \
                    events are reported, at most 2 of them such calls.",
        doubt: "Calls that were long for another reason at the same time are counted as affected. Check the proof.",
    },
    Rule {
        id: "warm_up",
        what: "Iterations at the beginning that took longer than the others, or that the program separates from them.",
        formula: "Sum over the leading iterations of length − median length, times ranks. Leading: longer than the \
                  median by 6 median absolute deviations and a quarter; or followed by a collective operation that the \
                  program calls once. Computing before the first call of the loop counts if a collective operation comes \
                  before it (a barrier, if no iteration is separated), and if it is longer than usual by 6 iterations and 20 ms, \
                  equally on all ranks. Differences between ranks in reaching the first iteration do not count beyond their \
                  usual differences.",
        threshold: "5 % of the rank time (10 % if the program separates these iterations), 10 ms on the median rank, and twice \
                    the excess that one in 20 later iterations has.",
        doubt: "The first iterations may have more work to do. Compare their calls with those of a later iteration.",
    },
    Rule {
        id: "noise",
        what: "Many small delays of computations that otherwise take the same time.",
        formula: "For computations between the same two calls whose median deviation is below a tenth of the median: sum \
                  of the excess over the median where it is more than 8 deviations (Petrini, Kerbyson, Pakin, SC 2003: noise \
                  is the time added to a fixed work quantum).",
        threshold: "1 % of the rank time and 1 ms; 32 delays.",
        doubt: "Work that does vary from time to time looks the same. To check, run with fewer ranks than cores: noise decreases.",
    },
    Rule {
        id: "idle_ranks",
        what: "Ranks that exchange no messages while others do, or that compute nothing.",
        formula: "No messages (or, if no rank sends any, less than a fiftieth of the median rank's computation) and \
                  computation in less than a tenth of the time. Cost: their time in MPI and after their end.",
        threshold: "1 % of the rank time and 1 ms; at most half of the ranks.",
        doubt: "A rank may be there only to read and write files for the others.",
    },
    Rule {
        id: "master_bottleneck",
        what: "One rank for which nearly all other ranks wait in turn.",
        formula: "Waits for messages (late_sender, wrong_order…, late_receiver, wait_for_progress) by the rank that \
                  causes them: one rank causes half of them, on three quarters of the other ranks, and receives messages from \
                  as many. Cost: these waits.",
        threshold: "5 % of the rank time and 1 ms; 3 ranks.",
        doubt: "The rank may only pass on delays of other ranks: see serialisation_chain.",
    },
    Rule {
        id: "pipeline_fill",
        what: "Work passes through the ranks one after another; each rank waits until the previous one has computed its piece.",
        formula: "Chains as in serialisation_chain, for which waiting for data is more than half of the cost. Fill time: from \
                  the moment when the first rank of a chain starts to wait until its last rank continues. Saving: replay with \
                  pieces a quarter as long.",
        threshold: "1 % of the rank time and 1 ms; 3 chains.",
        doubt: "The replay does not count the latency of additional, smaller messages: with pieces of a few µs, less is saved.",
    },
    Rule {
        id: "serialisation_chain",
        what: "A chain of waits, each for a rank that is itself waiting.",
        formula: "A wait for a sender or receiver that itself waited in that time continues the chain of that rank. Cost: the overlap \
                  of both waits, for chains of at least 4 ranks (indirect waiting; Böhme et al., ICPP 2010, call it propagated \
                  delay).",
        threshold: "1 % of the rank time and 1 ms; 3 chains.",
        doubt: "Its cost is part of that of late_sender and late_receiver: it explains their waits. A sweep needs this order.",
    },
    Rule {
        id: "placement",
        what: "Ranks that exchange much data are on different nodes.",
        formula: "Bytes of messages between nodes with the current placement, and with the best of: swapping pairs (Kernighan and \
                  Lin 1970), growing groups from the heaviest edges, blocks of the process grid. Cost: time of messages \
                  between nodes after both sides were ready, times the share of bytes that would be saved.",
        threshold: "A tenth of the bytes between nodes, 1 % of the rank time and 1 ms.",
        doubt: "Neither bytes of collective operations nor the network topology are taken into account.",
    },
];
