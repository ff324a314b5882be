//! The instruction that touches a buffer in flight comes first in its finding.

use mpiscope_judge::{Finding, Judge, Settings};
use mpiscope_trace::check::event::{Body, Event, Head};
use mpiscope_trace::check::rule;

fn finding(rule: u16, values: [i64; 3]) -> Finding {
    let mut judge = Judge::new(Settings { world_size: 1, ..Settings::default() });
    let head = Head { function: mpiscope_abi::id::Wait as u16, site: 5, ..Head::default() };
    let text = "MPI_Irecv".to_owned();
    let body = Body::Finding { rule, argument: 255, withheld: false, origin: 4, values, text };
    judge.feed(0, &Event { head, body });
    let mut found = judge.findings();
    assert_eq!(found.len(), 1);
    found.remove(0)
}

fn parties(found: &Finding) -> Vec<(u32, bool, &str)> {
    found.parties.iter().map(|p| (p.site, p.function == 0, p.role.as_str())).collect()
}

#[test]
fn who_writes_and_who_reads() {
    let found = finding(rule::SEND_WRITTEN, [4, 40, 9]);
    assert_eq!(parties(&found), [(9, true, "writes"), (5, false, "calls"), (4, true, "started here")]);
    assert_eq!(found.numbers, [("value0".to_owned(), 4), ("value1".to_owned(), 40)]);
    let found = finding(rule::RECEIVE_READ, [8, 16, 7]);
    assert_eq!(parties(&found), [(7, true, "reads"), (5, false, "calls"), (4, true, "started here")]);
    assert_eq!(found.text, "The receive buffer is read, first at byte 16, before the receive is complete (MPI_Irecv).");
}

#[test]
fn nobody_is_known() {
    let found = finding(rule::RECEIVE_WRITTEN, [4, 40, 0]);
    assert_eq!(parties(&found), [(5, false, "calls"), (4, true, "started here")]);
    // The third number of other rules is a number.
    let found = finding(rule::TARGET_RANGE, [4, 40, 9]);
    assert_eq!(found.parties[0].site, 5);
    assert_eq!(found.numbers.len(), 3);
}
