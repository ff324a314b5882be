//! Who is stuck, and who is not.

use mpiscope_judge::testing::{ids, judged};

#[test]
fn two_receives_wait_for_each_other() {
    let found = judged("0 Recv from=1 tag=0 int:1\n1 Recv from=0 tag=0 int:1");
    println!("{}", serde_json::to_string_pretty(&found).unwrap());
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].id, "deadlock.cycle");
}

#[test]
fn a_message_is_there() {
    assert_eq!(ids("0 Send to=1 tag=0 int:1\n1 Recv from=0 tag=0 int:1\n0 Recv from=1 tag=0 int:1"), [""; 0]);
}
