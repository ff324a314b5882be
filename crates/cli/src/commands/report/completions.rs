//! Completion calls in the table of sizes: the time of an `MPI_Wait` by the bytes that it received.

use mpiscope_analysis::Explanation;
use mpiscope_run::{Measure, SizeRow, bin_range};

/// Rows in the form of those for calls that move data themselves.
pub fn rows(e: &Explanation) -> impl Iterator<Item = SizeRow> + '_ {
    e.completions.iter().map(|c| {
        let (from, to) = bin_range(c.bin);
        let sum = Measure {
            calls: c.calls,
            time_ns: c.time_ns,
            min_call_ns: c.min_ns,
            max_call_ns: c.max_ns,
            bytes: c.bytes_received,
            bytes_sent: 0,
            bytes_received: c.bytes_received,
        };
        SizeRow { call: c.function.to_owned(), bin: Some(c.bin), from_bytes: Some(from), to_bytes: Some(to), sum }
    })
}
