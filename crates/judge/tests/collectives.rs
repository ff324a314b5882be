//! Collective operations: a wrong scenario, its right twin, and the edge of each rule.

use mpiscope_judge::testing::{ids, judged};
use mpiscope_judge::{Confidence, Finding};

const NONE: [&str; 0] = [];

/// The only finding of a scenario.
fn one(text: &str) -> Finding {
    let mut found = judged(text);
    assert_eq!(found.len(), 1, "{found:#?}");
    found.remove(0)
}

/// Each line of `calls` by its rank, and the end of all.
fn all(calls: &[&str]) -> String {
    let lines: Vec<String> = calls.iter().enumerate().map(|(rank, call)| format!("{rank} {call}\n")).collect();
    let ends: Vec<String> = (0..calls.len()).map(|rank| format!("{rank} Finalize\n")).collect();
    lines.concat() + &ends.concat()
}

#[test]
fn different_calls() {
    let found =
        one(&all(&["Bcast root=0 int:1", "Bcast root=0 int:1", "Reduce root=0 MPI_SUM int:1", "Bcast root=0 int:1"]));
    assert_eq!((found.id, found.confidence), ("collective.call", Confidence::Certain));
    assert!(
        found.text.contains("rank 2 calls MPI_Reduce, unlike most; ranks 0, 1 and 3 call MPI_Bcast"),
        "{}",
        found.text
    );
    assert_eq!(found.parties.iter().map(|p| p.process).collect::<Vec<_>>(), [2, 0]);
    assert_eq!(ids(&all(&["Bcast root=0 int:1", "Bcast root=0 int:1"])), NONE);
    // Told before anything hangs, with two of three there; and on other communicators nothing has to fit.
    assert_eq!(ids("0 Barrier\n1 Allreduce MPI_SUM int:1\n2 Comm_rank\n2 return\nstandstill 1ms"), ["collective.call"]);
    let other =
        "comm 3 = 0,1\n0 Barrier comm=3\n1 Barrier comm=3\n0 Allreduce MPI_SUM int:1\n1 Allreduce MPI_SUM int:1";
    assert_eq!(ids(&format!("{other}\n0 Finalize\n1 Finalize")), NONE);
}

#[test]
fn different_orders() {
    assert_eq!(
        ids("0 Barrier\n1 Bcast root=0 int:1\n0 Bcast root=0 int:1\n1 Barrier\n0 Finalize\n1 Finalize"),
        ["collective.call"]
    );
}

#[test]
fn blocking_and_not() {
    assert_eq!(ids(&all(&["Ibarrier op=1", "Barrier"])), ["collective.blocking"]);
    assert_eq!(ids("0 Ibarrier op=1\n1 Ibarrier op=1\n0 Wait ops=1\n1 Wait ops=1\n0 Finalize\n1 Finalize"), NONE);
    assert_eq!(
        ids(&all(&["Allreduce MPI_SUM int:1", "Allreduce_init MPI_SUM int:1 op=1"])),
        ["collective.missing"],
        "one is only made"
    );
}

#[test]
fn different_roots() {
    let found = one(&all(&["Bcast root=0 int:1", "Bcast root=1 int:1", "Bcast root=0 int:1"]));
    assert_eq!(found.id, "collective.root");
    assert!(found.text.contains("rank 1 passes root 1"), "{}", found.text);
    assert_eq!(ids(&all(&["Bcast root=1 int:1", "Bcast root=1 int:1"])), NONE);
    assert_eq!(ids(&all(&["Gather root=0 int:1 recv=int:1", "Gather root=1 int:1 recv=int:1"])), ["collective.root"]);
}

#[test]
fn different_operations() {
    assert_eq!(ids(&all(&["Allreduce MPI_SUM int:1", "Allreduce MPI_MAX int:1"])), ["collective.operation"]);
    assert_eq!(ids(&all(&["Allreduce MPI_SUM int:1", "Allreduce own int:1"])), ["collective.operation"]);
    assert_eq!(ids(&all(&["Allreduce own int:1", "Allreduce own int:1"])), NONE);
}

#[test]
fn different_datatypes() {
    let found = one(&all(&["Allreduce MPI_SUM int:1", "Allreduce MPI_SUM float:1", "Allreduce MPI_SUM int:1"]));
    assert_eq!(found.id, "collective.datatype");
    assert_eq!(found.parties[0].process, 1);
    assert_eq!(ids(&all(&["Allreduce MPI_SUM int:1", "Allreduce MPI_SUM integer:1"])), NONE);
    assert_eq!(ids(&all(&["Gather root=0 int:2 recv=float:2", "Gather root=0 int:2"])), ["collective.datatype"]);
    // A derived datatype is what it is made of.
    let derived = "type two = int:1 int:1\n";
    assert_eq!(ids(&(derived.to_owned() + &all(&["Bcast root=0 two:2", "Bcast root=0 int:4"]))), NONE);
    let mixed = "type mixed = int:1 double:1\ntype other = double:1 int:1\n";
    assert_eq!(
        ids(&(mixed.to_owned() + &all(&["Bcast root=0 mixed:2", "Bcast root=0 other:2"]))),
        ["collective.datatype"]
    );
    let bytes = &judged(&all(&["Bcast root=0 int:2", "Bcast root=0 byte:8"]))[0];
    assert_eq!((bytes.id, bytes.confidence), ("collective.datatype", Confidence::Possible));
}

#[test]
fn different_counts() {
    let found = one(&all(&["Allreduce MPI_SUM int:4", "Allreduce MPI_SUM int:4", "Allreduce MPI_SUM int:5"]));
    assert_eq!(found.id, "collective.count");
    assert!(found.text.contains("rank 2 contributes 5 × integer of 4 bytes"), "{}", found.text);
    assert_eq!(ids(&all(&["Bcast root=0 int:4", "Bcast root=0 int:2"])), ["collective.count"]);
    assert_eq!(ids(&all(&["Reduce root=0 MPI_SUM int:4", "Reduce root=0 MPI_SUM int:5"])), ["collective.count"]);
    assert_eq!(ids(&all(&["Gather root=0 int:2 recv=int:2", "Gather root=0 int:3"])), ["collective.count"]);
    assert_eq!(
        ids(&all(&["Gather root=0 int:2 recv=int:2", "Gather root=0 int:2 recv=int:99"])),
        NONE,
        "means nothing"
    );
    assert_eq!(ids(&all(&["Scatter root=0 send=int:2 recv=int:2", "Scatter root=0 recv=int:1"])), ["collective.count"]);
    assert_eq!(ids(&all(&["Alltoall int:2 recv=int:2", "Alltoall int:3 recv=int:3"])), ["collective.count"]);
    assert_eq!(ids(&all(&["Allgather int:0 recv=int:0", "Allgather double:0 recv=double:0"])), NONE);
}

#[test]
fn counts_for_each() {
    assert_eq!(ids(&all(&["Gatherv root=0 int:1 recv=int:1,2", "Gatherv root=0 int:2"])), NONE);
    let found = one(&all(&["Gatherv root=0 int:1 recv=int:1,2", "Gatherv root=0 int:3"]));
    assert_eq!(found.id, "collective.count");
    assert!(found.text.contains("rank 1 sends 3 × integer of 4 bytes to rank 0, which expects 2 ×"), "{}", found.text);
    assert_eq!(ids(&all(&["Scatterv root=0 send=int:1,2 recv=int:1", "Scatterv root=0 recv=int:2"])), NONE);
    assert_eq!(
        ids(&all(&["Scatterv root=0 send=int:1,2 recv=int:1", "Scatterv root=0 recv=int:1"])),
        ["collective.count"]
    );
    assert_eq!(ids(&all(&["Allgatherv int:1 recv=int:1,2", "Allgatherv int:2 recv=int:1,2"])), NONE);
    assert_eq!(ids(&all(&["Allgatherv int:1 recv=int:1,2", "Allgatherv int:2 recv=int:1,3"])), ["collective.count"]);
    // The first one there ends the program: what it gives itself is wrong, and nobody else came to it.
    let alone = "1 Comm_rank\n0 Allgatherv int:1 recv=int:2,2\nended 0 killed\nended 1 killed\nfinish";
    assert_eq!(ids(alone), ["collective.count"]);
    assert_eq!(ids(&alone.replace("recv=int:2", "recv=int:1")), NONE);
    assert_eq!(ids(&all(&["Alltoallv send=int:1,2 recv=int:1,3", "Alltoallv send=int:3,4 recv=int:2,4"])), NONE);
    assert_eq!(
        ids(&all(&["Alltoallv send=int:1,2 recv=int:1,3", "Alltoallv send=int:3,4 recv=int:1,4"])),
        ["collective.count"]
    );
    let w = ["Alltoallw send=int,double:1,1 recv=int,char:1,1", "Alltoallw send=char,int:1,1 recv=double,int:1,1"];
    assert_eq!(ids(&all(&w)), NONE);
    let w = ["Alltoallw send=int,double:1,1 recv=int,char:1,1", "Alltoallw send=char,int:1,1 recv=long,int:1,1"];
    assert_eq!(ids(&all(&w)), ["collective.datatype"]);
    assert_eq!(
        ids(&all(&["Reduce_scatter MPI_SUM int:9 recv=int:1,2", "Reduce_scatter MPI_SUM int:9 recv=int:1,2"])),
        NONE
    );
    let different = ["Reduce_scatter MPI_SUM int:9 recv=int:1,2", "Reduce_scatter MPI_SUM int:9 recv=int:2,1"];
    assert_eq!(ids(&all(&different)), ["collective.count"]);
}

#[test]
fn in_place() {
    assert_eq!(
        ids(&all(&["Allreduce MPI_SUM inplace recv=int:1", "Allreduce MPI_SUM int:1"])),
        ["collective.in-place"]
    );
    assert_eq!(ids(&all(&["Allreduce MPI_SUM inplace recv=int:1", "Allreduce MPI_SUM inplace recv=int:1"])), NONE);
    assert_eq!(ids(&all(&["Gather root=0 inplace recv=int:1", "Gather root=0 int:1"])), NONE, "at the root only");
    assert_eq!(
        ids(&all(&["Reduce root=0 MPI_SUM inplace recv=int:1", "Reduce root=0 MPI_SUM int:2"])),
        ["collective.count"]
    );
    assert_eq!(ids(&all(&["Scan MPI_SUM inplace recv=int:1", "Scan MPI_SUM int:1"])), NONE, "a scan allows it");
}

#[test]
fn arguments_that_all_pass() {
    let found = one(&all(&["Comm_create agreed=7,1", "Comm_create agreed=7,2", "Comm_create agreed=7,1"]));
    assert_eq!(found.id, "collective.argument");
    assert!(found.text.contains("rank 1 passes 2 as an argument"), "{}", found.text);
    assert_eq!(ids(&all(&["Comm_create agreed=7,1", "Comm_create agreed=7,1"])), NONE);
    assert_eq!(ids(&all(&["Comm_split", "Comm_split"])), NONE);
}

#[test]
fn intercommunicators() {
    let head = "inter 3 = 0,1 | 2,3\n";
    let right = [
        "Bcast comm=3 root=root int:1",
        "Bcast comm=3 root=null int:1",
        "Bcast comm=3 root=0 int:1",
        "Bcast comm=3 root=0 int:1",
    ];
    assert_eq!(ids(&(head.to_owned() + &all(&right))), NONE);
    let mut wrong = right;
    wrong[3] = "Bcast comm=3 root=1 int:1";
    assert_eq!(ids(&(head.to_owned() + &all(&wrong))), ["collective.group-roles"]);
    // Two roots; a group of which nobody takes part.
    let mut two = right;
    two[1] = "Bcast comm=3 root=root int:1";
    let found = one(&(head.to_owned() + &all(&two)));
    assert_eq!(found.id, "collective.group-roles");
    assert!(found.text.contains("ranks 0 and 1 both pass MPI_ROOT"), "{}", found.text);
    let mut nobody = right;
    nobody[2] = "Bcast comm=3 root=null int:1";
    nobody[3] = "Bcast comm=3 root=null int:1";
    assert_eq!(ids(&(head.to_owned() + &all(&nobody))), ["collective.group-roles"]);
    let mut short = right;
    short[2] = "Bcast comm=3 root=0 int:2";
    assert_eq!(ids(&(head.to_owned() + &all(&short))), ["collective.count"]);
    // What one group gives has nothing to do with what it takes.
    let gather = ["int:1 recv=int:2", "int:1 recv=int:2", "int:2 recv=int:1", "int:2 recv=int:1"];
    let gather: Vec<String> = gather.iter().map(|g| format!("Allgather comm=3 {g}")).collect();
    let calls: Vec<&str> = gather.iter().map(String::as_str).collect();
    assert_eq!(ids(&(head.to_owned() + &all(&calls))), NONE);
}

#[test]
fn neighbours() {
    let head = "cart 3 = 2x2\n";
    let v = |list: &str, takes: &str| format!("Neighbor_alltoallv comm=3 send=int:{list} recv=int:{takes}");
    // 0 1 / 2 3: in each dimension the one before, the one after.
    let mut calls =
        [v("0,2,0,1", "0,3,0,4"), v("0,5,4,0", "0,6,1,0"), v("3,0,0,7", "2,0,0,8"), v("6,0,8,0", "5,0,7,0")];
    let text = |calls: &[String; 4]| {
        let calls: Vec<&str> = calls.iter().map(String::as_str).collect();
        head.to_owned() + &all(&calls)
    };
    assert_eq!(ids(&text(&calls)), NONE);
    calls[3] = v("6,0,8,0", "5,0,9,0");
    assert_eq!(ids(&text(&calls)), ["collective.count"]);
}

#[test]
fn neighbours_in_graphs() {
    // Two edges from 0 to 1: in one order at both ends. Rank 2 has none that goes out.
    let head = "graph 3 = 3: 0>1 2>1 0>1 1>0 0>2\n";
    let v = |list: &str, takes: &str| format!("Neighbor_alltoallv comm=3 send=int:{list} recv=int:{takes}");
    let mut calls = [v("4,5,6", "7"), v("7", "4,1,5"), v("1", "6")];
    let text = |calls: &[String; 3]| {
        let calls: Vec<&str> = calls.iter().map(String::as_str).collect();
        head.to_owned() + &all(&calls)
    };
    assert_eq!(ids(&text(&calls)), NONE);
    calls[1] = v("7", "5,1,4");
    let found = one(&text(&calls));
    assert_eq!(found.id, "collective.count");
    assert!(found.text.contains("rank 0 sends 4 × integer of 4 bytes to rank 1, which expects 5 ×"), "{}", found.text);
    let gather = ["int:4 recv=int:7", "int:7 recv=int:4,1,4", "int:1 recv=int:4"];
    let mut calls = gather.map(|g| format!("Neighbor_allgatherv comm=3 {g}"));
    assert_eq!(ids(&text(&calls)), NONE);
    calls[1] = "Neighbor_allgatherv comm=3 int:7 recv=int:4,2,4".into();
    assert_eq!(ids(&text(&calls)), ["collective.count"]);
}

#[test]
fn some_never_come() {
    let found = one("0 Barrier\n1 Finalize\nstandstill 1ms\nstandstill 100ms");
    assert_eq!((found.id, found.confidence), ("collective.missing", Confidence::Certain));
    assert!(found.text.contains("Rank 1 is in MPI_Finalize"), "{}", found.text);
    assert_eq!(ids("0 Ibarrier op=1\n0 Finalize\n1 Finalize"), ["collective.missing"]);
    assert_eq!(
        ids("0 Barrier\nstandstill 1ms\nstandstill 100ms\n1 Barrier\n0 Finalize\n1 Finalize"),
        NONE,
        "it is late"
    );
}

#[test]
fn thousands_of_ranks() {
    let lines: Vec<String> = (0..3000)
        .map(|r| format!("{r} Allreduce MPI_SUM int:{}\n{r} Finalize\n", if r == 1234 { 3 } else { 2 }))
        .collect();
    let found = one(&lines.concat());
    assert!(found.text.contains("rank 1234 contributes 3"), "{}", found.text);
}

#[test]
fn groups_of_an_intercommunicator_agree_each() {
    let calls = ["0 Intercomm_merge comm=4 agreed=0", "1 Intercomm_merge comm=4 agreed=1"];
    let others = ["2 Intercomm_merge comm=4 agreed=0", "3 Intercomm_merge comm=4 agreed=1"];
    // Whoever comes first, and whenever somebody looks.
    for order in [[0, 1, 2, 3], [0, 3, 1, 2], [3, 0, 2, 1]] {
        let all = [calls, others].concat();
        let lines: Vec<&str> = order.iter().flat_map(|&i| [all[i], "standstill 1ms"]).collect();
        let text = format!("inter 4 = 0,1 | 2,3\n{}", lines.join("\n"));
        assert_eq!(ids(&text), ["collective.argument"], "{order:?}");
    }
    let right = "inter 4 = 0,1 | 2,3\n0 Intercomm_merge comm=4 agreed=0\n2 Intercomm_merge comm=4 agreed=1\n\
                 1 Intercomm_merge comm=4 agreed=0\n3 Intercomm_merge comm=4 agreed=1\nstandstill 1ms";
    assert_eq!(ids(right), NONE);
    // Nobody is the root.
    let nobody = "inter 4 = 0 | 1\n0 Bcast comm=4 root=0 int:1\n1 Bcast comm=4 root=0 int:1\nstandstill 1ms";
    assert_eq!(ids(nobody), ["collective.group-roles"]);
}

#[test]
fn groups_and_neighbours_name_each_other() {
    let create = |third: &str| {
        format!("0 Comm_create group=0,1\n1 Comm_create group=0,1\n2 Comm_create group={third}\nstandstill 1ms")
    };
    assert_eq!(ids(&create("2")), NONE, "groups that have nobody in common");
    assert_eq!(ids(&create("")), NONE);
    assert_eq!(ids(&create("0,2")), ["collective.argument"]);
    let edges = |into: &str| {
        format!(
            "0 Dist_graph_create_adjacent group=1 names=1 agreed=0\n1 Dist_graph_create_adjacent group={into} names=0 \
             agreed=0\nstandstill 1ms"
        )
    };
    assert_eq!(ids(&edges("0")), NONE);
    assert_eq!(ids(&edges("")), ["collective.argument"]);
}

#[test]
fn a_fence_against_the_end_of_its_window() {
    let text = "window 1\n0 Win_fence window=1\n1 Win_free agreed=0\nstandstill 1ms";
    assert_eq!(ids(text), ["collective.call"]);
    let right = "window 1\n0 Win_fence window=1\n1 Win_fence window=1\n0 Win_free agreed=0\n1 Win_free agreed=0\nstandstill 1ms";
    assert_eq!(ids(right), NONE);
}

#[test]
fn a_leader_alone_in_its_group_meets_the_other() {
    let text = |tag: u32| {
        format!(
            "comm 4 = 1,2\n0 Intercomm_create comm=2 agreed=0 group=1,1,9\n1 Intercomm_create comm=4 agreed=0 group=1,0,{tag}\n\
             2 Intercomm_create comm=4 agreed=0\nstandstill 1ms\nstandstill 100ms\n"
        )
    };
    assert_eq!(ids(&(text(9) + "0 Finalize\n1 Finalize\n2 Finalize\nfinish")), NONE);
    assert_eq!(ids(&text(8)), ["deadlock.collective"]);
}

#[test]
fn an_intercommunicator_from_groups() {
    let side = |ranks: [u32; 2], text: &str, leader: u32, other: u32| {
        let group = format!("group={},{}", ranks[0], ranks[1]);
        let of = |rank: u32| {
            let names = if rank == ranks[0] { format!("{text},{other}") } else { text.to_owned() };
            format!("{rank} Intercomm_create_from_groups {group} names={names} agreed={leader} comm=0\n")
        };
        of(ranks[0]) + &of(ranks[1])
    };
    let ends = "0 Finalize\n1 Finalize\n2 Finalize\n3 Finalize\n";
    let quiet = "standstill 1ms\nstandstill 900ms\n";
    let first = side([0, 1], "7", 0, 2);
    assert_eq!(ids(&(first.clone() + &side([2, 3], "7", 0, 0) + ends)), NONE);
    // Another text: their leaders wait for each other.
    let found = ids(&(first.clone() + &side([2, 3], "8", 0, 0) + quiet));
    assert!(found.iter().any(|id| id.starts_with("deadlock.")), "{found:?}");
    // Another leader within one group.
    let (one, other) = first.split_once('\n').unwrap();
    let found = ids(&format!("{one}\n{}{}{ends}", other.replace("agreed=0", "agreed=1"), side([2, 3], "7", 0, 0)));
    assert_eq!(found, ["collective.argument"]);
    // Nobody of the other group calls it.
    let found = ids(&(first + "2 Finalize\n3 Finalize\n" + quiet));
    assert!(!found.is_empty());
}

#[test]
fn processes_without_any_communicator() {
    use mpiscope_judge::{Introduction, Judge, Settings};
    use mpiscope_trace::check::event::{Body, Data, Event, Head, Part, flag};
    let mut judge = Judge::new(Settings { world_size: 2, ..Settings::default() });
    let function = mpiscope_abi::id::Comm_create_from_group as u16;
    for rank in 0..2 {
        let who = Introduction {
            world: 0,
            rank,
            size: 2,
            is_spawned: false,
            ticks_per_s: 1_000_000_000,
            zero_ticks: 0,
            zero_ns: 0,
            multiple: false,
        };
        judge.introduce(rank as u32, who);
    }
    let group = Part::new(Data::default(), vec![0, 1], Vec::new());
    let (send, agreed) = (Part::new(Data::default(), vec![9], Vec::new()), Vec::new());
    let body = Body::Collective { op: 0, root: None, reduction: 0, send, receive: group, agreed };
    judge.feed(0, &Event { head: Head { function, flags: flag::BLOCKING, at: 5, ..Head::default() }, body });
    for rank in 0..2 {
        judge.feed(rank, &Event { head: Head { at: 9, ..Head::default() }, body: Body::End });
    }
    judge.report_at_end();
    assert_eq!(judge.findings().iter().map(|f| f.id).collect::<Vec<_>>(), ["collective.missing"]);
}

#[test]
fn persistent_operations_belong_together_by_their_initialisations() {
    let found = |text: &str| judged(&(text.to_owned() + "0 Finalize\n1 Finalize\n"));
    // Starts in another order.
    let other = "0 Bcast_init persistent agreed=0 root=0 int:1 op=1\n0 Allreduce_init persistent agreed=1 MPI_SUM int:1 op=2\n\
                 1 Allreduce_init persistent agreed=1 MPI_SUM int:1 op=1\n1 Bcast_init persistent agreed=0 root=0 int:1 op=2\n\
                 0 Waitall ops=1,2\n1 Waitall ops=1,2\n";
    assert!(found(other).is_empty());
    let differ = |one: &str, two: &str, rule: &str| {
        let text =
            format!("0 {one} persistent agreed=3 op=1\n1 {two} persistent agreed=3 op=1\n0 Wait ops=1\n1 Wait ops=1\n");
        let found = found(&text);
        assert_eq!(found.iter().map(|f| (f.id, f.confidence)).collect::<Vec<_>>(), [(rule, Confidence::Certain)]);
        assert!(found[0].text.contains("start 1 of persistent operation 4 of"), "{}", found[0].text);
    };
    differ("Bcast_init root=0 int:1", "Bcast_init root=1 int:1", "collective.root");
    differ("Allreduce_init MPI_SUM int:1", "Allreduce_init MPI_MAX int:1", "collective.operation");
    differ("Allreduce_init MPI_SUM int:1", "Bcast_init root=0 int:1", "collective.call");
    differ("Allreduce_init MPI_SUM int:1", "Allreduce_init MPI_SUM int:2", "collective.count");
}

#[test]
fn roots_that_are_none_are_told_by_their_processes() {
    let text = |one: &str| all(&["Bcast root=0 int:1", one, "Bcast root=0 int:1"]);
    assert_eq!(ids(&text("Bcast root=7 int:1 wrong")), NONE);
    assert_eq!(ids(&text("Bcast root=1 int:1 wrong")), ["collective.root"]);
    assert_eq!(ids(&text("Allreduce MPI_SUM int:1 wrong")), ["collective.call"]);
    // All others are compared all the same.
    let two = all(&["Bcast root=0 int:1", "Bcast root=7 int:1 wrong", "Bcast root=2 int:1"]);
    assert_eq!(ids(&two), ["collective.root"]);
}

#[test]
fn buffers_that_the_mpi_has_written_where_parts_do_not_fit() {
    let text = |root: u32, by: &str| {
        let calls =
            format!("0 Ibcast root=0 int:1 op=1\n1 Ibcast root={root} int:1 op=1\n0 Wait ops=1\n1 Wait ops=1\n");
        // The other part may be read later.
        [format!("{calls}0 written by={by}\n"), format!("0 written by={by}\n{calls}")]
            .map(|text| ids(&(text + "0 Finalize\n1 Finalize\n")))
    };
    assert_eq!(text(0, "Ibcast"), [["buffer.send-written"], ["buffer.send-written"]]);
    assert_eq!(text(1, "Ibcast"), [["collective.root"], ["collective.root"]]);
    let mut both = text(1, "Isend");
    both.iter_mut().for_each(|ids| ids.sort_unstable());
    assert_eq!(both, [["buffer.send-written", "collective.root"], ["buffer.send-written", "collective.root"]]);
    // An instruction of the program was seen.
    assert_eq!(text(1, "Ibcast site=7").concat().iter().filter(|id| **id == "buffer.send-written").count(), 2);
}
