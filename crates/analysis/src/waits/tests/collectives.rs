use super::{explained, waits};

#[test]
fn barrier() {
    let text = "0 10 42 Barrier
                1 40 44 Barrier
                2 20 43 Barrier";
    let found = waits(text);
    assert_eq!(
        found,
        [
            ("wait_at_barrier", 0, 10, 40, Some(1)),
            ("barrier_completion", 1, 42, 44, None),
            ("wait_at_barrier", 2, 20, 40, Some(1)),
            ("barrier_completion", 2, 42, 43, None),
        ]
    );
    assert_eq!(waits("0 10 12 Barrier\n1 10 12 Barrier"), []);
}

#[test]
fn nxn() {
    let text = "0 10 42 Allreduce bytes=8
                1 40 42 Allreduce bytes=8";
    assert_eq!(waits(text), [("wait_at_nxn", 0, 10, 40, Some(1))]);
    let nonblocking = "0 10 11 Iallreduce bytes=8 request=1
                       0 20 44 Wait requests=1
                       1 40 43 Iallreduce bytes=8 request=1
                       1 43 44 Wait requests=1";
    assert_eq!(waits(nonblocking), [("wait_at_nxn", 0, 20, 40, Some(1))]);
}

#[test]
fn an_operation_that_has_begun_waits_for_members_that_compute() {
    let text = "0 10 11 Iallreduce bytes=8 request=1
                0 20 94 Wait requests=1
                1 10 11 Iallreduce bytes=8 request=1
                1 90 95 Wait requests=1";
    assert_eq!(waits(text), [("wait_for_progress", 0, 20, 90, Some(1)), ("nxn_completion", 1, 94, 95, None)]);
    // It called MPI meanwhile, or the operation was complete before, or long after.
    let called = text.replace("1 90 95", "1 60 61 Initialized\n1 90 95");
    assert_eq!(waits(&called)[0], ("wait_for_progress", 0, 61, 90, Some(1)));
    for other in ["0 20 60", "0 20 200"] {
        assert!(!waits(&text.replace("0 20 94", other)).iter().any(|wait| wait.0 == "wait_for_progress"));
    }
}

#[test]
fn neighbours_in_a_graph() {
    // Each rank receives from the one before it: only rank 2 waits for rank 1.
    let text = "0 10 12 Neighbor_alltoall bytes=8 comm=2
                1 40 42 Neighbor_alltoall bytes=8 comm=2
                2 10 42 Neighbor_alltoall bytes=8 comm=2
                3 10 12 Neighbor_alltoall bytes=8 comm=2";
    let graph = format!("comm 2 = 0,1,2,3\ngraph 2 = 3;0;1;2\n{text}");
    assert_eq!(waits(&graph), [("wait_at_nxn", 2, 10, 40, Some(1))]);
    // Rank 0 sends to rank 1, and leaves when that one is there: Open MPI holds its message. Or somewhat later, for another reason.
    let held = graph.replace("0 10 12", "0 10 42");
    assert_eq!(waits(&held), [("wait_at_nxn", 0, 10, 40, Some(1)), ("wait_at_nxn", 2, 10, 40, Some(1))]);
    assert_eq!(waits(&graph.replace("0 10 12", "0 10 60")), [("wait_at_nxn", 2, 10, 40, Some(1))]);
    let is_caveat = |text: &str| text.starts_with("Neighbours in some topologies are not recorded");
    assert!(!explained(&graph).caveats.iter().any(|text| is_caveat(text)));
    let unknown = format!("comm 2 = 0,1,2,3\n{text}");
    assert_eq!(waits(&unknown), []);
    assert!(explained(&unknown).caveats.iter().any(|text| is_caveat(text)));
}

#[test]
fn a_loop_of_tests_waits_for_an_operation() {
    let text = "0 10 11 Ibarrier request=1
                0 12 44 Test requests=1 calls=90
                0 45 46 Test requests=1
                1 40 41 Ibarrier request=1
                1 42 43 Wait requests=1";
    assert_eq!(waits(text), [("wait_at_barrier", 0, 12, 40, Some(1)), ("barrier_completion", 0, 43, 44, None)]);
}

#[test]
fn who_needs_nothing_does_not_wait() {
    let text = "0 10 12 Alltoallv bytes=8
                1 90 99 Alltoallv bytes=8";
    assert_eq!(waits(text), []);
}

#[test]
fn broadcast() {
    let text = "0 40 42 Bcast root=0 bytes=8
                1 10 43 Bcast root=0 bytes=8
                2 50 51 Bcast root=0 bytes=8";
    assert_eq!(waits(text), [("late_broadcast", 1, 10, 40, Some(0))]);
    let early = text.replace("0 40 42", "0 4 5");
    assert_eq!(waits(&early), []);
}

#[test]
fn reduce() {
    let text = "0 10 42 Reduce root=0 bytes=8
                1 40 41 Reduce root=0 bytes=8
                2 20 21 Reduce root=0 bytes=8";
    assert_eq!(waits(text), [("early_reduce", 0, 10, 40, Some(1))]);
    let late = text.replace("0 10 42", "0 50 51");
    assert_eq!(waits(&late), []);
}

#[test]
fn scan() {
    let text = "0 30 31 Scan bytes=8
                1 10 32 Scan bytes=8
                2 50 51 Scan bytes=8
                3 20 53 Exscan bytes=8";
    assert_eq!(waits(text), [("early_scan", 1, 10, 30, Some(0)), ("early_scan", 3, 20, 50, Some(2))]);
}

#[test]
fn fence() {
    let text = "window 1 = comm 1
                0 10 42 Win_fence window=1
                1 40 42 Win_fence window=1";
    assert_eq!(waits(text), [("wait_at_fence", 0, 10, 40, Some(1))]);
    let passes = text.replace("0 10 42", "0 10 11");
    assert_eq!(waits(&passes), []);
}

#[test]
fn objects() {
    let text = "0 10 42 Comm_dup
                1 40 42 Comm_dup";
    assert_eq!(waits(text), [("wait_at_nxn", 0, 10, 40, Some(1))]);
    assert_eq!(waits("0 10 12 Comm_free\n1 40 42 Comm_free"), []);
}

#[test]
fn a_waitall_of_both_waits_once() {
    // The message comes at 50, the last member of the operation at 70.
    let text = "0 1 2 Irecv from=1 tag=1 bytes=8 request=1
                0 2 3 Iallreduce bytes=8 request=2
                0 10 75 Waitall requests=1,2
                1 50 51 Send to=0 tag=1 bytes=8
                1 70 71 Iallreduce bytes=8 request=1
                1 71 75 Wait requests=1";
    let found = waits(text);
    assert_eq!(found, [("late_sender", 0, 10, 50, Some(1)), ("wait_at_nxn", 0, 50, 70, Some(1))]);
}
