//! A log in any pieces has the same result, and any bytes have one.

use mpiscope_failures::{Scanner, catalogue};
use proptest::prelude::*;

fn result(log: &[u8], piece: usize) -> String {
    let mut scanner = Scanner::new(catalogue());
    scanner.begin_file("log");
    log.chunks(piece).for_each(|piece| scanner.feed(piece));
    serde_json::to_string(&scanner.finish()).unwrap()
}

#[test]
fn messages_at_every_place_of_a_piece_are_found() {
    // Longer than several pieces of 256 KiB; messages wander over their borders.
    let mut log = Vec::new();
    let mut messages = 0;
    while log.len() < 3 << 20 {
        log.extend_from_slice(b"nothing happens in this line\n".repeat(9 + messages % 7).as_slice());
        log.extend_from_slice(
            format!("Abort(1) on node {messages} (rank {messages} in comm 0): Fatal error in internal_Recv: Message truncated, error stack:\nx\n")
                .as_bytes(),
        );
        messages += 1;
    }
    let whole = result(&log, log.len());
    let found: serde_json::Value = serde_json::from_str(&whole).unwrap();
    let first = &found["messages"][0];
    assert_eq!(first["entry"]["id"], "mpi.truncated");
    assert_eq!(first["count"], messages);
    assert_eq!(first["ranks"].as_array().unwrap().len(), messages);
    for piece in [1000, 4096, 262_144, 262_145, 1_000_003] {
        assert!(result(&log, piece) == whole, "pieces of {piece} bytes");
    }
}

#[test]
fn messages_that_repeat_are_counted_and_all_their_ranks_are_named() {
    // Stacks of two texts each, whose rank is on another line than the second; and the same with a launcher's tags, in turn.
    let mut log = Vec::new();
    let (stacks, ranks) = (20_000, 3000);
    for at in 0..stacks {
        let rank = if at < 2000 { at % 10 } else { at % ranks };
        log.extend_from_slice(
            format!(
                "Abort(7) on node {rank} (rank {rank} in comm 0): Fatal error in internal_Send: Invalid rank, error stack:\n\
                 internal_Send(120): MPI_Send(buf=0x1, count=1, MPI_INT, 5, 0, MPI_COMM_WORLD) failed\n\
                 internal_Send(78).: Invalid rank has value 7{rank} but must be nonnegative and less than 7\n\
                 [1,{rank}]<stderr>:[host:{at}] *** An error occurred in MPI_Recv\n\
                 [1,{rank}]<stderr>:[host:{at}] *** MPI_ERR_TRUNCATE: message truncated\n"
            )
            .as_bytes(),
        );
    }
    let found: serde_json::Value = serde_json::from_str(&result(&log, log.len())).unwrap();
    for id in ["mpi.rank", "mpi.truncated"] {
        let message =
            found["messages"].as_array().unwrap().iter().find(|message| message["entry"]["id"] == id).unwrap();
        assert_eq!(message["count"], stacks, "{id}");
        assert_eq!(message["ranks"].as_array().unwrap().len(), ranks, "{id}");
    }
}

#[test]
fn lines_are_counted_over_all_pieces() {
    let log = b"1\n2\n3".repeat(200_000);
    let mut scanner = Scanner::new(catalogue());
    scanner.feed(&log);
    assert_eq!(scanner.finish().lines, 400_001);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_bytes_have_a_result(
        parts in prop::collection::vec(
            prop_oneof![
                prop::collection::vec(any::<u8>(), 0..300),
                Just(b"*** MPI_ERR_RANK: invalid rank\n".to_vec()),
                Just(b"[1,7]<stderr>:[host:12] *** An error occurred in MPI_Send\n".to_vec()),
                Just(b"FATAL error: \x1b[31m".to_vec()),
                Just(b"\x1b[".to_vec()),
                Just(b"[".to_vec()),
            ],
            0..60,
        ),
        piece in 1usize..5000,
    ) {
        let log = parts.concat();
        prop_assert_eq!(result(&log, piece), result(&log, log.len().max(1)));
    }
}
