//! What has no order: races of receives, conflicts in windows and files.

use mpiscope_judge::testing::{ids, judged};
use mpiscope_judge::{Confidence, Severity};

const NONE: [&str; 0] = [];

fn ended(text: &str) -> String {
    format!("{text}\n0 Finalize\n1 Finalize\n2 Finalize")
}

#[test]
fn two_senders_and_any_source() {
    let text = "0 Send to=2 tag=1 int:1\n1 Send to=2 tag=1 int:1\n2 Recv from=any tag=1 int:1 status=0:1\n2 Recv from=any tag=1 int:1 status=1:1";
    let found = judged(&ended(text));
    assert_eq!(found.len(), 1, "{found:#?}");
    assert_eq!(
        (found[0].id, found[0].severity, found[0].confidence),
        ("race.receive", Severity::Hint, Confidence::Possible)
    );
    assert!(
        found[0]
            .text
            .starts_with("Rank 2 received a message from rank 0 in MPI_COMM_WORLD (MPI_Recv); the one that rank 1")
    );
    // Sources named; tags that differ; a message that is sent because of the first one.
    let named =
        "0 Send to=2 tag=1 int:1\n1 Send to=2 tag=1 int:1\n2 Recv from=0 tag=1 int:1\n2 Recv from=1 tag=1 int:1";
    assert_eq!(ids(&ended(named)), NONE);
    let tags = "0 Send to=2 tag=1 int:1\n1 Send to=2 tag=2 int:1\n2 Recv from=any tag=1 int:1 status=0:1\n2 Recv from=any tag=2 int:1 status=1:2";
    assert_eq!(ids(&ended(tags)), NONE);
    let after = "0 Send to=2 tag=1 int:1\n2 Recv from=any tag=1 int:1 status=0:1\n2 Send to=1 tag=0 int:1\n1 Recv from=2 tag=0 int:1\n1 Send to=2 tag=1 int:1\n2 Recv from=any tag=1 int:1 status=1:1";
    assert_eq!(ids(&ended(after)), NONE);
    let barrier = "0 Send to=2 tag=1 int:1\n2 Recv from=any tag=1 int:1 status=0:1\n0 Barrier\n1 Barrier\n2 Barrier\n1 Send to=2 tag=1 int:1\n2 Recv from=any tag=1 int:1 status=1:1";
    assert_eq!(ids(&ended(barrier)), NONE);
    let later = &barrier
        .replace("Barrier", "Ibarrier op=9")
        .replace("\n1 Send", "\n0 Wait ops=9\n1 Wait ops=9\n2 Wait ops=9\n1 Send");
    assert_eq!(ids(&ended(later)), NONE);
    // One sender keeps its order.
    let same = "0 Send to=2 tag=1 int:1\n0 Send to=2 tag=1 int:1\n2 Recv from=any tag=1 int:1 status=0:1\n2 Recv from=any tag=1 int:1 status=0:1";
    assert_eq!(ids(&ended(&format!("{same}\n1 Comm_rank"))), NONE);
    // What is read first does not matter.
    let late = "2 Recv from=any tag=1 int:1 status=0:1\n2 Recv from=any tag=1 int:1 status=1:1\n2 Comm_rank\n1 Send to=2 tag=1 int:1\n0 Send to=2 tag=1 int:1";
    assert_eq!(ids(&ended(late)), ["race.receive"]);
}

#[test]
fn probes() {
    let text = "0 Send to=2 tag=1 int:1\n1 Send to=2 tag=1 int:1\n2 Probe from=any tag=1 status=0:1\n2 Recv from=0 tag=1 int:1\n2 Recv from=1 tag=1 int:1";
    assert_eq!(ids(&ended(text)), ["race.probe"]);
    assert_eq!(ids(&ended(&text.replace("from=any", "from=0"))), NONE);
    assert_eq!(
        ids(&ended(&text.replace("1 Send to=2 tag=1", "1 Send to=2 tag=3").replace("from=1 tag=1", "from=1 tag=3"))),
        NONE
    );
}

#[test]
fn puts_in_one_epoch() {
    let fence = |a: &str, b: &str| {
        ended(&format!(
            "window 1 unit=4\ntype column = int:1 repeat=4 stride=16\n0 Win_fence\n1 Win_fence\n2 Win_fence\n0 {a}\n1 {b}\n0 \
             Win_fence\n1 Win_fence\n2 Win_fence"
        ))
    };
    let found = judged(&fence("Put target=2 disp=0 int:4", "Put target=2 disp=3 int:1"));
    assert_eq!((found.len(), found[0].id, found[0].confidence), (1, "rma.conflict", Confidence::Certain), "{found:#?}");
    assert!(
        found[0].text.starts_with("Bytes 12 to 15 of the target: rank 0 writes (MPI_Put) and rank 1 writes"),
        "{}",
        found[0].text
    );
    assert_eq!(ids(&fence("Put target=2 disp=0 int:4", "Put target=2 disp=4 int:1")), NONE);
    assert_eq!(ids(&fence("Put target=2 disp=0 int:4", "Put target=1 disp=0 int:4")), NONE, "other targets");
    assert_eq!(ids(&fence("Put target=2 disp=0 int:4", "Get target=2 disp=0 int:1")), ["rma.conflict"]);
    assert_eq!(ids(&fence("Get target=2 disp=0 int:4", "Get target=2 disp=0 int:1")), NONE);
    assert_eq!(
        ids(&fence("Put target=2 disp=0 column:1", "Put target=2 disp=1 column:1")),
        NONE,
        "columns side by side"
    );
    assert_eq!(ids(&fence("Put target=2 disp=0 column:1", "Put target=2 disp=4 int:1")), ["rma.conflict"]);
    assert_eq!(ids(&fence("Accumulate target=2 MPI_SUM int:1", "Accumulate target=2 MPI_SUM int:1")), NONE);
    assert_eq!(
        ids(&fence("Accumulate target=2 MPI_SUM int:1", "Accumulate target=2 MPI_MAX int:1")),
        ["rma.conflict-accumulate"]
    );
    assert_eq!(
        ids(&fence("Accumulate target=2 MPI_SUM int:1", "Accumulate target=2 MPI_SUM float:1")),
        ["rma.conflict-accumulate"]
    );
    assert_eq!(ids(&fence("Accumulate target=2 MPI_SUM int:1", "Put target=2 int:1")), ["rma.conflict"]);
}

#[test]
fn puts_in_epochs_one_after_the_other() {
    let fences = "0 Win_fence\n1 Win_fence\n2 Win_fence\n";
    let text = format!("window 1\n{fences}0 Put target=2 int:1\n{fences}1 Put target=2 int:1\n{fences}");
    assert_eq!(ids(&ended(&text)), NONE);
    let own = format!("window 1\n{fences}0 Put target=2 int:1\n0 Get target=2 int:1\n{fences}");
    assert_eq!(ids(&ended(&own)), ["rma.conflict"]);
    let flushed = "window 1\n0 Win_lock targets=2\n0 Put target=2 int:1\n0 Win_flush targets=2\n0 Get target=2 int:1\n0 Win_unlock targets=2\n1 Comm_rank\n2 Comm_rank";
    assert_eq!(ids(&ended(flushed)), NONE);
    assert_eq!(ids(&ended(&flushed.replace("0 Win_flush targets=2\n", ""))), ["rma.conflict"]);
}

#[test]
fn locks() {
    let text = |how: &str, between: &str| {
        ended(&format!(
            "window 1\n0 Win_lock targets=2{how}\n0 Put target=2 int:1\n0 Win_unlock targets=2\n{between}1 Win_lock \
             targets=2{how}\n1 Put target=2 int:1\n1 Win_unlock targets=2\n2 Comm_rank"
        ))
    };
    assert_eq!(ids(&text(" exclusive", "")), NONE);
    let found = judged(&text("", ""));
    assert_eq!(
        (found[0].id, found[0].confidence),
        ("rma.conflict", Confidence::Certain),
        "no process looks into memory"
    );
    assert_eq!(ids(&text("", "0 Barrier\n1 Barrier\n2 Barrier\n")), NONE);
}

#[test]
fn post_and_start() {
    let one = |origin: u32| {
        format!(
            "2 Win_post targets={origin}\n{origin} Win_start targets=2\n{origin} Put target=2 int:1\n{origin} Win_complete\n2 Win_wait\n"
        )
    };
    assert_eq!(ids(&ended(&format!("window 1\n{}{}", one(0), one(1)))), NONE);
    let both = "window 1\n2 Win_post targets=0,1\n0 Win_start targets=2\n1 Win_start targets=2\n0 Put target=2 int:1\n1 Put target=2 int:1\n0 Win_complete\n1 Win_complete\n2 Win_wait";
    let found = judged(&ended(both));
    assert_eq!((found.len(), found[0].id, found[0].confidence), (1, "rma.conflict", Confidence::Certain));
}

#[test]
fn files() {
    let text = |a: &str, b: &str, between: &str| ended(&format!("file 1 = out\n0 {a}\n{between}1 {b}\n2 Comm_rank"));
    let write = |at: u32| format!("File_write_at offset={at} bytes=100");
    assert_eq!(ids(&text(&write(0), &write(50), "")), ["io.overlap"]);
    assert_eq!(ids(&text(&write(0), &write(100), "")), NONE);
    // What comes later has to begin with a synchronisation of its own (MPI-5.0 §14.6.1).
    let sync = "0 ordered\n0 File_sync\n1 ordered\n1 File_sync\n2 File_sync\n";
    let barrier = "0 Barrier\n1 Barrier\n2 Barrier\n";
    assert_eq!(ids(&text(&write(0), &write(50), &[sync, barrier].concat())), ["io.overlap"]);
    assert_eq!(ids(&text(&write(0), &write(50), &[sync, barrier, sync].concat())), NONE);
    assert_eq!(ids(&text(&write(0), "File_read_at offset=0 bytes=1", "")), ["io.overlap-read"]);
    assert_eq!(ids(&text("File_read_at offset=0 bytes=1", "File_read_at offset=0 bytes=1", "")), NONE);
}
