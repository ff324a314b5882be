//! Who is stuck, and who is not.

use mpiscope_judge::testing::{Scenario, ids, judged};
use mpiscope_judge::{Beyond, Confidence, Finding, Settings};

const NONE: [&str; 0] = [];
const STILL: &str = "\nstandstill 1ms\nstandstill 100ms";
const LONG: &str = "\nstandstill 1ms\nstandstill 900ms";

fn one(text: &str) -> Finding {
    let mut found = judged(text);
    assert_eq!(found.len(), 1, "{found:#?}");
    found.remove(0)
}

#[test]
fn two_receives() {
    let text = "0 Recv from=1 tag=0 int:1\n1 Recv from=0 tag=0 int:1".to_owned() + STILL;
    let found = one(&text);
    assert_eq!((found.id, found.confidence), ("deadlock.cycle", Confidence::Certain));
    assert_eq!(
        found.text,
        "Rank 0 waits in MPI_Recv for a message from rank 1 with tag 0 in MPI_COMM_WORLD; rank 1 waits in MPI_Recv for a \
         message from rank 0 with tag 0 in MPI_COMM_WORLD."
    );
    assert_eq!(found.title, "Deadlock of ranks 0 and 1");
    assert_eq!(
        ids(&("0 Send to=1 tag=0 int:1\n1 Recv from=0 tag=0 int:1\n0 Recv from=1 tag=0 int:1".to_owned() + STILL)),
        NONE
    );
    // Rank 1 computes: it can send later.
    assert_eq!(ids(&("0 Recv from=1 tag=0 int:1\n1 Comm_rank\n1 return".to_owned() + LONG)), NONE);
    assert_eq!(
        ids("0 Recv from=1 tag=0 int:1\n1 Recv from=0 tag=0 int:1\nstandstill 1ms\nstandstill 2ms"),
        NONE,
        "too early"
    );
}

#[test]
fn a_ring_and_those_behind_it() {
    let text = "0 Recv from=1 tag=0 int:1\n1 Recv from=2 tag=0 int:1\n2 Recv from=0 tag=0 int:1\n3 Recv from=0 tag=0 int:1\n4 Comm_rank\n4 return";
    let found = one(&(text.to_owned() + STILL));
    assert_eq!(found.id, "deadlock.cycle");
    assert_eq!(found.parties.iter().map(|p| p.process).collect::<Vec<_>>(), [0, 1, 2, 3]);
    assert!(found.text.contains("Rank 3 waits for them in turn."), "{}", found.text);
    assert_eq!(found.numbers, [("processes".to_owned(), 4)]);
}

#[test]
fn near_misses() {
    let found =
        one(&("0 Bsend to=1 tag=5 int:1\n0 Recv from=1 tag=0 int:1\n1 Recv from=0 tag=6 int:1".to_owned() + STILL));
    assert!(found.text.contains("Near miss: rank 0 sends 1 × integer of 4 bytes to rank 1 with tag 5 in MPI_COMM_WORLD (MPI_Bsend) (different tag)"), "{}", found.text);
    let comm = "comm 3 = 0,1\n0 Bsend to=1 tag=5 int:1 comm=3\n0 Recv from=1 tag=0 int:1\n1 Recv from=0 tag=5 int:1";
    assert!(one(&(comm.to_owned() + STILL)).text.contains("different communicator"));
}

#[test]
fn sends_by_their_mode() {
    let text = |send: &str| format!("0 {send} to=1 tag=0 int:1\n1 {send} to=0 tag=0 int:1");
    assert_eq!(ids(&(text("Ssend") + STILL)), ["deadlock.cycle"]);
    assert_eq!(ids(&(text("Send") + STILL)), NONE, "it may be about to return");
    assert_eq!(ids(&(text("Send") + LONG)), ["deadlock.cycle"]);
    assert_eq!(ids(&(text("Bsend") + LONG)), NONE);
}

#[test]
fn the_other_one_has_ended() {
    let found = one(&("0 Recv from=1 tag=0 int:1\n1 Finalize".to_owned() + STILL));
    assert_eq!(found.id, "deadlock.ended");
    assert!(found.text.ends_with("Rank 1 is in MPI_Finalize."), "{}", found.text);
    assert_eq!(
        ids(&("0 Recv from=1 tag=0 int:1\n1 Comm_rank\n1 return\nended 1".to_owned() + STILL)),
        ["deadlock.ended"]
    );
    assert_eq!(
        ids(&("1 Bsend to=0 tag=0 int:1\n0 Recv from=1 tag=0 int:1\n1 Finalize".to_owned() + STILL)),
        NONE,
        "it was sent before"
    );
    let killed = "0 Recv from=1 tag=0 int:1\n1 Comm_rank\nended 1 killed";
    assert_eq!(ids(&(killed.to_owned() + LONG)), NONE, "the launcher will end rank 0");
    assert_eq!(ids(&(killed.to_owned() + LONG + "\nstandstill 3000ms")), ["deadlock.ended"]);
}

#[test]
fn oneself() {
    assert_eq!(ids(&("0 Recv from=0 tag=0 int:1\n1 Comm_rank\n1 return".to_owned() + STILL)), ["deadlock.self"]);
    assert_eq!(ids(&("0 Ssend to=0 tag=0 int:1\n1 Comm_rank\n1 return".to_owned() + STILL)), ["deadlock.self"]);
    assert_eq!(
        ids(&("0 Irecv from=0 tag=0 int:1 op=1\n0 Ssend to=0 tag=0 int:1\n1 Comm_rank\n1 return".to_owned() + LONG)),
        NONE
    );
    // Another thread of the process can help.
    assert_eq!(
        ids(&("0 Comm_rank thread=1\n0 return thread=1\n0 Recv from=0 tag=0 int:1\n1 Comm_rank\n1 return".to_owned()
            + LONG)),
        NONE
    );
}

#[test]
fn any_source_needs_all_to_be_stuck() {
    let text = "0 Recv from=any tag=0 int:1\n1 Recv from=0 tag=0 int:1\n2 ";
    assert_eq!(ids(&format!("{text}Recv from=0 tag=0 int:1{STILL}")), ["deadlock.cycle"]);
    assert_eq!(ids(&format!("{text}Comm_rank\n2 return{LONG}")), NONE);
    assert_eq!(ids(&format!("{text}Bsend to=0 tag=0 int:1\n2 Barrier{LONG}")), NONE);
    assert_eq!(ids(&format!("{text}Bsend to=0 tag=1 int:1\n2 Finalize{LONG}")), ["deadlock.cycle"]);
}

#[test]
fn all_of_several_and_any_of_several() {
    let text = |wait: &str| {
        format!(
            "0 Irecv from=1 tag=0 int:1 op=1\n0 Irecv from=2 tag=0 int:1 op=2\n0 {wait} ops=1,2\n1 Recv from=0 tag=0 int:1\n2 Comm_rank\n2 return"
        )
    };
    assert_eq!(ids(&(text("Waitall") + STILL)), ["deadlock.cycle"]);
    assert_eq!(ids(&(text("Waitany") + LONG)), NONE, "rank 2 may send");
    assert_eq!(
        ids(&(text("Waitany").replace("2 Comm_rank\n2 return", "2 Recv from=0 tag=9 int:1") + STILL)),
        ["deadlock.cycle"]
    );
    let found = one(&(text("Waitall") + STILL));
    assert!(
        found
            .text
            .contains("waits in MPI_Waitall for a message from rank 1 with tag 0 in MPI_COMM_WORLD (of MPI_Irecv)"),
        "{}",
        found.text
    );
}

#[test]
fn probes() {
    let text = "0 Probe from=1 tag=0\n1 Probe from=0 tag=0";
    assert_eq!(ids(&(text.to_owned() + STILL)), ["deadlock.cycle"]);
    assert_eq!(ids(&("1 Bsend to=0 tag=0 int:1\n".to_owned() + text + STILL)), NONE);
    assert_eq!(ids(&("1 Bsend to=0 tag=1 int:1\n".to_owned() + text + STILL)), ["deadlock.cycle"]);
}

#[test]
fn loops_of_polls() {
    let text = |polls: &str, at: &str| {
        format!(
            "0 Irecv from=1 tag=0 int:1 op=1\n0 poll ops=1 at=0\n1 Recv from=0 tag=0 int:1\nstandstill 1ms{polls}\npolled 0 at={at}\nstandstill 900ms"
        )
    };
    let found = one(&text("", "800ms"));
    assert_eq!((found.id, found.confidence), ("deadlock.polling", Confidence::Possible));
    assert!(found.text.starts_with("Rank 0 polls in MPI_Testall for"), "{}", found.text);
    assert_eq!(ids(&text("", "100ms")), NONE, "it asks for too short a time");
    assert_eq!(ids(&text("\n1 return\n1 Bsend to=0 tag=0 int:1\n1 Recv from=0 tag=9 int:1", "800ms")), NONE);
    // It has asked, and computes now.
    assert_eq!(ids("0 Irecv from=1 tag=0 int:1 op=1\n0 poll ops=1 at=0\n1 Recv from=0 tag=0 int:1\nstandstill 1ms\npolled 0 at=700ms\nstandstill 701ms\nstandstill 2000ms").len(), 1);
    assert_eq!(
        ids(
            "0 Irecv from=1 tag=0 int:1 op=1\n0 poll ops=1 at=0\n1 Recv from=0 tag=0 int:1\nstandstill 1ms\npolled 0 at=500ms\nstandstill 501ms\nstandstill 2000ms"
        ),
        NONE
    );
    // Two questions in turn are one loop.
    let turns: Vec<String> = (0..80)
        .map(|i| {
            format!(
                "0 poll ops=1 at={}ms\n0 poll from=1 tag=3 at={}ms\nstandstill {}ms\n",
                i * 50,
                i * 50 + 20,
                i * 50 + 30
            )
        })
        .collect();
    let text = format!("0 Irecv from=1 tag=0 int:1 op=1\n1 Recv from=0 tag=0 int:1\n{}", turns.concat());
    assert_eq!(ids(&text), ["deadlock.polling"]);
}

#[test]
fn collective_operations() {
    let order = "comm 3 = 0,1\n0 Barrier\n1 Barrier comm=3";
    assert_eq!(ids(&(order.to_owned() + STILL)), ["deadlock.collective"]);
    let mixed = "0 Barrier\n1 Recv from=0 tag=0 int:1";
    assert_eq!(ids(&(mixed.to_owned() + STILL)), ["deadlock.cycle"]);
    assert_eq!(
        ids(&("0 Bcast root=0 int:1\n1 Recv from=0 tag=0 int:1".to_owned() + STILL)),
        NONE,
        "the root may leave"
    );
    assert_eq!(ids(&("0 Bcast root=0 int:1\n1 Recv from=0 tag=0 int:1".to_owned() + LONG)), ["deadlock.cycle"]);
    assert_eq!(
        ids(&("0 Ibarrier op=1\n0 Wait ops=1\n1 Recv from=0 tag=0 int:1".to_owned() + STILL)),
        ["deadlock.cycle"]
    );
    assert_eq!(ids(&("0 Ibarrier op=1\n0 Wait ops=1\n1 Comm_rank\n1 return".to_owned() + LONG)), NONE);
}

#[test]
fn windows() {
    let head = "window 1\n";
    let lock = "0 Win_lock targets=1 exclusive window=1\n0 Recv from=1 tag=0 int:1\n1 Win_lock targets=1 exclusive";
    assert_eq!(ids(&(head.to_owned() + lock + LONG)), ["deadlock.cycle"]);
    assert_eq!(ids(&(head.to_owned() + &lock.replace(" exclusive", "") + LONG)), NONE);
    assert_eq!(
        ids(&(head.to_owned() + "0 Win_post targets=1\n0 Win_wait\n1 Recv from=0 tag=0 int:1" + STILL)),
        ["deadlock.cycle"]
    );
    // MPI_Win_test asks for what MPI_Win_wait waits for.
    let tests = "0 Win_post targets=1\n0 return\n0 poll window=1 at=0\n";
    let asked = "standstill 1ms\npolled 0 at=700ms\nstandstill 900ms";
    let found = one(&(head.to_owned() + tests + "1 Recv from=0 tag=0 int:1\n" + asked));
    assert_eq!(found.id, "deadlock.polling");
    let begun = "1 Win_start targets=0\n1 return\n1 Win_complete\n1 return\n1 Barrier\n";
    assert_eq!(ids(&(head.to_owned() + begun + tests + asked)), NONE);
    assert_eq!(
        ids(&(head.to_owned()
            + "1 Win_start targets=0\n1 Win_complete\n1 return\n0 Win_post targets=1\n0 Win_wait\n0 return\n1 Barrier"
            + LONG)),
        NONE
    );
    assert_eq!(ids(&(head.to_owned() + "0 Win_fence\n1 Recv from=0 tag=0 int:1" + LONG)), ["deadlock.cycle"]);
    assert_eq!(ids(&(head.to_owned() + "0 Win_fence\n1 Win_fence\n0 Finalize\n1 Finalize")), NONE);
}

#[test]
fn others_go_on_meanwhile() {
    let mut text = "0 Recv from=1 tag=0 int:1\n1 Recv from=0 tag=0 int:1\n".to_owned();
    for i in 0..10 {
        text += &format!("2 Send to=3 tag=0 int:1\n3 Recv from=2 tag=0 int:1\nstandstill {}ms\n", i * 20);
    }
    assert_eq!(ids(&text), ["deadlock.cycle"]);
}

#[test]
fn the_fallback() {
    let text = "0 Recv from=1 tag=0 int:1\n1 Comm_rank\n1 return\nstandstill 1ms\nstandstill 5000ms";
    let settings = |s: u64| Settings { deadlock_timeout_ns: s * 1_000_000_000, ..Settings::default() };
    let found = |s: u64| Scenario::parse(text).judged_with(settings(s)).findings();
    assert_eq!(found(3).iter().map(|f| f.id).collect::<Vec<_>>(), ["deadlock.timeout"]);
    assert_eq!((found(0).len(), found(9).len()), (0, 0));
}

#[test]
fn only_buffering_helps() {
    let text = "0 Send to=1 tag=0 int:1\n1 Send to=0 tag=0 int:1\n0 Recv from=1 tag=0 int:1\n1 Recv from=0 tag=0 int:1\n0 Finalize\n1 Finalize";
    let found = one(text);
    assert_eq!((found.id, found.confidence), ("deadlock.buffering", Confidence::Certain));
    assert_eq!(
        found.text,
        "Without buffering, each would wait for the next: rank 0 in MPI_Send until rank 1 receives tag 0; rank 1 in MPI_Send \
         until rank 0 receives tag 0."
    );
    // The right ones: one of them receives first; both at once; requests; a buffer of its own.
    for right in [
        "0 Send to=1 tag=0 int:1\n1 Recv from=0 tag=0 int:1\n1 Send to=0 tag=0 int:1\n0 Recv from=1 tag=0 int:1",
        "0 Sendrecv to=1 tag=0 int:1 from=1 rtag=0 recv=int:1\n1 Sendrecv to=0 tag=0 int:1 from=0 rtag=0 recv=int:1",
        "0 Isend to=1 tag=0 int:1 op=1\n1 Isend to=0 tag=0 int:1 op=1\n0 Recv from=1 tag=0 int:1\n1 Recv from=0 tag=0 int:1\n0 Wait ops=1\n1 Wait ops=1",
        "0 Irecv from=1 tag=0 int:1 op=1\n1 Irecv from=0 tag=0 int:1 op=1\n0 Send to=1 tag=0 int:1\n1 Send to=0 tag=0 int:1\n0 Wait ops=1\n1 Wait ops=1",
        "0 Bsend to=1 tag=0 int:1\n1 Bsend to=0 tag=0 int:1\n0 Recv from=1 tag=0 int:1\n1 Recv from=0 tag=0 int:1",
    ] {
        assert_eq!(ids(&format!("{right}\n0 Finalize\n1 Finalize")), NONE, "{right}");
    }
    // Wait for the send before the receive is posted.
    let waits = "0 Isend to=1 tag=0 int:1 op=1\n1 Isend to=0 tag=0 int:1 op=1\n0 Wait ops=1\n1 Wait ops=1\n0 Recv from=1 tag=0 int:1\n1 Recv from=0 tag=0 int:1\n0 Finalize\n1 Finalize";
    assert_eq!(ids(waits), ["deadlock.buffering"]);
    // Oneself.
    assert_eq!(ids("0 Send to=0 tag=0 int:1\n0 Recv from=0 tag=0 int:1\n0 Finalize"), ["deadlock.buffering"]);
    // Another thread may still receive it; it does, or there is none.
    let send =
        "multiple 0\n0 Send to=0 tag=0 int:1 thread=1\n0 return thread=1\nstandstill 1ms\n0 Recv from=0 tag=0 int:1";
    assert!(ids(&format!("{send}\n0 Finalize\n")).is_empty());
    assert_eq!(ids(&format!("{send} thread=1\n0 return thread=1\n0 Finalize thread=1\n")), ["deadlock.buffering"]);
}

#[test]
fn buffering_of_collective_operations() {
    let text = "0 Bcast root=0 int:1\n0 Send to=1 tag=0 int:1\n1 Recv from=0 tag=0 int:1\n1 Bcast root=0 int:1\n0 Finalize\n1 Finalize";
    assert_eq!(ids(text), ["deadlock.buffering"]);
    let right = "0 Send to=1 tag=0 int:1\n0 Bcast root=0 int:1\n1 Recv from=0 tag=0 int:1\n1 Bcast root=0 int:1\n0 Finalize\n1 Finalize";
    assert_eq!(ids(right), NONE);
    let barrier = "0 Send to=1 tag=0 int:1\n0 Barrier\n1 Barrier\n1 Recv from=0 tag=0 int:1\n0 Finalize\n1 Finalize";
    assert_eq!(ids(barrier), ["deadlock.buffering"]);
}

#[test]
fn a_choice_is_no_proof() {
    // With other pairs of the receives of any source nobody would wait: a and c in the order of the sends.
    let text = "
        0 Send to=2 tag=0 int:1
        0 Send to=1 tag=0 int:1
        1 Recv from=0 tag=0 int:1
        1 Send to=2 tag=0 int:1
        2 Recv from=any tag=0 int:1 status=1:0
        2 Recv from=any tag=0 int:1 status=0:0
        0 Finalize\n1 Finalize\n2 Finalize";
    assert!(!ids(text).contains(&"deadlock.buffering"));
}

/// Found by an id, with its confidence.
fn sure(text: &str) -> Vec<(&'static str, Confidence)> {
    judged(text).iter().map(|f| (f.id, f.confidence)).collect()
}

#[test]
fn who_asks_may_give_up() {
    let asks = "0 poll from=1 tag=0 at=0\n1 Barrier\nstandstill 1ms\n";
    // A question every 0.7 ms: it may be counting them.
    assert_eq!(sure(&(asks.to_owned() + "polled 0 at=700ms seldom\nstandstill 900ms")), []);
    let long = asks.to_owned() + "polled 0 at=3900ms seldom\nstandstill 4000ms";
    assert_eq!(sure(&long), [("deadlock.polling", Confidence::Possible)]);
    // Nothing but questions.
    let scenario = Scenario::parse(asks);
    let mut judge = scenario.judged();
    judge.poll_state(0, 0, 100_000, 800_000_000);
    assert!(!judge.standstill(900_000_000));
    let found = judge.findings();
    assert_eq!((found[0].id, found[0].confidence, found[0].stuck), ("deadlock.polling", Confidence::Possible, true));
    // Nobody has done anything for very long.
    judge.poll_state(0, 0, 2_000_000, 11_000_000_000);
    assert!(judge.standstill(11_100_000_000));
    assert!(judge.findings().is_empty());
}

#[test]
fn a_loop_that_cannot_give_up() {
    let asks = "0 poll from=1 tag=0 at=0\n1 Barrier\nstandstill 1ms\npolled 0 at=90ms seldom\nstandstill 100ms";
    assert_eq!(sure(asks), []);
    assert_eq!(sure(&("endless 0\n".to_owned() + asks)), [("deadlock.polling", Confidence::Certain)]);
    assert_eq!(sure(&("multiple 0\nendless 0\n".to_owned() + asks)), [("deadlock.polling", Confidence::Certain)]);
    // Another thread may end it, unless it goes to sleep.
    let helped = "multiple 0 helped\nendless 0\n".to_owned() + asks;
    assert_eq!(sure(&helped), []);
    assert_eq!(
        sure(&(helped + "\npolled 0 at=600ms seldom\nstandstill 610ms")),
        [("deadlock.polling", Confidence::Possible)]
    );
    // It has asked once: who knows whether it comes again.
    let once = "endless 0\n0 poll from=1 tag=0 at=0\n1 Barrier\nstandstill 1ms\nstandstill 100ms";
    assert_eq!(sure(once), []);
    // Somebody computes.
    let computes =
        "endless 0\n0 poll from=1 tag=0 at=0\n1 Barrier\n1 return\nstandstill 1ms\npolled 0 at=90ms\nstandstill 100ms";
    assert_eq!(sure(computes), []);
}

#[test]
fn those_who_are_stuck_without_the_one_who_asks() {
    let text = "0 Recv from=1 tag=0 int:1\n1 Recv from=0 tag=0 int:1\n2 poll from=0 tag=0 at=0\npolled 2 at=4000ms\n\
                standstill 1ms\npolled 2 at=4500ms\nstandstill 5000ms";
    assert_eq!(sure(text), [("deadlock.cycle", Confidence::Certain)]);
}

#[test]
fn a_thread_that_was_not_seen_may_help() {
    let text = "\n0 Recv from=1 tag=0 int:1\n1 Recv from=0 tag=0 int:1".to_owned() + STILL;
    assert_eq!(sure(&("multiple 0".to_owned() + &text)), [("deadlock.cycle", Confidence::Certain)]);
    let helped = "multiple 0 helped".to_owned() + &text;
    assert_eq!(sure(&helped), [], "it may be about to sleep");
    assert_eq!(sure(&(helped + "\nstandstill 500ms")), [("deadlock.cycle", Confidence::Possible)]);
}

/// Threads that may help, or none.
struct Others(bool);

impl Beyond for Others {
    fn may_help(&mut self, _: u32) -> bool {
        self.0
    }

    fn may_give_up(&mut self, _: u32, _: u32) -> bool {
        true
    }

    fn is_asleep(&mut self, _: u32, _: u8) -> bool {
        false
    }

    fn is_alike(&mut self, _: u32, _: &[(u32, u64)], _: &[u32], _: u32) -> bool {
        false
    }
}

#[test]
fn what_was_possible_becomes_certain() {
    let text = "multiple 0\n0 Recv from=1 tag=0 int:1\n1 Recv from=0 tag=0 int:1\nstandstill 1ms";
    let mut judge = Scenario::parse(text).judged();
    let mut look = |helps: bool| {
        judge.standstill_unless(600_000_000, &mut Others(helps));
        judge.findings()
    };
    let (first, second) = (look(true), look(false));
    assert_eq!((first.len(), first[0].confidence), (1, Confidence::Possible));
    assert_eq!((second.len(), second[0].confidence, second[0].count), (1, Confidence::Certain, 1));
    assert_eq!(first[0].number, second[0].number, "the same finding");
    assert!(look(true).is_empty() && look(false).is_empty());
}

#[test]
fn a_thread_that_sleeps_does_not_help() {
    // A thread of each waits; the first threads are in no call.
    let text = "\nmultiple 0\nmultiple 1\n0 Comm_rank\n1 Comm_rank\n0 Recv from=1 tag=0 int:1 thread=1\n\
                1 Recv from=0 tag=0 int:1 thread=1"
        .to_owned()
        + STILL;
    assert_eq!(sure(&text), []);
    assert_eq!(sure(&("asleep 0\nasleep 1".to_owned() + &text)), [("deadlock.cycle", Confidence::Certain)]);
    assert_eq!(sure(&("asleep 0".to_owned() + &text)), []);
}

#[test]
fn a_call_that_is_about_to_fail_waits_for_nothing() {
    let text = "0 Recv from=1 tag=0 int:1 wrong\n1 Recv from=0 tag=0 int:1";
    assert_eq!(sure(&(text.to_owned() + "\nstandstill 1ms\nstandstill 100ms")), []);
    // It did not fail.
    assert_eq!(
        sure(&(text.to_owned() + "\nstandstill 1ms\nstandstill 3500ms")),
        [("deadlock.cycle", Confidence::Certain)]
    );
}

#[test]
fn partitions_that_are_not_ready() {
    let text = |ready: u32| {
        format!(
            "0 Isend to=1 tag=0 int:8 op=5 partitions=4\n1 Irecv from=0 tag=0 int:8 op=6\n0 ready op=5 partitions={ready}\n\
             0 Wait ops=5\n1 Wait ops=6{STILL}"
        )
    };
    assert_eq!(sure(&text(3)), [("deadlock.self", Confidence::Certain)]);
    assert_eq!(sure(&text(4)), []);
}

#[test]
fn groups_and_leaders() {
    let text = "0 Comm_create_group group=0,1,2 names=4\n1 Comm_create_group group=0,1,2 names=4\n2 ";
    assert_eq!(ids(&(text.to_owned() + "Recv from=0 tag=0 int:1" + STILL)), ["deadlock.cycle"]);
    assert_eq!(ids(&(text.to_owned() + "Comm_create_group group=0,1,2 names=4" + LONG)), NONE);
    assert_eq!(ids(&(text.to_owned() + "Comm_create_group group=0,1,2 names=5" + STILL)), ["deadlock.collective"]);
    // Two pairs do not wait for each other.
    let pairs = "0 Comm_create_group group=0,1 names=4\n2 Comm_create_group group=2,3 names=4\n";
    assert_eq!(ids(&(pairs.to_owned() + "1 Comm_rank\n1 return\n3 Comm_create_group group=2,3 names=4" + LONG)), NONE);
    let inter = |tag: u32| {
        format!(
            "comm 3 = 0,1\ncomm 4 = 2,3\n0 Intercomm_create comm=3 agreed=0 group=1,2,9\n\
             1 Intercomm_create comm=3 agreed=0\n2 Intercomm_create comm=4 agreed=0 group=1,0,{tag}\n\
             3 Intercomm_create comm=4 agreed=0{STILL}"
        )
    };
    assert_eq!(ids(&inter(9)), NONE);
    assert_eq!(ids(&inter(8)), ["deadlock.collective"]);
    let leader = "comm 3 = 0,1\n0 Intercomm_create comm=3 agreed=0\n1 Intercomm_create comm=3 agreed=1";
    assert_eq!(ids(&(leader.to_owned() + STILL)), ["collective.argument"]);
}

#[test]
fn whether_anybody_computes() {
    let nobody = |text: &str, ms: u64| Scenario::parse(text).judged().nobody_computes(ms * 1_000_000, 700_000_000);
    let two = "0 Bcast root=0 int:1\n1 Barrier\nstandstill 1ms";
    assert!(nobody(two, 900));
    assert!(!nobody(two, 500), "not for long");
    assert!(!nobody(&format!("{two}\n2 Comm_rank\n2 return\nstandstill 2ms"), 900), "rank 2");
    // What was read after the last look may be the first of many calls.
    assert!(!nobody("0 Bcast root=0 int:1\nstandstill 1ms\n1 Barrier", 900));
    // The end of MPI may take its time.
    assert!(!nobody("0 Finalize\n1 Finalize\nstandstill 1ms", 900));
    assert!(nobody("0 Finalize\n1 Barrier\nstandstill 1ms", 900));
    assert!(nobody("0 Ibarrier op=1\n0 Wait ops=1\n1 Bcast root=0 int:1\nstandstill 1ms", 900));
    // What fits may be on its way.
    assert!(!nobody("0 Send to=1 tag=0 int:1\n1 Recv from=0 tag=0 int:1\nstandstill 1ms", 900));
}

#[test]
fn whether_any_call_returns() {
    let nobody = |text: &str, ms: u64| Scenario::parse(text).judged().nobody_returns(ms * 1_000_000, 10_000_000_000);
    // Whatever the calls wait for.
    let two = "0 Send to=1 tag=0 int:1\n1 Recv from=0 tag=0 int:1\nstandstill 1ms";
    assert!(nobody(two, 11_000));
    assert!(!nobody(two, 9_000), "not for long");
    assert!(!nobody(&format!("{two}\n1 return\nstandstill 2ms"), 11_000), "rank 1 computes");
    assert!(nobody("0 Finalize\n1 Barrier\nstandstill 1ms", 11_000));
    assert!(!nobody("", 11_000), "nobody has begun");
    // A file may take its time.
    let file = "0 Barrier\n1 File_sync\nstandstill 1ms";
    assert!(!nobody(file, 20_000) && nobody(file, 31_000));
}

#[test]
fn an_empty_buffer_is_waited_for() {
    let text = |receives: &str| {
        format!(
            "0 Bsend to=1 tag=0 int:9\n0 Buffer_detach flush\n0 Send to=1 tag=1 int:1\n1 {receives}\n0 Finalize\n1 Finalize"
        )
    };
    let stuck = "0 Bsend to=1 tag=0 int:9\n0 Buffer_detach flush\n1 Recv from=0 tag=1 int:1".to_owned();
    let found = one(&(stuck.clone() + LONG));
    assert_eq!(found.id, "deadlock.cycle");
    assert!(
        found.text.contains("waits in MPI_Buffer_detach until its buffered messages to rank 1 are received"),
        "{}",
        found.text
    );
    // It may be about to be transmitted; the message may be of another buffer.
    assert_eq!(ids(&(stuck.clone() + STILL)), NONE);
    assert_eq!(ids(&(stuck.replace("detach flush", "detach flush comm=1") + LONG)), NONE);
    // It worked, because the MPI sent it before it was received; in the other order it always does.
    let wrong = text("Recv from=0 tag=1 int:1\n1 Recv from=0 tag=0 int:9");
    assert_eq!(ids(&wrong), ["deadlock.buffering"]);
    assert_eq!(
        ids(&wrong.replace("Buffer_detach flush", "Buffer_iflush flush op=1\n0 Wait ops=1")),
        ["deadlock.buffering"]
    );
    // A session's buffer is that of several communicators, whichever of them has the message.
    for order in [["", " comm=7"], [" comm=7", ""]] {
        let flush = order.map(|comm| format!("Session_iflush_buffer flush op=1{comm}\n0 ")).concat() + "Wait ops=1";
        assert_eq!(ids(&wrong.replace("Buffer_detach flush", &flush)), ["deadlock.buffering"]);
    }
    assert_eq!(ids(&text("Recv from=0 tag=0 int:9\n1 Recv from=0 tag=1 int:1")), NONE);
    // Whichever is read first.
    let exchange = "0 Bsend to=1 tag=0 int:1\n0 Buffer_detach flush\n0 Recv from=1 tag=0 int:1\n0 return\n".to_owned();
    let other = exchange.replace("0 Bsend to=1", "1 Bsend to=0").replace("\n0 ", "\n1 ").replace("from=1", "from=0");
    for text in [format!("{exchange}{other}"), format!("{other}{exchange}")] {
        assert_eq!(ids(&(text + "0 Finalize\n1 Finalize")), ["deadlock.buffering"]);
    }
    // A request need not be waited for at once.
    let later = wrong.replace("Buffer_detach flush", "Buffer_iflush flush op=1");
    assert_eq!(ids(&later.replace("0 Finalize", "0 Wait ops=1\n0 Finalize")), NONE);
}

#[test]
fn buffers_that_are_emptied_are_not_kept() {
    let text = "0 Bsend to=1 tag=0 int:9\n0 Buffer_detach flush\n1 Recv from=0 tag=0 int:9\n".repeat(100);
    let judge = Scenario::parse(&(text + "0 Comm_rank\n1 Comm_rank\nstandstill 1ms")).judged();
    assert!(judge.outstanding() < 10, "{}", judge.outstanding());
}

#[test]
fn a_request_that_another_thread_completes() {
    let text = |last: &str| {
        format!(
            "multiple 0\n0 Irecv from=1 tag=0 int:1 op=1\n0 Wait ops=1 done= thread=1\n1 Send to=0 tag=0 int:1\n1 Finalize\n{last}"
        )
    };
    let judged = |last: &str| judged(&(text(last) + LONG));
    // It has come; another thread goes on, and may do anything.
    assert!(judged("asleep 0").is_empty());
    assert!(judged("0 complete op=1 status=1:0 thread=2").is_empty());
    let found = judged("0 complete op=1 status=1:0 thread=2\nasleep 0");
    assert_eq!(
        found.iter().map(|f| (f.id, f.confidence)).collect::<Vec<_>>(),
        [("deadlock.self", Confidence::Certain)]
    );
    assert!(found[0].text.contains("another of its threads has completed"), "{}", found[0].text);
}
