use super::{explained, waits};

#[test]
fn late_sender() {
    let text = "0 50 60 Send to=1 tag=1 bytes=8
                1 10 62 Recv from=0 tag=1 bytes=8";
    assert_eq!(waits(text), [("late_sender", 1, 10, 50, Some(0))]);
    let text = "0 5 6 Send to=1 tag=1 bytes=8
                1 10 12 Recv from=0 tag=1 bytes=8";
    assert_eq!(waits(text), []);
}

#[test]
fn a_wait_ends_with_its_call() {
    // Clocks that are not in step: the send seems to begin after the receive is over.
    let text = "0 50 60 Send to=1 tag=1 bytes=8
                1 10 40 Recv from=0 tag=1 bytes=8";
    assert_eq!(waits(text), [("late_sender", 1, 10, 40, Some(0))]);
}

#[test]
fn the_wait_is_where_a_receive_is_completed() {
    let text = "0 50 60 Send to=1 tag=1 bytes=8
                1 1 2 Irecv from=0 tag=1 bytes=8 request=1
                1 30 61 Wait requests=1";
    assert_eq!(waits(text), [("late_sender", 1, 30, 50, Some(0))]);
    let tested = text.replace("30 61 Wait", "60 61 Test");
    assert_eq!(waits(&tested), []);
    let tested = text.replace("30 61 Wait", "30 61 Test");
    assert_eq!(waits(&tested), [], "a Test does not wait");
}

#[test]
fn waitall_waits_for_the_last() {
    let text = "0 50 52 Send to=2 tag=1 bytes=8
                1 80 82 Send to=2 tag=1 bytes=8
                2 1 2 Irecv from=0 tag=1 bytes=8 request=1
                2 2 3 Irecv from=1 tag=1 bytes=8 request=2
                2 30 85 Waitall requests=1,2";
    assert_eq!(waits(text), [("late_sender", 2, 30, 80, Some(1))]);
}

#[test]
fn waitany_waits_for_one() {
    let text = "0 50 52 Send to=2 tag=1 bytes=8
                1 80 82 Send to=2 tag=1 bytes=8
                2 1 2 Irecv from=0 tag=1 bytes=8 request=1
                2 2 3 Irecv from=1 tag=1 bytes=8 request=2
                2 30 53 Waitany requests=1
                2 60 85 Waitany requests=2";
    assert_eq!(waits(text), [("late_sender", 2, 30, 50, Some(0)), ("late_sender", 2, 60, 80, Some(1))]);
    let both = "0 50 52 Send to=2 tag=1 bytes=8
                1 51 53 Send to=2 tag=1 bytes=8
                2 1 2 Irecv from=0 tag=1 bytes=8 request=1
                2 2 3 Irecv from=1 tag=1 bytes=8 request=2
                2 30 53 Waitsome requests=1,2";
    assert_eq!(waits(both), [("late_sender", 2, 30, 50, Some(0))]);
}

#[test]
fn sendrecv_waits_for_the_other_side() {
    let text = "0 10 65 Sendrecv to=1 from=1 tag=1 bytes=8
                1 60 65 Sendrecv to=0 from=0 tag=1 bytes=8";
    assert_eq!(waits(text), [("late_sender", 0, 10, 60, Some(1))]);
}

#[test]
fn an_exchange_in_a_ring_may_be_kept_by_the_receiver() {
    // Rank 0 has its data from rank 2 at once, and goes on when rank 1 comes, though the message is small.
    let text = "0 10 900 Sendrecv to=1 from=2 tag=1 bytes=100
                2 9 12 Sendrecv to=0 from=1 tag=1 bytes=100
                1 5 6 Isend to=2 tag=1 bytes=100 request=1
                1 895 900 Recv from=0 tag=1 bytes=100
                1 901 902 Wait requests=1";
    assert_eq!(waits(text), [("late_receiver", 0, 10, 895, Some(1))]);
}

#[test]
fn an_exchange_is_not_a_late_receiver() {
    // Rank 1 posts its receive a little after its send: that is when it comes, not another reason to wait.
    let text = "0 10 11 Isend to=1 tag=1 bytes=100000 request=1
                0 11 12 Irecv from=1 tag=1 bytes=100000 request=2
                0 12 95 Waitall requests=1,2
                1 60 61 Isend to=0 tag=1 bytes=100000 request=1
                1 62 63 Irecv from=0 tag=1 bytes=100000 request=2
                1 63 95 Waitall requests=1,2";
    assert_eq!(waits(text), [("late_sender", 0, 12, 60, Some(1))]);
}

#[test]
fn late_receiver() {
    let text = "0 10 65 Send to=1 tag=1 bytes=100000
                1 60 66 Recv from=0 tag=1 bytes=100000";
    assert_eq!(waits(text), [("late_receiver", 0, 10, 60, Some(1))]);
    let returned = "0 10 12 Send to=1 tag=1 bytes=100000
                    1 60 66 Recv from=0 tag=1 bytes=100000";
    assert_eq!(waits(returned), []);
    let synchronous = "0 10 61 Ssend to=1 tag=1 bytes=8
                       1 60 66 Recv from=0 tag=1 bytes=8";
    assert_eq!(waits(synchronous), [("late_receiver", 0, 10, 60, Some(1))]);
    let buffered = synchronous.replace("Ssend", "Bsend");
    assert_eq!(waits(&buffered), []);
    let completed = "0 10 11 Isend to=1 tag=1 bytes=100000 request=1
                     0 20 65 Wait requests=1
                     1 60 66 Recv from=0 tag=1 bytes=100000";
    assert_eq!(waits(completed), [("late_receiver", 0, 20, 60, Some(1))]);
}

/// Sends a message every 100 µs while there is room for `room`; the receiver computes 1 ms for each.
fn sender_ahead(room: u64) -> String {
    let (mut text, mut now) = (String::new(), 0);
    let received = |at: u64| 1000 * (at + 1);
    for at in 0..60u64 {
        let start = now + 100;
        now = at.checked_sub(room).map_or(0, |taken| received(taken) + 5).max(start + 2);
        text += &format!("0 {start} {now} Send to=1 tag=1 bytes=8 site=1\n");
        text += &format!("1 {} {} Recv from=0 tag=1 bytes=8 site=2\n", received(at), received(at) + 3);
    }
    text
}

#[test]
fn a_send_without_room_waits_for_an_earlier_receive() {
    let found = waits(&sender_ahead(40));
    assert_eq!(found.len(), 16);
    // The 45th is begun when 4 have been received, and there is room when the fifth is.
    assert_eq!(found[0], ("late_receiver", 0, 4588, 5000, Some(1)));
    assert_eq!(waits(&sender_ahead(60)), []);
}

#[test]
fn the_reason_of_a_send_without_room_is_the_computing_of_its_receiver() {
    let e = explained(&sender_ahead(20));
    let ids: Vec<_> = e.findings.iter().map(|f| f.id).collect();
    assert_eq!(ids.first(), Some(&"load_imbalance"), "{ids:?}");
    assert!(ids.contains(&"late_receiver") && !ids.contains(&"unexplained_mpi_time"), "{ids:?}");
}

#[test]
fn sizes_that_are_eager_do_not_wait() {
    // The first send is over long before its receive: so a slow one of that size has waited for something else.
    let text = "0 10 12 Send to=1 tag=1 bytes=4000
                1 60 66 Recv from=0 tag=1 bytes=4000
                0 100 104 Send to=1 tag=1 bytes=4000
                1 103 107 Recv from=0 tag=1 bytes=4000";
    assert_eq!(waits(text), []);
    let slow = text.replace("0 100 104", "0 100 113");
    assert_eq!(waits(&slow.replace("1 103 107", "1 108 114")), [], "it goes on long after the receive");
    // The MPI keeps the sender until the receiver comes.
    assert_eq!(waits(&slow.replace("1 103 107", "1 111 114")), [("late_receiver", 0, 100, 111, Some(1))]);
    // The MPI's buffers are full.
    let full = text.replace("0 100 104", "0 100 300").replace("1 103 107", "1 290 301");
    assert_eq!(waits(&full), [("late_receiver", 0, 100, 290, Some(1))]);
}

#[test]
fn wrong_order() {
    let same = "0 20 21 Send to=1 tag=2 bytes=8
                0 50 52 Send to=1 tag=1 bytes=8
                1 10 53 Recv from=0 tag=1 bytes=8
                1 54 55 Recv from=0 tag=2 bytes=8";
    assert_eq!(waits(same), [("wrong_order_same_source", 1, 10, 50, Some(0))]);
    let other = "0 50 52 Send to=1 tag=1 bytes=8
                 2 20 21 Send to=1 tag=1 bytes=8
                 1 10 53 Recv from=0 tag=1 bytes=8
                 1 54 55 Recv from=2 tag=1 bytes=8";
    assert_eq!(waits(other), [("wrong_order_different_source", 1, 10, 50, Some(0))]);
    // What is sent in between may need what was waited for: the other message is that of the next iteration.
    let next =
        other.replace("1 54 55", "1 53 54 Send to=0 tag=5 bytes=8\n1 54 55") + "\n0 60 61 Recv from=1 tag=5 bytes=8";
    assert!(waits(&next).iter().all(|w| w.0 == "late_sender"), "{:?}", waits(&next));
    let right = other.replace("2 20 21", "2 51 52");
    assert_eq!(waits(&right), [("late_sender", 1, 10, 50, Some(0))]);
}

#[test]
fn wait_for_progress() {
    // The receiver waits until the sender, which computes, completes what it has begun.
    let text = "0 10 11 Isend to=1 tag=1 bytes=1000000 request=1
                0 200 230 Wait requests=1
                1 20 229 Recv from=0 tag=1 bytes=1000000";
    assert_eq!(waits(text), [("wait_for_progress", 1, 20, 200, Some(0))]);
    // In MPI for something else meanwhile: there would have been progress.
    let inside = text.replace("0 200 230 Wait", "0 90 190 Comm_dup comm=2\n0 200 230 Wait");
    assert_eq!(waits(&format!("comm 2 = 0\n{inside}")), []);
    let by_itself = text.replace("1 20 229", "1 20 150");
    assert_eq!(waits(&by_itself), []);
    // The other way round.
    let text = "0 20 229 Send to=1 tag=1 bytes=1000000
                1 10 11 Irecv from=0 tag=1 bytes=1000000 request=1
                1 200 230 Wait requests=1";
    assert_eq!(waits(text), [("wait_for_progress", 0, 20, 200, Some(1))]);
}

#[test]
fn late_sender_and_then_no_progress() {
    let text = "0 50 51 Isend to=1 tag=1 bytes=1000000 request=1
                0 200 230 Wait requests=1
                1 20 229 Recv from=0 tag=1 bytes=1000000";
    assert_eq!(waits(text), [("late_sender", 1, 20, 50, Some(0)), ("wait_for_progress", 1, 51, 200, Some(0))]);
}

#[test]
fn what_it_says() {
    let text = "0 1 2 Comm_size
                1 1 2 Comm_size
                0 50000 50010 Send to=1 tag=1 bytes=8 site=3
                1 10000 50010 Recv from=0 tag=1 bytes=8 site=2 region=halo";
    let explanation = explained(text);
    let finding = explanation.findings.iter().find(|f| f.id == "late_sender").expect("a finding");
    assert_eq!((finding.cost_ns, &finding.ranks[..], &finding.cause_ranks[..]), (40_000_000, &[1][..], &[0][..]));
    assert_eq!(finding.title, "Rank 0 sends late: 40.0 ms (40.0 % of the rank time) of waiting in MPI_Recv");
    assert_eq!(finding.regions, ["halo"]);
    assert_eq!((finding.proof[0].rank, finding.proof[0].start_ns), (1, 10_000_000));
    let row = &explanation.waits[0];
    assert_eq!((row.id, row.rank, row.cause_rank, row.function), ("late_sender", 1, Some(0), "MPI_Recv"));
    assert_eq!((row.wait_ns, row.count, row.region.as_deref()), (40_000_000, 1, Some("halo")));
    // Less than 1 %, and less than 1 ms.
    let little = text.replace("0 50000 50010", "0 10400 10500").replace("1 10000 50010", "1 10000 50011");
    assert!(explained(&little).findings.iter().all(|f| f.id != "late_sender"));
}

#[test]
fn a_probe_waits_for_the_sender() {
    let text = "0 50 52 Send to=1 tag=1 bytes=8
                1 10 53 Probe from=0 tag=1
                1 54 55 Recv from=0 tag=1 bytes=8";
    assert_eq!(waits(text), [("late_sender", 1, 10, 50, Some(0))]);
    // One from anybody; what the status says is not known.
    assert_eq!(waits(&text.replace("Probe from=0 tag=1", "Probe from=any tag=any")), waits(text));
    let matched = text.replace("10 53 Probe", "10 53 Mprobe").replace("54 55 Recv", "54 55 Mrecv");
    assert_eq!(waits(&matched), waits(text));
    // It reported another message, which nobody received.
    let other = text.replace("0 50 52 Send", "0 60 62 Send").replace("1 54 55", "1 63 64");
    assert_eq!(waits(&other), []);
    let there = text.replace("0 50 52 Send", "0 5 6 Send");
    assert_eq!(waits(&there), []);
    // A poll is no wait.
    assert_eq!(waits(&text.replace("Probe", "Iprobe")), []);
}

#[test]
fn a_loop_of_polls_waits() {
    let probes = "0 50 52 Send to=1 tag=1 bytes=8
                  1 10 51 Iprobe from=0 tag=1 calls=90
                  1 51 52 Iprobe from=0 tag=1 status=0:1:8
                  1 53 55 Recv from=0 tag=1 bytes=8";
    assert_eq!(waits(probes), [("late_sender", 1, 10, 50, Some(0))]);
    let tests = "0 50 52 Send to=1 tag=1 bytes=8
                 1 1 2 Irecv from=0 tag=1 bytes=8 request=1
                 1 10 51 Test requests=1 calls=90
                 1 51 52 Test requests=1";
    assert_eq!(waits(tests), [("late_sender", 1, 10, 50, Some(0))]);
    // A look now and then between pieces of work is no wait.
    for text in [probes, tests] {
        assert_eq!(waits(&text.replace("calls=90", "calls=1 inside=1")), []);
        // Nor is a poll for each small piece of work.
        assert_eq!(waits(&text.replace("calls=90", "calls=90 inside=25")), []);
        // Nor are polls for something else, long before.
        let others = "\n1 51 51 Initialized".repeat(5);
        let (first, last) = text.split_once("calls=90").unwrap();
        assert_eq!(waits(&format!("{first}calls=90{others}{last}")), []);
    }
    // What is taken after that was not waited for.
    let two = format!("{probes}\n0 52 53 Send to=1 tag=2 bytes=8\n1 56 57 Recv from=0 tag=2 bytes=8");
    assert_eq!(waits(&two), waits(probes));
    // The polls end a moment before the send begins, on clocks that are not in step.
    assert_eq!(waits(&probes.replace("0 50 52", "0 52 53")), [("late_sender", 1, 10, 51, Some(0))]);
    let of_send = "1 50 60 Recv from=0 tag=1 bytes=8000000
                   0 1 2 Isend to=1 tag=1 bytes=8000000 request=1
                   0 10 55 Test requests=1 calls=90
                   0 55 56 Test requests=1";
    assert_eq!(waits(of_send), [("late_receiver", 0, 10, 50, Some(1))]);
    let several = "0 50 52 Send to=2 tag=1 bytes=8
                   1 80 82 Send to=2 tag=1 bytes=8
                   2 1 2 Irecv from=0 tag=1 bytes=8 request=1
                   2 2 3 Irecv from=1 tag=1 bytes=8 request=2
                   2 30 83 Testall requests=1,2 calls=90
                   2 83 85 Testall requests=1,2";
    assert_eq!(waits(several), [("late_sender", 2, 30, 80, Some(1))]);
}

#[test]
fn polls_in_turn_wait_for_what_succeeds() {
    let probed = "1 1 2 Irecv from=0 tag=2 bytes=8 request=1
                  0 50 52 Send to=1 tag=1 bytes=8
                  1 10 30 Iprobe from=0 tag=1 calls=40
                  1 30 51 Test requests=1 calls=40
                  1 51 52 Iprobe from=0 tag=1 status=0:1:8
                  1 53 55 Recv from=0 tag=1 bytes=8";
    let both = [("late_sender", 1, 10, 30, Some(0)), ("late_sender", 1, 30, 50, Some(0))];
    assert_eq!(waits(probed), both);
    let tested = "1 1 2 Irecv from=0 tag=1 bytes=8 request=1
                  0 50 52 Send to=1 tag=1 bytes=8
                  1 10 30 Test requests=1 calls=40
                  1 30 51 Iprobe from=0 tag=2 calls=40
                  1 51 52 Test requests=1";
    assert_eq!(waits(tested), both);
    // Both at once are one wait.
    let then = format!("{probed}\n0 52 53 Send to=1 tag=2 bytes=8\n1 55 56 Test requests=1");
    assert_eq!(waits(&then), both);
    // The loop tests once more when the probe has succeeded.
    let once_more = probed.replace("1 53 55 Recv", "1 52 53 Test requests=1 calls=1 inside=1\n1 53 55 Recv");
    assert_eq!(waits(&once_more), both);
    // Another call between them.
    let other = probed.replace("1 30 51 Test", "1 30 30 Initialized\n1 31 51 Test");
    assert_eq!(waits(&other), both[..1]);
}

#[test]
fn each_probe_has_its_message() {
    let text = "0 50 52 Send to=1 tag=1 bytes=8
                1 10 53 Probe from=0 tag=1
                1 54 55 Recv from=0 tag=1 bytes=8
                0 90 91 Send to=1 tag=1 bytes=8
                1 70 92 Recv from=0 tag=1 bytes=8";
    assert_eq!(waits(text), [("late_sender", 1, 10, 50, Some(0)), ("late_sender", 1, 70, 90, Some(0))]);
}
