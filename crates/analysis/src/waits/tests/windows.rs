use super::waits;

const EPOCH: &str = "window 1 = comm 1
    0 10 62 Win_start window=1
    0 63 64 Put window=1 target=1 bytes=8
    0 90 91 Win_complete window=1
    1 60 61 Win_post window=1
    1 62 95 Win_wait window=1";

#[test]
fn late_post_early_wait_and_late_complete() {
    let wanted =
        [("late_post", 0, 10, 60, Some(1)), ("early_wait", 1, 62, 64, Some(0)), ("late_complete", 1, 64, 90, Some(0))];
    assert_eq!(waits(EPOCH), wanted);
    let without = EPOCH.replace("1 60 61 Win_post", "1 5 6 Win_post").replace("0 10 62", "0 60 62");
    let without = without.replace("1 62 95", "1 92 95");
    assert_eq!(waits(&without), []);
}

#[test]
fn the_post_is_waited_for_in_complete() {
    let lazy = EPOCH.replace("0 10 62", "0 10 11").replace("0 63 64", "0 12 13").replace("0 90 91", "0 14 64");
    let wanted = [("late_post", 0, 14, 60, Some(1))];
    assert_eq!(waits(&lazy), wanted);
}

#[test]
fn each_epoch_has_its_post() {
    let text = format!(
        "{EPOCH}
         0 100 152 Win_start window=1
         0 153 154 Put window=1 target=1 bytes=8
         0 155 156 Win_complete window=1
         1 150 151 Win_post window=1
         1 157 158 Win_wait window=1"
    );
    let posts: Vec<_> = waits(&text).into_iter().filter(|w| w.0 == "late_post").collect();
    assert_eq!(posts, [("late_post", 0, 10, 60, Some(1)), ("late_post", 0, 100, 150, Some(1))]);
}

/// Rank 0 opens its window to rank 1 and then to rank 2, which has come long before and puts without waiting.
const BY_TURNS: &str = "window 1 = comm 1
    0 20 21 Win_post window=1 group=1
    0 22 40 Win_wait window=1
    0 60 61 Win_post window=1 group=2
    0 62 75 Win_wait window=1
    1 22 23 Win_start window=1 group=0
    1 24 25 Put window=1 target=0 bytes=8
    1 38 39 Win_complete window=1
    2 1 2 Win_start window=1 group=0
    2 3 4 Put window=1 target=0 bytes=8
    2 5 74 Win_complete window=1";

#[test]
fn the_group_says_which_post_is_meant() {
    let wanted =
        [("early_wait", 0, 22, 25, Some(1)), ("late_complete", 0, 25, 38, Some(1)), ("late_post", 2, 5, 60, Some(0))];
    assert_eq!(waits(BY_TURNS), wanted);
    // Without groups the first post that falls into the call is taken.
    let unknown: Vec<&str> = BY_TURNS.lines().map(|l| l.split(" group=").next().unwrap()).collect();
    assert!(waits(&unknown.join("\n")).contains(&("late_post", 2, 5, 20, Some(0))));
    let caveats = |text: &str| super::explained(text).caveats.iter().any(|c| c.contains("MPI_Win_post"));
    assert!(caveats(&unknown.join("\n")) && !caveats(BY_TURNS));
}

#[test]
fn who_is_named_is_waited_for() {
    // Nothing is put. Rank 0 needs both windows, rank 2 is open to both others.
    let text = "window 1 = comm 1
        0 10 51 Win_start window=1 group=2,1
        0 70 71 Win_complete window=1
        1 30 31 Win_post window=1 group=0
        1 32 72 Win_wait window=1
        2 50 51 Win_post window=1 group=0,1
        2 52 93 Win_wait window=1
        1 80 81 Win_start window=1 group=2
        1 90 91 Win_complete window=1";
    let wanted = [
        ("late_post", 0, 10, 50, Some(2)),
        ("late_complete", 1, 51, 70, Some(0)),
        ("late_complete", 2, 81, 90, Some(1)),
    ];
    let mut found = waits(text);
    found.retain(|w| w.0 != "early_wait");
    assert_eq!(found, wanted);
}

#[test]
fn nobody_named_nobody_waited_for() {
    let text = "window 1 = comm 1
        0 10 20 Win_start window=1 group=none
        0 21 40 Win_complete window=1
        1 15 16 Win_post window=1 group=none
        1 17 60 Win_wait window=1";
    assert_eq!(waits(text), []);
}

#[test]
fn targets_are_waited_for_one_after_the_other() {
    let text = "window 1 = comm 1
        0 10 11 Win_start window=1 group=1,2
        0 12 31 Put window=1 target=1 bytes=8
        0 32 52 Put window=1 target=2 bytes=8
        0 53 54 Win_complete window=1
        1 30 31 Win_post window=1 group=0
        1 60 61 Win_wait window=1
        2 50 51 Win_post window=1 group=0
        2 60 61 Win_wait window=1";
    assert_eq!(waits(text), [("late_post", 0, 12, 30, Some(1)), ("late_post", 0, 32, 50, Some(2))]);
}

#[test]
fn lock_contention() {
    let text = "window 1 = comm 1
        0 10 11 Win_lock window=1 target=2
        0 80 81 Win_unlock window=1 target=2
        1 20 82 Win_lock window=1 target=2
        1 83 84 Win_unlock window=1 target=2
        2 1 2 Comm_size";
    assert_eq!(waits(text), [("lock_contention", 1, 20, 80, Some(0))]);
    let shared = text.replace("1 20 82", "1 20 21");
    assert_eq!(waits(&shared), []);
    let elsewhere = text.replace("1 20 82 Win_lock window=1 target=2", "1 20 82 Win_lock window=1 target=0");
    assert_eq!(waits(&elsewhere), [("rma_wait_for_progress", 1, 20, 80, Some(0))]);
    // The lock is taken with the unlock only.
    let lazy = text.replace("1 20 82", "1 20 21").replace("1 83 84", "1 22 84");
    assert_eq!(waits(&lazy), [("lock_contention", 1, 22, 80, Some(0))]);
}

#[test]
fn no_contention_before_the_holder_asks() {
    // Rank 1 asks first, and the target makes no progress; rank 0 has the lock for a moment meanwhile.
    let text = "window 1 = comm 1
        1 20 82 Win_lock window=1 target=2
        1 83 84 Win_unlock window=1 target=2
        0 60 61 Win_lock window=1 target=2
        0 64 65 Win_unlock window=1 target=2
        2 1 2 Comm_size";
    assert_eq!(waits(text), [("lock_contention", 1, 60, 64, Some(0))]);
}

/// Rank 1 computes until 100; the MPI grants the lock only when it enters the barrier.
const TARGET_AWAY: &str = "window 1 = comm 1
    0 20 104 Win_lock window=1 target=1
    0 105 106 Put window=1 target=1 bytes=8
    0 107 109 Win_unlock window=1 target=1
    1 5 10 Comm_size
    1 100 120 Comm_rank";

#[test]
fn a_lock_waits_for_its_target() {
    assert_eq!(waits(TARGET_AWAY), [("rma_wait_for_progress", 0, 20, 100, Some(1))]);
    // The target may make several calls until the lock is granted.
    let several = TARGET_AWAY.replace("1 100 120", "1 100 101").to_owned() + "\n1 103 110 Comm_rank";
    assert_eq!(waits(&several), waits(TARGET_AWAY));
    // It counts only from when the target was outside of MPI,
    let left = TARGET_AWAY.replace("1 5 10", "1 5 50");
    assert_eq!(waits(&left), [("rma_wait_for_progress", 0, 50, 100, Some(1))]);
    // if the call returns soon after the target has come,
    let longer =
        TARGET_AWAY.replace("0 20 104", "0 20 121").replace("0 105 106", "0 122 123").replace("107 109", "124 125");
    assert_eq!(waits(&longer), []);
    // and not at a rank's own window.
    assert_eq!(waits(&TARGET_AWAY.replace("target=1", "target=0")), []);
}

#[test]
fn accesses_under_a_lock_of_all_wait_for_their_targets() {
    let text = "window 1 = comm 1
        0 1 2 Win_lock_all window=1
        0 20 21 Put window=1 target=1 bytes=8
        0 22 23 Put window=1 target=2 bytes=8
        0 24 84 Win_flush_all window=1
        0 90 99 Win_flush_all window=1
        1 5 10 Comm_size
        1 60 61 Comm_rank
        2 5 10 Comm_size
        2 80 120 Comm_rank";
    assert_eq!(waits(text), [("rma_wait_for_progress", 0, 24, 80, Some(2))]);
}

#[test]
fn requests_of_accesses_wait_for_their_targets() {
    let text = "window 1 = comm 1
        0 1 2 Win_lock_all window=1
        0 20 21 Rget window=1 target=1 bytes=8 request=1
        0 24 84 Wait request=1
        1 5 10 Comm_size
        1 80 81 Comm_rank";
    assert_eq!(waits(text), [("rma_wait_for_progress", 0, 24, 80, Some(1))]);
    // Unless a message may be meant.
    let mixed = text.replace("0 24 84 Wait", "0 22 23 Irecv from=1 bytes=8 request=2\n0 24 84 Wait");
    assert_eq!(waits(&mixed), []);
}

#[test]
fn who_is_not_needed_is_not_waited_for() {
    // An MPI that accesses memory directly: one unlock returned while the target was outside.
    let direct = format!(
        "{TARGET_AWAY}
        0 200 201 Win_lock window=1 target=1
        0 202 203 Put window=1 target=1 bytes=8
        0 204 230 Win_unlock window=1 target=1
        0 300 391 Win_lock window=1 target=1
        0 392 393 Win_unlock window=1 target=1
        1 390 400 Comm_rank"
    );
    assert_eq!(waits(&direct), [("rma_wait_for_progress", 0, 20, 100, Some(1))]);
    // The return of a lock, or of an unlock without an access, proves nothing.
    let nothing = direct.replace("0 202 203 Put window=1 target=1 bytes=8", "");
    let wanted = [("rma_wait_for_progress", 0, 20, 100, Some(1)), ("rma_wait_for_progress", 0, 300, 390, Some(1))];
    assert_eq!(waits(&nothing), wanted);
}

#[test]
fn contention_begins_when_the_target_comes() {
    let text = "window 1 = comm 1
        0 20 82 Win_lock window=1 target=2
        0 100 101 Win_unlock window=1 target=2
        1 30 103 Win_lock window=1 target=2
        1 104 105 Win_unlock window=1 target=2
        2 1 2 Comm_size
        2 80 120 Comm_rank";
    let wanted = [
        ("rma_wait_for_progress", 0, 20, 80, Some(2)),
        ("rma_wait_for_progress", 1, 30, 80, Some(2)),
        ("lock_contention", 1, 80, 100, Some(0)),
    ];
    assert_eq!(waits(text), wanted);
}
