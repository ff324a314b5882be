//! Windows and files: what conflicts, what does not, and random accesses against brute force.

use mpiscope_judge::Confidence;
use mpiscope_judge::testing::{ids, judged};
use proptest::prelude::*;

/// Confidence of the findings with an id.
fn sure(text: &str, id: &str) -> Vec<bool> {
    judged(text).iter().filter(|f| f.id == id).map(|f| f.confidence == Confidence::Certain).collect()
}

fn fences(epochs: &[&str], ranks: u32) -> String {
    let fence = |out: &mut String| (0..ranks).for_each(|r| out.push_str(&format!("{r} Win_fence\n")));
    let mut text = String::from("window 1 size=64 unit=4\n");
    fence(&mut text);
    for epoch in epochs {
        text += epoch;
        text.push('\n');
        fence(&mut text);
    }
    (0..ranks).for_each(|r| text.push_str(&format!("{r} Finalize\n")));
    text
}

#[test]
fn conflicts_in_one_epoch_of_fences() {
    let same = "1 Put target=0 disp=0 int:2\n2 Put target=0 disp=1 int:1";
    assert_eq!(sure(&fences(&[same], 3), "rma.conflict"), [true]);
    // In different epochs, at different places, of different targets, only read.
    assert!(ids(&fences(&["1 Put target=0 disp=0 int:2", "2 Put target=0 disp=1 int:1"], 3)).is_empty());
    assert!(ids(&fences(&["1 Put target=0 disp=0 int:1\n2 Put target=0 disp=1 int:1"], 3)).is_empty());
    assert!(ids(&fences(&["1 Put target=0 disp=0 int:1\n2 Put target=1 disp=0 int:1"], 3)).is_empty());
    assert!(ids(&fences(&["1 Get target=0 disp=0 int:1\n2 Get target=0 disp=0 int:1"], 3)).is_empty());
    // One origin.
    assert_eq!(sure(&fences(&["1 Put target=0 disp=0 int:1\n1 Get target=0 disp=0 int:1"], 2), "rma.conflict"), [true]);
}

#[test]
fn accumulates() {
    let two =
        |a: &str, b: &str| ids(&fences(&[&format!("1 {a} target=0 disp=0 int:1\n2 {b} target=0 disp=0 int:1")], 3));
    assert!(two("Accumulate MPI_SUM", "Accumulate MPI_SUM").is_empty());
    assert_eq!(two("Accumulate MPI_SUM", "Accumulate MPI_MAX"), ["rma.conflict-accumulate"]);
    assert!(two("Accumulate MPI_SUM", "Get_accumulate MPI_NO_OP fetch").is_empty());
    assert!(two("Fetch_and_op MPI_SUM fetch", "Compare_and_swap fetch").is_empty());
    assert_eq!(two("Accumulate MPI_SUM", "Put"), ["rma.conflict"]);
    assert_eq!(two("Accumulate MPI_SUM", "Get"), ["rma.conflict"]);
    // One origin's are in order.
    let one = "1 Accumulate MPI_SUM target=0 disp=0 int:1\n1 Accumulate MPI_MAX target=0 disp=0 int:1";
    assert!(ids(&fences(&[one], 2)).is_empty());
    // Different basic datatypes.
    let types = "1 Accumulate MPI_SUM target=0 disp=0 int:1\n2 Accumulate MPI_SUM target=0 disp=0 uint:1";
    assert_eq!(ids(&fences(&[types], 3)), ["rma.conflict-accumulate"]);
}

#[test]
fn strided_types_that_do_not_touch() {
    let column = "type column = int:1 repeat=4 stride=8\n";
    let put = |disp: u32| format!("1 Put target=0 disp=0 column:1\n2 Put target=0 disp={disp} column:1");
    assert!(ids(&(column.to_owned() + &fences(&[&put(1)], 3))).is_empty());
    assert_eq!(ids(&(column.to_owned() + &fences(&[&put(2)], 3))), ["rma.conflict"]);
}

#[test]
fn passive_targets() {
    let program = |first: &str, second: &str, between: &str| {
        format!(
            "window 1 size=64 unit=4\n1 Win_lock{first} targets=0\n1 Put target=0 disp=0 int:1\n1 Win_unlock targets=0\n\
             {between}\n2 Win_lock{second} targets=0\n2 Put target=0 disp=0 int:1\n2 Win_unlock targets=0\n\
             0 Finalize\n1 Finalize\n2 Finalize"
        )
    };
    assert_eq!(sure(&program("", "", ""), "rma.conflict"), [true]);
    assert!(ids(&program(" exclusive", " exclusive", "")).is_empty());
    assert!(ids(&program(" exclusive", "", "")).is_empty());
    assert!(ids(&program("", "", "1 Send to=2 tag=0 int:1\n2 Recv from=1 tag=0 int:1")).is_empty());
    // A flush orders, a local one only what reads.
    let flushed = |access: &str, flush: &str| {
        format!(
            "window 1 size=64 unit=4\n1 Win_lock_all\n2 Win_lock_all\n1 {access} target=0 disp=0 int:1\n1 {flush} targets=0\n\
             1 Send to=2 tag=0 int:1\n2 Recv from=1 tag=0 int:1\n2 Put target=0 disp=0 int:1\n1 Win_unlock_all\n\
             2 Win_unlock_all\n0 Finalize\n1 Finalize\n2 Finalize"
        )
    };
    assert!(ids(&flushed("Put", "Win_flush")).is_empty());
    assert_eq!(ids(&flushed("Put", "Win_flush_local")), ["rma.conflict"]);
    assert!(ids(&flushed("Get", "Win_flush_local")).is_empty());
}

#[test]
fn requests_of_accesses() {
    let program = |access: &str| {
        format!(
            "window 1 size=64 unit=4\n1 Win_lock_all\n2 Win_lock_all\n1 {access} target=0 disp=0 int:1 op=5\n1 Wait ops=5\n\
             1 Send to=2 tag=0 int:1\n2 Recv from=1 tag=0 int:1\n2 Put target=0 disp=0 int:1\n1 Win_unlock_all\n\
             2 Win_unlock_all\n0 Finalize\n1 Finalize\n2 Finalize"
        )
    };
    assert!(ids(&program("Rget")).is_empty());
    assert_eq!(ids(&program("Rput")), ["rma.conflict"]);
}

#[test]
fn exposures() {
    let program = |disp: u32| {
        format!(
            "window 1 size=64 unit=4\n0 Win_post targets=1,2\n1 Win_start targets=0\n2 Win_start targets=0\n\
             1 Put target=0 disp=0 int:1\n2 Put target=0 disp={disp} int:1\n1 Win_complete\n2 Win_complete\n0 Win_wait\n\
             0 Win_post targets=1\n1 Win_start targets=0\n1 Put target=0 disp=1 int:1\n1 Win_complete\n0 Win_wait\n\
             0 Finalize\n1 Finalize\n2 Finalize"
        )
    };
    assert_eq!(sure(&program(0), "rma.conflict"), [true]);
    assert!(ids(&program(1)).is_empty());
}

#[test]
fn outside_of_windows() {
    assert_eq!(sure(&fences(&["1 Put target=0 disp=15 int:2"], 2), "rma.target-range"), [true]);
    assert!(ids(&fences(&["1 Put target=0 disp=14 int:2"], 2)).is_empty());
    let dynamic = |attached: &str, at: u32| {
        format!(
            "window 1 dynamic\n{attached}\n1 Win_lock targets=0\n1 Put target=0 disp={at} int:2\n1 Win_unlock targets=0\n\
             0 Finalize\n1 Finalize"
        )
    };
    let piece = "0 memory attached address=8192 bytes=16";
    assert!(ids(&dynamic(piece, 8200)).is_empty());
    assert_eq!(ids(&dynamic(piece, 8204)), ["rma.target-range"]);
    // Pieces side by side; one that was not attached yet when it was read of.
    assert!(ids(&dynamic(&format!("{piece}\n0 memory attached address=8208 bytes=8"), 8204)).is_empty());
    let detached = format!("{piece} at=1000\n0 memory detached address=8192 at=2000");
    assert!(ids(&dynamic(&detached, 8192)).is_empty());
    let late =
        format!("{detached}\n1 Win_lock targets=0\n1 Put target=0 disp=8192 int:1 at=9000\n1 Win_unlock targets=0");
    assert_eq!(ids(&format!("window 1 dynamic\n{late}\n0 Finalize\n1 Finalize")), ["rma.target-range"]);
}

#[test]
fn own_memory_in_calls() {
    let window = "0 memory address=8192 bytes=64\n1 memory address=8192 bytes=64\n";
    let text = |put: &str, call: &str| window.to_owned() + &fences(&[&format!("1 {put}\n{call}")], 2);
    let send = "0 Send to=1 tag=0 int:1 address=8196\n1 Recv from=0 tag=0 int:1";
    assert_eq!(sure(&text("Put target=0 disp=1 int:1", send), "rma.conflict"), [true]);
    assert!(ids(&text("Put target=0 disp=2 int:1", send)).is_empty());
    assert!(ids(&text("Get target=0 disp=1 int:1", send)).is_empty());
    let receive = "1 Send to=0 tag=0 int:1\n0 Recv from=1 tag=0 int:1 address=8196";
    assert_eq!(sure(&text("Get target=0 disp=1 int:1", receive), "rma.conflict"), [true]);
    // The origin buffer of an access.
    let both = "0 Put target=1 disp=0 int:1 from=8192\n1 Put target=0 disp=0 int:1 from=8192";
    assert!(ids(&(window.to_owned() + &fences(&[both], 2))).contains(&"rma.conflict"));
    let apart = "0 Put target=1 disp=0 int:1 from=8196\n1 Put target=0 disp=0 int:1 from=8196";
    assert!(ids(&(window.to_owned() + &fences(&[apart], 2))).is_empty());
    // In another epoch.
    let later = window.to_owned() + &fences(&["1 Put target=0 disp=1 int:1", send], 2);
    assert!(ids(&later).is_empty());
    // A request that is still active.
    let pending = "0 Irecv from=1 tag=0 int:1 address=8192 op=3 site=9";
    let rest = "1 Send to=0 tag=0 int:1\n0 Wait ops=3";
    let text = window.to_owned() + &fences(&[&format!("{pending}\n1 Put target=0 disp=0 int:1\n{rest}")], 2);
    assert_eq!(sure(&text, "rma.conflict"), [true]);
}

#[test]
fn own_stores_under_locks() {
    let begin = "window 1 size=64 unit=4\n0 memory address=8192 bytes=64\n0 Barrier\n1 Barrier\n0 kept\n";
    let put = "1 Win_lock targets=0\n1 Put target=0 disp=0 int:1 content=1,2,3,4\n1 Win_unlock targets=0\n";
    let stored = "0 stored pieces=0,1 content=9\n";
    let meet = "1 Barrier\n0 Barrier\n";
    let end = "0 Finalize\n1 Finalize";
    let text = |parts: &[&str]| [&[begin], parts, &[end]].concat().concat();
    let found = |parts: &[&str]| sure(&text(parts), "rma.conflict");
    assert_eq!(found(&[put, meet, stored, "0 kept\n"]), [false]);
    // What the put has written.
    assert!(found(&[put, meet, "0 stored pieces=0,1 content=1\n0 kept\n"]).is_empty());
    // A barrier, or a message either way, is between the two.
    assert!(found(&[put, meet, "0 kept\n", meet, stored, "0 kept\n"]).is_empty());
    let told = "1 Send to=0 tag=0 int:1\n0 Recv from=1 tag=0 int:1\n0 kept\n";
    assert!(found(&[put, told, meet, stored, "0 kept\n"]).is_empty());
    let tells = "0 Send to=1 tag=0 int:1\n1 Recv from=0 tag=0 int:1\n";
    assert!(found(&[tells, put, meet, stored, "0 kept\n"]).is_empty());
    // The memory shows a put that the judge reads of later: its origin has left the barrier first.
    let next = put.replace("content=1", "content=9");
    assert!(found(&[put, meet, stored, "0 kept\n", &next, meet]).is_empty());
    assert_eq!(found(&[put, meet, stored, "0 kept\n", &put.replace("content=1", "content=8"), meet]), [false]);
    // After another barrier it is too late for that.
    assert_eq!(found(&[put, meet, stored, "0 kept\n", meet, &next, meet]), [false]);
}

#[test]
fn own_loads() {
    let window = "0 memory address=8192 bytes=64\n";
    let text = |epoch: &str, touched: &str| window.to_owned() + &fences(&[&format!("{epoch}\n{touched}")], 2);
    let put = "1 Put target=0 disp=0 int:2";
    let load = "0 touched loads active at=4 site=77";
    assert_eq!(sure(&text(put, load), "rma.conflict"), [true]);
    assert_eq!(sure(&text(load, put), "rma.conflict"), [true]);
    assert_eq!(sure(&text("1 Accumulate target=0 disp=1 int:1 sum", load), "rma.conflict"), [true]);
    // Of another place, of a word that is not all written, and of what is read.
    assert!(ids(&text(put, "0 touched loads active at=8")).is_empty());
    assert!(ids(&text(put, "0 touched loads active at=4 bytes=8")).is_empty());
    assert!(ids(&text("1 Get target=0 disp=0 int:2", load)).is_empty());
    assert_eq!(sure(&text("1 Get target=0 disp=0 int:2", "0 touched stores active at=4"), "rma.conflict"), [true]);
    // Nobody knows when one's own put comes.
    assert_eq!(sure(&text("0 Put target=0 disp=0 int:2", load), "rma.conflict"), [true]);
    assert!(ids(&text(load, "0 Put target=0 disp=0 int:2")).is_empty());
    // Who puts has heard from the target, which has read before that, or reads after it.
    let heard = "0 Send to=1 tag=0 int:1\n1 Recv from=0 tag=0 int:1\n1 Put target=0 disp=0 int:2";
    assert!(ids(&text(load, heard)).is_empty());
    assert_eq!(sure(&text(heard, load), "rma.conflict"), [true]);
    // The epoch before.
    let later = window.to_owned() + &fences(&[put, load], 2);
    assert!(ids(&later).is_empty());
}

#[test]
fn own_touches_under_locks() {
    let begin = "window 1 size=64 unit=4\n0 memory address=8192 bytes=64\n0 Barrier\n1 Barrier\n";
    let put = "1 Win_lock targets=0\n1 Put target=0 disp=0 int:1\n1 Win_unlock targets=0\n";
    let exclusive = put.replace("Win_lock ", "Win_lock exclusive ");
    let (load, store) = ("0 touched loads at=0 site=77\n", "0 touched stores at=0 site=77\n");
    let meet = "1 Barrier\n0 Barrier\n";
    let end = "0 Finalize\n1 Finalize";
    let found = |parts: &[&str]| sure(&[&[begin], parts, &[end]].concat().concat(), "rma.conflict");
    for touch in [load, store] {
        assert_eq!(found(&[put, touch, meet]), [false]);
        assert_eq!(found(&[touch, put, meet]), [false]);
        assert!(found(&[touch, meet, put, meet]).is_empty());
        assert!(found(&[put, meet, touch, meet]).is_empty());
        // What the process has learned meanwhile does not tell the others of it.
        assert_eq!(found(&[touch, "0 kept\n", put, meet]), [false]);
        // A lock helps if both have one.
        assert_eq!(found(&[&exclusive, touch, meet]), [false]);
        let locked = format!("0 Win_lock targets=0\n{touch}0 Win_unlock targets=0\n");
        assert!(found(&[&exclusive, &locked, meet]).is_empty());
        assert_eq!(found(&[put, &locked, meet]), [false]);
    }
}

#[test]
fn touches_of_shared_memory() {
    let begin = "window 1 size=64 unit=4\n0 memory address=8192 bytes=64\n0 Barrier\n1 Barrier\n";
    let (mine, other) = ("0 touched stores at=0 site=77\n", "1 touched loads target=0 at=0 site=78\n");
    let end = "0 Finalize\n1 Finalize";
    let found = |parts: &[&str]| sure(&[&[begin], parts, &[end]].concat().concat(), "rma.conflict");
    assert_eq!(found(&[mine, other]), [false]);
    assert!(found(&[mine, "1 Barrier\n0 Barrier\n", other]).is_empty());
    assert!(found(&["0 touched loads at=0 site=77\n", other]).is_empty());
    assert!(found(&[mine, "1 touched stores target=0 at=4 site=78\n"]).is_empty());
}

#[test]
fn flags_in_memory() {
    let begin = "window 1 size=64 unit=4\n";
    let end = "0 Barrier\n1 Barrier\n2 Barrier\n0 Finalize\n1 Finalize\n2 Finalize";
    let all = |rank: u32, middle: &str| format!("{rank} Win_lock_all\n{middle}{rank} Win_unlock_all\n");
    let put = |rank: u32| format!("{rank} Put target=0 disp=0 int:1\n{rank} Win_flush targets=0\n");
    let look = |rank: u32, at: u32| {
        format!("{rank} Fetch_and_op target=0 disp={at} int:1 no_op\n{rank} Win_flush targets=0\n")
    };
    let raise =
        |rank: u32, at: u32| format!("{rank} Accumulate target=0 disp={at} int:1 sum\n{rank} Win_flush targets=0\n");
    let found = |one: String, two: String| {
        let both = [begin, &all(1, &one), &all(2, &two), end].concat();
        let back = [begin, &all(2, &two), &all(1, &one), end].concat();
        let found = sure(&both, "rma.conflict");
        assert_eq!(found, sure(&back, "rma.conflict"));
        found
    };
    assert_eq!(found(put(1), put(2)), [true]);
    // The second one looks for what the first one does afterwards.
    assert!(found(put(1) + &raise(1, 4), look(2, 4) + &put(2)).is_empty());
    // More pairs than are kept, from many places and from one: the last ones are known.
    let here = |rank: u32| format!("{rank} Put target=0 disp=0 int:1 site=7\n{rank} Win_flush targets=0\n");
    for put in [&put as &dyn Fn(u32) -> String, &here] {
        let many = |rank: u32| put(rank).repeat(70);
        assert!(found(many(1) + &raise(1, 4), look(2, 4) + &many(2)).is_empty());
    }
    let many = |rank: u32| here(rank).repeat(70);
    assert_eq!(found(many(1) + &raise(1, 4) + &here(1), look(2, 4) + &many(2)), [false]);
    // Before, elsewhere, or too late.
    assert_eq!(found(raise(1, 4) + &put(1), look(2, 4) + &put(2)), [false]);
    assert_eq!(found(put(1) + &raise(1, 5), look(2, 4) + &put(2)), [false]);
    assert_eq!(found(put(1) + &raise(1, 4), put(2) + &look(2, 4)), [true]);
}

#[test]
fn who_may_have_seen_what_memory_says() {
    let begin = "window 1 size=64 unit=4\n0 Barrier\n1 Barrier\n2 Barrier\n3 Barrier\n";
    let end = "0 Finalize\n1 Finalize\n2 Finalize\n3 Finalize";
    let lock = |rank: u32, target: u32, middle: &str| {
        format!("{rank} Win_lock targets={target}\n{middle}{rank} Win_unlock targets={target}\n")
    };
    let put = |rank: u32| lock(rank, 0, &format!("{rank} Put target=0 disp=0 int:1\n"));
    let found = |parts: &[&str]| sure(&[&[begin], parts, &[end]].concat().concat(), "rma.conflict");
    let (one, two) = (put(1), put(2));
    assert_eq!(found(&[&one, &two]), [true]);
    // It looks into memory before, or afterwards only.
    let get = lock(2, 3, "2 Get target=3 disp=4 int:1\n");
    assert_eq!(found(&[&one, &get, &two]), [false]);
    assert_eq!(found(&[&one, &two, &get]), [true]);
    // Accesses that only read may be looks.
    assert_eq!(found(&[&one, &lock(2, 0, "2 Get target=0 disp=0 int:1\n")]), [false]);
    // A process writes into its own memory, or into that of the target, which then sends it a message.
    let flag = |target: u32| lock(1, target, &format!("1 Put target={target} disp=8 int:1\n"));
    assert_eq!(found(&[&one, &flag(2), &two]), [false]);
    assert_eq!(found(&[&one, &two, &flag(2)]), [false]);
    assert_eq!(found(&[&one, &flag(3), &two]), [true]);
    let told = |by: u32| format!("{by} Send to=2 tag=0 int:1\n2 Recv from={by} tag=0 int:1\n");
    assert_eq!(found(&[&one, &told(0), &two]), [false]);
    assert_eq!(found(&[&told(0), &one, &two]), [false]);
    assert_eq!(found(&[&one, &told(3), &two]), [true]);
    assert_eq!(found(&[&one, &flag(3), &told(3), &two]), [false]);
    // A lock that waits for another one, and what clocks do not follow.
    assert_eq!(found(&[&one, "3 Win_lock exclusive targets=3\n3 Win_unlock targets=3\n", &two]), [false]);
    assert_eq!(found(&[&one, "2 Ssend to=1 tag=0 int:1\n1 Recv from=2 tag=0 int:1\n", &two]), [false]);
    let shared = "3 memory shared address=8192 bytes=64\n";
    assert_eq!(found(&[shared, &one, &two]), [false]);
}

#[test]
fn locks_in_epochs_of_others() {
    let put = "0 Put target=1 disp=0 int:1\n";
    let locks = ["2 Win_lock targets=1\n2 Win_unlock targets=1\n", "2 Win_lock_all\n2 Win_unlock_all\n"];
    for lock in locks {
        for epoch in [put.to_owned() + lock, lock.to_owned() + put] {
            assert_eq!(sure(&fences(&[&epoch], 3), "rma.epoch-nested"), [true]);
        }
        assert!(ids(&fences(&[put, lock], 3)).is_empty());
        assert!(ids(&fences(&[lock, put], 3)).is_empty());
    }
    // Another target, and accesses under locks after the last fence.
    let other = put.to_owned() + "2 Win_lock targets=0\n2 Win_unlock targets=0";
    assert!(ids(&fences(&[&other], 3)).is_empty());
    let both = "0 Win_lock targets=1\n".to_owned() + put + "0 Win_unlock targets=1\n" + locks[0];
    assert!(ids(&fences(&[&both], 3)).is_empty());
}

#[test]
fn own_stores() {
    let window = "0 memory address=8192 bytes=64\n";
    let text = |epoch: &str, stored: &str| window.to_owned() + &fences(&[&format!("{epoch}\n{stored}")], 2);
    // Nobody else writes there.
    assert_eq!(sure(&text("1 Get target=0 disp=0 int:1", "0 stored pieces=0,1 content=9"), "rma.conflict"), [true]);
    assert!(ids(&text("1 Get target=0 disp=1 int:1", "0 stored pieces=0,1 content=9")).is_empty());
    // Its events are read before the other's, up to the end of the window.
    let first = "window 1 size=64 unit=4\n0 memory address=8192 bytes=64\n0 Win_fence\n0 stored pieces=0,1 content=9\n0 Win_fence\n\
                 0 memory detached address=8192\n1 Win_fence\n1 Get target=0 disp=0 int:1\n1 Win_fence\n0 Finalize\n1 Finalize";
    assert_eq!(sure(first, "rma.conflict"), [true]);
    // A put may have written it, but not this.
    let put = "1 Put target=0 disp=0 int:1 content=1,2,3,4";
    assert_eq!(sure(&text(put, "0 stored pieces=0,1 content=9"), "rma.conflict"), [true]);
    assert!(ids(&text(put, "0 stored pieces=0,2 content=1,2")).is_empty());
    assert!(ids(&text("1 Put target=0 disp=0 int:1", "0 stored pieces=0,1 content=9")).is_empty());
    assert!(ids(&text("1 Accumulate MPI_SUM target=0 disp=0 int:1", "0 stored pieces=0,1 content=9")).is_empty());
    // A message may have put the two in order.
    let told = "0 Send to=1 tag=0 int:1\n1 Recv from=0 tag=0 int:1\n1 Get target=0 disp=0 int:1";
    assert!(ids(&text(told, "0 stored pieces=0,1 content=9")).is_empty());
    // Two windows in the same memory: the other one's accesses are not looked at.
    let twice = "window 2 size=64\n0 memory window=2 address=8192 bytes=64\n";
    assert!(
        ids(&(twice.to_owned() + &text("1 Get target=0 disp=0 int:1", "0 stored pieces=0,1 content=9"))).is_empty()
    );
}

#[test]
fn assertions() {
    let text = "window 1 size=64\n0 Win_fence assert=4\n1 Win_fence\n1 Put target=0 disp=0 int:1\n0 Win_fence\n1 Win_fence\n\
                0 Finalize\n1 Finalize";
    assert_eq!(ids(text), ["rma.assertion"]);
    assert!(ids(&text.replace("Put", "Get")).is_empty());
    let differ = "window 1 size=64\n0 Win_fence assert=16\n1 Win_fence\n0 Finalize\n1 Finalize";
    assert_eq!(ids(differ), ["collective.argument"]);
    assert!(ids(&differ.replace("assert=16", "assert=4")).is_empty());
}

fn file(between: &str, second: &str) -> String {
    format!(
        "file 1 = out\n0 opened\n1 opened\n0 File_write_at offset=0 bytes=16\n{between}\n1 {second}\n\
         0 Finalize\n1 Finalize"
    )
}

#[test]
fn files() {
    let write = "File_write_at offset=8 bytes=16";
    let read = "File_read_at offset=8 bytes=16";
    let barrier = "0 Barrier\n1 Barrier";
    let sync = "0 ordered\n0 File_sync\n1 ordered\n1 File_sync";
    assert_eq!(sure(&file("", write), "io.overlap"), [false]);
    assert_eq!(ids(&file("", read)), ["io.overlap-read"]);
    assert!(ids(&file("", "File_write_at offset=16 bytes=16")).is_empty());
    assert_eq!(ids(&file(barrier, read)), ["io.overlap-read"]);
    assert!(ids(&file(&format!("{sync}\n{barrier}\n{sync}"), read)).is_empty());
    // The writer has, the reader has not.
    assert_eq!(ids(&file(&format!("0 ordered\n{barrier}"), read)), ["io.overlap-read"]);
    let atomic = "file 1 = out\n0 ordered atomic\n1 ordered atomic\n0 File_write_at offset=0 bytes=16\n\
                  1 File_write_at offset=8 bytes=16\n0 Finalize\n1 Finalize";
    assert!(ids(atomic).is_empty());
}

#[test]
fn views_and_names() {
    let views = |second: u32| {
        format!(
            "type every = int:1 gap:4\nfile 1 = out\n0 opened\n1 opened\n0 view begin=0 every:1\n1 view begin={second} every:1\n\
             0 File_write_at offset=0 bytes=16\n1 File_write_at offset=0 bytes=16\n0 Finalize\n1 Finalize"
        )
    };
    assert!(ids(&views(4)).is_empty());
    assert_eq!(ids(&views(8)), ["io.overlap"]);
    // One file, opened by each rank for itself.
    let own = |second: u32| {
        format!(
            "file 1 = out self\n0 opened identity=7\n1 opened identity={second}\n0 File_write_at offset=0 bytes=16\n\
             1 File_write_at offset=0 bytes=16\n0 Finalize\n1 Finalize"
        )
    };
    assert_eq!(ids(&own(7)), ["io.overlap"]);
    assert!(ids(&own(8)).is_empty());
}

/// Two ranks, and a barrier between two groups of lines; each line is of both ranks where it names none.
fn shared(lines: &[&str]) -> Vec<&'static str> {
    let mut text = String::from("file 1 = out\n0 opened\n1 opened\n");
    for line in lines {
        match line.starts_with(['0', '1']) {
            true => text += &format!("{line}\n"),
            false => text += &format!("0 {line}\n1 {line}\n"),
        }
    }
    ids(&(text + "0 Finalize\n1 Finalize"))
}

#[test]
fn shared_file_pointers() {
    let (sync, barrier) = ("ordered", "Barrier");
    // Rank 1 writes behind rank 0.
    assert!(shared(&["File_write_ordered bytes=16", "0 File_write_at offset=0 bytes=16"]).is_empty());
    assert_eq!(shared(&["File_write_ordered bytes=16", "0 File_write_at offset=20 bytes=4"]), ["io.overlap"]);
    assert_eq!(shared(&["0 File_read_at offset=20 bytes=4", "File_write_ordered bytes=16"]), ["io.overlap-read"]);
    assert!(shared(&["File_write_ordered bytes=16", "0 File_write_at offset=32 bytes=16"]).is_empty());
    assert!(
        shared(&["File_write_ordered bytes=16", sync, barrier, sync, "0 File_write_at offset=20 bytes=4"]).is_empty()
    );
    // Each reads what it has written, or what the other one has.
    let again = |seek, read0, read1| shared(&["File_write_ordered bytes=16", seek, read0, read1]);
    let (zero, one) = ("0 File_read_ordered bytes=16", "1 File_read_ordered bytes=16");
    assert!(again("seek to=0", zero, one).is_empty());
    assert_eq!(again("seek to=0", "0 File_read_ordered bytes=20", one), ["io.overlap-read"]);
    assert_eq!(again("seek by=-16", zero, one), ["io.overlap-read"]);
    assert!(again("seek by=16", zero, one).is_empty());
    // Nobody knows where the end is.
    assert!(again("seek", zero, one).is_empty());
    // One behind the other, in an order that messages make or none.
    let write = ["0 File_write_shared bytes=16", barrier, "1 File_write_shared bytes=8"];
    let with = |line: &'static str| shared(&[&write[..], &[line]].concat());
    assert!(with("1 File_write_at offset=16 bytes=8").is_empty());
    assert_eq!(with("0 File_write_at offset=16 bytes=8"), ["io.overlap"]);
    assert_eq!(with("1 File_write_at offset=8 bytes=8"), ["io.overlap"]);
    assert!(with("0 File_write_at offset=24 bytes=8").is_empty());
    let both = "File_write_shared bytes=16";
    assert_eq!(shared(&[both, "seek to=0", "0 File_read_at offset=0 bytes=32"]), ["io.overlap-read"]);
    assert!(shared(&[both, sync, barrier, sync, "seek to=0", "0 File_read_at offset=0 bytes=32"]).is_empty());
    // What comes before the other one's place is known is compared all the same, as is what is in order with it.
    assert_eq!(
        shared(&[
            "0 File_write_ordered bytes=16",
            "0 File_write_at offset=16 bytes=8",
            "1 File_write_ordered bytes=16"
        ]),
        ["io.overlap"]
    );
    assert!(
        shared(&["1 File_write_at offset=0 bytes=8", sync, barrier, sync, "File_write_ordered bytes=16"]).is_empty()
    );
    // Behind the end of the file, wherever that is.
    let append = "file 1 = out\n0 opened append\n1 opened append\n0 File_write_ordered bytes=16\n1 File_write_ordered bytes=16\n\
                  0 File_write_at offset=16 bytes=16\n0 Finalize\n1 Finalize";
    assert!(ids(append).is_empty());
}

#[test]
fn a_view_moves_the_shared_pointer_to_its_begin() {
    let views = |second: u32| {
        format!(
            "type every = int:1 gap:4\nfile 1 = out\n0 opened\n1 opened\n0 File_write_ordered bytes=16\n1 File_write_ordered bytes=16\n\
             0 view begin={second} every:1\n1 view begin={second} every:1\n0 File_read_shared bytes=8\n0 Finalize\n1 Finalize"
        )
    };
    assert_eq!(ids(&views(8)), ["io.overlap-read"]);
    // Its two elements are at 4 and 12, which the rank has written itself; at 12 and 20.
    assert!(ids(&views(4)).is_empty());
    assert_eq!(ids(&views(12)), ["io.overlap-read"]);
}

#[test]
fn room_for_buffered_sends() {
    let program = |room: u32, between: &str| {
        format!(
            "0 attach bytes={room}\n0 Bsend to=1 tag=0 int:10 at=10000\n{between}\n0 Bsend to=1 tag=1 int:10 at=30000\n\
             1 Recv from=0 tag=0 int:10 at=50000\n1 Recv from=0 tag=1 int:10 at=60000\n0 Finalize\n1 Finalize"
        )
    };
    assert_eq!(sure(&program(79, ""), "buffered-send.buffer"), [true]);
    assert!(ids(&program(80, "")).is_empty());
    // Received before the second one, or detached in between.
    let early = program(40, "").replace("at=50000", "at=20000");
    assert!(ids(&early).is_empty());
    assert!(ids(&program(40, "0 attach bytes=0\n0 attach bytes=40")).is_empty());
    // The communicator's own comes before it, until it is detached.
    assert!(ids(&program(40, "0 attach bytes=40 comm=1")).is_empty());
    assert!(ids(&program(40, "0 attach bytes=40 comm=2")).contains(&"buffered-send.buffer"));
    let (attach, detach) = ("0 attach bytes=100 comm=1", "0 attach bytes=0 comm=1");
    assert_eq!(sure(&program(40, &format!("{attach}\n{detach}")), "buffered-send.buffer"), [true]);
}

/// Kind, origin, target, first int, ints.
type One = (usize, u32, u32, u32, u32);

const KINDS: [&str; 4] = ["Put", "Get", "Accumulate MPI_SUM", "Accumulate MPI_MAX"];

fn expected(epochs: &[Vec<One>]) -> bool {
    let clash = |a: &One, b: &One| {
        let kinds = (a.0.min(b.0), a.0.max(b.0));
        let fine = match kinds {
            (1, 1) | (2, 2) | (3, 3) => true,
            (2, 3) => a.1 == b.1,
            _ => false,
        };
        a.2 == b.2 && a.3 < b.3 + b.4 && b.3 < a.3 + a.4 && !fine
    };
    epochs.iter().any(|e| (0..e.len()).any(|i| (0..i).any(|j| clash(&e[i], &e[j]))))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn random_accesses_against_brute_force(
        epochs in proptest::collection::vec(
            proptest::collection::vec((0usize..4, 0u32..3, 0u32..3, 0u32..14, 1u32..3), 0..5), 1..4),
        merged in any::<bool>(),
    ) {
        let spell = |(at, (kind, origin, target, from, count)): (usize, &One)| {
            let site = if merged { *kind } else { at + 10 };
            format!("{origin} {} target={target} disp={from} int:{count} site={site}", KINDS[*kind])
        };
        let texts: Vec<String> =
            epochs.iter().map(|e| e.iter().enumerate().map(spell).collect::<Vec<_>>().join("\n")).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let found = ids(&fences(&texts, 3));
        prop_assert_eq!(found.iter().any(|id| id.starts_with("rma.conflict")), expected(&epochs), "{:?}", epochs);
        prop_assert!(found.iter().all(|id| id.starts_with("rma.conflict")));
    }
}

#[test]
fn windows_with_the_same_memory() {
    let program = |first: &str, second: &str, late: bool| {
        let memory = "0 memory window=2 address=8200 bytes=56\n";
        let (early, late) = if late { ("", memory) } else { (memory, "") };
        format!(
            "window 1 size=64 unit=1\nwindow 2 size=56 unit=1\n0 memory address=8192 bytes=64\n{early}\
             0 Win_fence\n1 Win_fence\n2 Win_fence\n0 Win_fence window=2\n1 Win_fence window=2\n2 Win_fence window=2\n\
             {first}\n{second}\n{late}0 Win_fence\n1 Win_fence\n2 Win_fence\n\
             0 Win_fence window=2\n1 Win_fence window=2\n2 Win_fence window=2\n0 Finalize\n1 Finalize\n2 Finalize"
        )
    };
    let put = "1 Put target=0 disp=8 int:1";
    for late in [false, true] {
        assert_eq!(sure(&program(put, "2 Put target=0 disp=0 int:1 window=2", late), "rma.conflict"), [true], "{late}");
        assert_eq!(sure(&program(put, "2 Get target=0 disp=3 int:1 window=2", late), "rma.conflict"), [true], "{late}");
        // Other bytes; both read.
        assert!(ids(&program(put, "2 Put target=0 disp=4 int:1 window=2", late)).is_empty());
        assert!(ids(&program(&put.replace("Put", "Get"), "2 Get target=0 disp=0 int:1 window=2", late)).is_empty());
    }
    let one = |second: &str| program(put, second, false);
    assert_eq!(sure(&one("1 Put target=0 disp=0 int:1 window=2"), "rma.conflict"), [true]);
    // Not even accumulates are atomic.
    let accumulate = "1 Accumulate target=0 disp=8 int:1 MPI_SUM\n2 Accumulate target=0 disp=0 int:1 MPI_SUM window=2";
    assert_eq!(sure(&program(accumulate, "", false), "rma.conflict"), [true]);
    // Between the epochs there is an order.
    let between =
        "1 Put target=0 disp=8 int:1\n0 Win_fence\n1 Win_fence\n2 Win_fence\n2 Put target=0 disp=0 int:1 window=2";
    assert!(ids(&program(between, "", false)).is_empty());
    // Locks of one window keep nobody out of the other one.
    let locks = "window 1 size=64\nwindow 2 size=64\n0 memory address=8192 bytes=64\n0 memory window=2 address=8192 bytes=64\n\
         1 Win_lock targets=0 exclusive\n2 Win_lock targets=0 exclusive window=2\n1 Put target=0 disp=0 int:1\n\
         2 Put target=0 disp=0 int:1 window=2\n1 Win_unlock targets=0\n2 Win_unlock targets=0 window=2\n\
         0 Finalize\n1 Finalize\n2 Finalize";
    assert_eq!(sure(locks, "rma.conflict"), [false]);
}

#[test]
fn buffers_of_accesses_that_lie_in_windows() {
    let rule = "buffer.send-written";
    let begin = "window 1 size=64 unit=4\n0 memory address=8192 bytes=64\n0 Win_fence\n1 Win_fence\n";
    let end = "0 Win_fence\n1 Win_fence\n0 Finalize\n1 Finalize\n";
    let of = |middle: &str| begin.to_owned() + middle + end;
    let put = "0 Put target=1 disp=0 int:1 from=8192\n";
    assert_eq!(sure(&of(&format!("{put}0 changed address=8192 bytes=4\n")), rule), [true]);
    // Another process has put there, which is a conflict with the access; whichever is read first.
    let theirs = "1 Put target=0 disp=0 int:1\n";
    for text in [
        format!("{theirs}{put}0 changed address=8192 bytes=4\n"),
        format!("{put}0 changed address=8192 bytes=4\n{theirs}"),
    ] {
        assert_eq!(ids(&of(&text)), ["rma.conflict"]);
    }
    // Elsewhere, or in the next epoch.
    let elsewhere = "1 Put target=0 disp=1 int:1\n";
    assert_eq!(sure(&of(&format!("{put}0 changed address=8192 bytes=4\n{elsewhere}")), rule), [true]);
    let later = format!("{put}0 changed address=8192 bytes=4\n0 Win_fence\n1 Win_fence\n{theirs}");
    assert_eq!(ids(&of(&later)), [rule]);
    // Under locks others may still come.
    let locks = |theirs: &str| {
        format!(
            "window 1 size=64 unit=4\n0 memory address=8192 bytes=64\n0 Win_lock_all\n1 Win_lock_all\n{put}0 changed \
             address=8192\n0 Win_unlock_all\n{theirs}1 Win_unlock_all\n0 Barrier\n1 Barrier\n0 Finalize\n1 Finalize\n"
        )
    };
    assert_eq!(sure(&locks(""), rule), [true]);
    assert!(sure(&locks(theirs), rule).is_empty());
    // Who was told that the access is complete is too late to have done it.
    let told = "0 Send to=1 tag=0 int:1\n1 Recv from=0 tag=0 int:1\n";
    assert_eq!(sure(&locks(&format!("{told}{theirs}")), rule), [true]);
}

#[test]
fn promises_of_windows() {
    let rule = "rma.assertion";
    let begin = "window 1 size=64 unit=4\n0 memory address=8192 bytes=64\n0 Win_fence\n1 Win_fence\n";
    let end = "1 Win_fence\n0 Finalize\n1 Finalize\n";
    // MPI_MODE_NOSTORE: bytes have changed, and nobody else has written them.
    let fence = "0 stored pieces=4,4 content=9\n0 Win_fence assert=2\n";
    assert_eq!(sure(&format!("{begin}{fence}{end}"), rule), [true]);
    assert!(ids(&format!("{begin}0 stored pieces=4,4 content=9\n0 Win_fence\n{end}")).is_empty());
    assert!(ids(&format!("{begin}0 Win_fence assert=2\n{end}")).is_empty());
    for put in ["1 Put target=0 disp=1 int:1\n", "1 Put target=0 disp=0 int:2\n"] {
        assert!(ids(&format!("{begin}{put}{fence}{end}")).is_empty());
        // Whichever was read first.
        assert!(ids(&format!("{begin}{fence}{put}{end}")).is_empty());
    }
    assert_eq!(sure(&format!("{begin}1 Put target=0 disp=2 int:1\n{fence}{end}"), rule), [true]);
    // Of two places the one that nobody has written.
    let two = "0 stored pieces=4,4,16,4 content=9\n0 Win_fence assert=2\n";
    let found = judged(&format!("{begin}{two}1 Put target=0 disp=1 int:1\n{end}"));
    assert!(found.len() == 1 && found[0].text.contains("bytes 16 to 19"), "{found:?}");
    // accumulate_ops.
    let both = "0 Accumulate MPI_SUM target=0 disp=0 int:1\n1 Get_accumulate MPI_NO_OP fetch target=0 disp=0 int:1\n";
    let sums = "0 Accumulate MPI_SUM target=0 disp=0 int:1\n1 Get_accumulate MPI_SUM fetch target=0 disp=0 int:1\n";
    let ops = |promise: &str, both: &str| {
        sure(&format!("{begin}{promise}{both}0 Win_fence\n{end}"), "rma.conflict-accumulate")
    };
    let promise = "0 promised same_op\n1 promised same_op\n";
    assert_eq!(ops(promise, both), [true]);
    assert!(ops(promise, sums).is_empty() && ops("", both).is_empty());
    assert!(ops("0 promised same_op\n0 promised\n", both).is_empty());
}

#[test]
fn parts_that_were_promised_to_be_alike() {
    let told = |window: &str, promised: [&str; 2]| -> Vec<String> {
        let [one, other] = promised;
        let text =
            format!("window 1 size=64 unit=4 {window}\n0 promised {one}\n1 promised {other}\n0 Finalize\n1 Finalize");
        judged(&text).into_iter().map(|f| format!("{} {:?} {}", f.id, f.confidence, f.text)).collect()
    };
    let found = told("unlike", ["same_size"; 2]);
    assert!(found.len() == 1 && found[0].starts_with("rma.assertion Certain"), "{found:?}");
    assert!(found[0].contains("rank 0 passes 64 bytes and rank 1 65 bytes"), "{found:?}");
    let found = told("unlike", ["same_unit"; 2]);
    assert!(found.len() == 1 && found[0].contains("rank 0 passes 4 bytes and rank 1 5 bytes"), "{found:?}");
    assert_eq!(told("", ["same_size same_unit"; 2]), Vec::<String>::new());
    assert_eq!(told("unlike", ["same_op"; 2]), Vec::<String>::new());
    // Memory is attached later.
    assert_eq!(told("dynamic unlike", ["same_size"; 2]), Vec::<String>::new());
    // One alone promises nothing.
    assert_eq!(told("unlike", ["same_size", "same_unit"]), Vec::<String>::new());
}

#[test]
fn nocheck() {
    let begin = "window 1 size=64 unit=4\n";
    let end = "0 Win_complete\n1 Win_wait\n0 Finalize\n1 Finalize\n";
    // Further apart than their clocks.
    let timed = |lines: &str| -> String {
        lines.lines().enumerate().map(|(at, line)| format!("{line} at={}\n", 10_000 * (at + 1))).collect()
    };
    let epoch = |lines: &str| sure(&format!("{begin}{}{end}", timed(lines)), "rma.assertion");
    assert!(epoch("1 Win_post targets=0 assert=1\n0 Win_start targets=1 assert=1\n").is_empty());
    assert!(epoch("0 Win_start targets=1\n1 Win_post targets=0\n").is_empty());
    assert_eq!(epoch("0 Win_start targets=1 assert=1\n1 Win_post targets=0 assert=1\n"), [true]);
    assert_eq!(epoch("1 Win_post targets=0\n0 Win_start targets=1 assert=1\n"), [true]);
    assert_eq!(epoch("1 Win_post targets=0 assert=1\n0 Win_start targets=1\n"), [true]);
    let ends = "0 Finalize\n1 Finalize\n";
    let locks = |lines: &str| sure(&format!("{begin}{}{ends}", timed(lines)), "rma.assertion");
    let one = "0 Win_lock exclusive targets=0 assert=1\n";
    let at_once = |other: &str| format!("{one}1 {other}\n0 Win_unlock targets=0\n");
    assert_eq!(locks(&(at_once("Win_lock exclusive targets=0") + "1 Win_unlock targets=0\n")), [true]);
    assert_eq!(locks(&(at_once("Win_lock targets=0") + "1 Win_unlock targets=0\n")), [true]);
    assert_eq!(locks(&(at_once("Win_lock_all") + "1 Win_unlock_all\n")), [true]);
    assert!(locks(&(at_once("Win_lock exclusive targets=1") + "1 Win_unlock targets=1\n")).is_empty());
    // One after the other; shared ones; nobody has promised anything.
    let after = "0 Win_unlock targets=0\n1 Win_lock exclusive targets=0 assert=1\n1 Win_unlock targets=0\n";
    assert!(locks(&format!("{one}{after}")).is_empty());
    let shared = "0 Win_lock targets=0 assert=1\n1 Win_lock targets=0 assert=1\n0 Win_unlock targets=0\n1 Win_unlock targets=0\n";
    assert!(locks(shared).is_empty());
    assert!(locks(&shared.replace(" assert=1", "").replace("Win_lock", "Win_lock exclusive")).is_empty());
}

#[test]
fn memory_that_an_access_beyond_the_window_may_have_changed() {
    let window = "window 1 size=64 unit=4\n0 memory address=8192 bytes=64\n";
    let text = |put: &str| {
        window.to_owned()
            + &fences(&[&format!("{put}\n2 Get target=0 disp=14 int:1\n0 stored pieces=56,4 content=9")], 3)
    };
    assert_eq!(ids(&text("")), ["rma.conflict"]);
    assert_eq!(ids(&text("1 Put target=0 disp=14 int:4")), ["rma.target-range"]);
    assert_eq!(ids(&text("1 Get target=0 disp=14 int:4")).len(), 2);
}
