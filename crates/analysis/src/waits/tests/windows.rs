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
    assert_eq!(waits(&elsewhere), []);
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
