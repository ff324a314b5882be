//! Worlds that meet: spawned ones with their parents, and those that connect.

use mpiscope_judge::testing::{Scenario, ids, judged};

/// Two parents and two children, which begin at 15; a line takes 10.
const SPAWN: &str = "world 1 = 2,3 since=15\ninter 5 = 0,1 | 2,3 by=Comm_spawn\n0 Comm_spawn root=0\n0 return\n1 Comm_spawn root=0\n1 return\n";
const NONE: [&str; 0] = [];

fn ends(text: &str) -> String {
    format!("{SPAWN}{text}\n0 Finalize\n1 Finalize\n2 Finalize\n3 Finalize")
}

#[test]
fn messages_between_parents_and_children_match() {
    let text = ends("0 Send to=1 tag=4 int:2 comm=5\n3 Recv from=0 tag=4 int:2 comm=5");
    assert_eq!(ids(&text), NONE);
    assert_eq!(ids(&text.replace("3 Recv from=0 tag=4 int:2", "3 Recv from=0 tag=4 float:2")), ["message.datatype"]);
    assert_eq!(ids(&text.replace("3 Recv from=0 tag=4 int:2 comm=5", "")), ["message.lost"]);
}

#[test]
fn a_parent_that_waits_for_a_child_that_ends_is_stuck() {
    let found = judged(&format!("{SPAWN}0 Recv from=1 tag=7 int:1 comm=5\n2 Finalize\n3 Finalize\n1 Finalize"));
    assert_eq!(
        found.iter().map(|f| (f.id, f.confidence)).collect::<Vec<_>>(),
        [("deadlock.ended", mpiscope_judge::Confidence::Certain)]
    );
    assert!(found[0].text.contains("rank 1 of spawned world 1"), "{}", found[0].text);
}

#[test]
fn parent_and_child_that_wait_for_each_other_are_a_cycle() {
    let found = judged(&format!("{SPAWN}0 Recv from=0 tag=7 int:1 comm=5\n2 Recv from=0 tag=7 int:1 comm=5"));
    assert_eq!(found.iter().map(|f| f.id).collect::<Vec<_>>(), ["deadlock.cycle"]);
    assert!(found[0].title.contains("ranks 0 and 0 of spawned world 1"), "{}", found[0].title);
}

#[test]
fn collective_operations_of_both_groups_fit() {
    let all = "0 Bcast root=root int:4 comm=5\n1 Bcast root=null int:4 comm=5\n2 Bcast root=0 int:4 comm=5\n3 Bcast root=0 int:4 comm=5";
    assert_eq!(ids(&ends(all)), NONE);
    assert_eq!(ids(&ends(&all.replace("1 Bcast root=null", "1 Bcast root=root"))), ["collective.group-roles"]);
    assert_eq!(ids(&ends(&all.replace("2 Bcast root=0 int:4", "2 Bcast root=0 double:4"))), ["collective.datatype"]);
}

#[test]
fn what_is_made_of_them_is_followed() {
    let merged = "comm 6 = 2,3,0,1 of=5\ncomm 7 = 3,1 of=6\n";
    let text = merged.to_owned()
        + &ends(
            "0 Send to=0 tag=1 int:1 comm=6\n2 Recv from=2 tag=1 int:1 comm=6\n3 Send to=1 tag=1 int:1 comm=7\n1 Recv from=0 tag=1 int:1 comm=7",
        );
    assert_eq!(ids(&text), NONE);
    assert_eq!(
        ids(&text.replace("1 Recv from=0 tag=1 int:1 comm=7", "1 Recv from=0 tag=1 float:1 comm=7")),
        ["message.datatype"]
    );
}

#[test]
fn communicators_of_two_worlds_with_the_same_ranks_are_not_one() {
    // Both worlds have ranks 0 and 1, and both make a communicator of them.
    let own = "comm 8 = 0,1\ncomm 9 = 2,3\n";
    let text = own.to_owned()
        + &ends("0 Send to=1 tag=1 int:1 comm=8\n1 Recv from=0 tag=1 int:1 comm=8\n2 Barrier comm=9\n3 Barrier comm=9");
    assert_eq!(ids(&text), NONE);
}

#[test]
fn who_began_at_another_time_was_not_spawned_by_the_call() {
    let late = SPAWN.replace("since=15", "since=500ms");
    let text = format!(
        "{late}0 Recv from=1 tag=7 int:1 comm=5\n1 Finalize\n2 Finalize\n3 Finalize\nstandstill 1ms\nstandstill 5000ms\nstandstill 8000ms"
    );
    assert_eq!(ids(&text), NONE);
    let mut judge = Scenario::parse(&text).judged();
    let strangers = judge.strangers();
    assert_eq!(strangers.len(), 2, "{strangers:?}");
}

#[test]
fn two_calls_that_spawn_at_once_are_not_told_apart() {
    let text = "world 1 = 2 since=25\nworld 2 = 3 since=26\ninter 5 = 0 | 2 by=Comm_spawn on=2\ninter 6 = 1 | 3 by=Comm_spawn on=2\n\
                0 Comm_spawn root=0 comm=2\n1 Comm_spawn root=0 comm=2\n0 return\n1 return\n";
    let text = text.to_owned()
        + "0 Recv from=0 tag=1 int:1 comm=5\n2 Finalize\n3 Finalize\n1 Finalize\nstandstill 1ms\nstandstill 5000ms\nstandstill 8000ms";
    assert_eq!(ids(&text), NONE);
}

/// A parent whose two spawned worlds, of one process each, meet at a port.
const PORT: &str = "world 1 = 1 since=5ms\nworld 2 = 2 since=25ms\ninter 5 = 0 | 1 by=Comm_spawn on=2\ninter 6 = 0 | 2 by=Comm_spawn on=2\n\
                    inter 7 = 1 | 2 by=Comm_accept on=2\n0 Comm_spawn root=0 comm=2 at=1ms\n0 return at=11ms\n\
                    0 Comm_spawn root=0 comm=2 at=21ms\n0 return at=31ms\n1 Comm_accept root=0 comm=2 names=77 at=100ms\n\
                    2 Comm_connect root=0 comm=2 names=77 at=110ms\n1 return at=120ms\n2 return at=121ms\n";

#[test]
fn ports_join_those_who_name_the_same_one() {
    let end = "0 Finalize at=300ms\n1 Finalize at=301ms\n2 Finalize at=302ms\n";
    let text =
        format!("{PORT}1 Send to=0 tag=1 int:1 comm=7 at=200ms\n2 Recv from=0 tag=1 float:1 comm=7 at=201ms\n{end}");
    let found = judged(&text);
    assert_eq!(found.iter().map(|f| f.id).collect::<Vec<_>>(), ["message.datatype"]);
    assert!(found[0].text.contains("Rank 0 of spawned world 1 sends"), "{}", found[0].text);
    // Another port, or a time that does not fit.
    assert_eq!(ids(&text.replacen("names=77", "names=78", 1)), NONE);
    assert_eq!(ids(&text.replace("at=110ms", "at=130ms").replace("2 return at=121ms", "2 return at=140ms")), NONE);
}

#[test]
fn freeing_on_one_side_only_is_not_told() {
    assert_eq!(ids(&ends("0 Comm_free comm=5\n1 Comm_free comm=5")), NONE);
    assert_eq!(ids(&ends("0 Comm_disconnect comm=5\n1 Comm_disconnect comm=5")), ["collective.missing"]);
}
