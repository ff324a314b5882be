//! Messages: a wrong scenario, its right twin, and the edge of each rule.

use mpiscope_judge::testing::{ids, judged};
use mpiscope_judge::{Confidence, Finding};

const NONE: [&str; 0] = [];

fn one(text: &str) -> Finding {
    let mut found = judged(text);
    assert_eq!(found.len(), 1, "{found:#?}");
    found.remove(0)
}

/// With the end of two ranks.
fn ended(text: &str) -> String {
    format!("{text}\n0 Finalize\n1 Finalize")
}

#[test]
fn datatypes() {
    let found = one(&ended("0 Send to=1 tag=3 int:4\n1 Recv from=0 tag=3 float:4"));
    assert_eq!((found.id, found.confidence), ("message.datatype", Confidence::Certain));
    assert_eq!(
        found.text,
        "Rank 0 sends 4 × integer of 4 bytes to rank 1 with tag 3 in MPI_COMM_WORLD (MPI_Send); rank 1 receives 4 × floating \
         point of 4 bytes (MPI_Recv). Element 0 is integer of 4 bytes in the message, but floating point of 4 bytes in the \
         receive."
    );
    assert_eq!(ids(&ended("0 Send to=1 tag=3 int:4\n1 Recv from=0 tag=3 int:9")), NONE, "there may be more room");
    assert_eq!(ids(&ended("0 Send to=1 tag=3 int:4\n1 Recv from=0 tag=3 integer:4")), NONE);
    assert_eq!(ids(&ended("0 Send to=1 tag=3 int:0\n1 Recv from=0 tag=3 float:4")), NONE, "nothing is sent");
    let derived = "type mixed = int:1 double:1\n";
    assert_eq!(ids(&ended(&format!("{derived}0 Send to=1 tag=0 mixed:2\n1 Recv from=0 tag=0 mixed:3"))), NONE);
    assert_eq!(
        ids(&ended(&format!("{derived}0 Send to=1 tag=0 int:1\n1 Recv from=0 tag=0 mixed:3"))),
        NONE,
        "a part of it"
    );
    assert_eq!(
        ids(&ended(&format!("{derived}0 Send to=1 tag=0 int:2\n1 Recv from=0 tag=0 mixed:3"))),
        ["message.datatype"]
    );
    assert_eq!(ids(&ended("0 Send to=1 tag=0 int:2\n1 Recv from=0 tag=0 packed:8")), NONE);
    let column = "type column = int:1 repeat=4 stride=16\n";
    assert_eq!(ids(&ended(&format!("{column}0 Send to=1 tag=0 column:1\n1 Recv from=0 tag=0 int:4"))), NONE);
}

#[test]
fn bytes_on_one_side() {
    let found = one(&ended("0 Send to=1 tag=3 int:4\n1 Recv from=0 tag=3 byte:16"));
    assert_eq!((found.id, found.confidence), ("message.untyped", Confidence::Possible));
    assert_eq!(ids(&ended("0 Send to=1 tag=3 byte:4\n1 Recv from=0 tag=3 byte:16")), NONE);
    assert_eq!(ids(&ended("0 Send to=1 tag=3 int:0\n1 Recv from=0 tag=3 byte:16")), NONE);
}

#[test]
fn truncation() {
    let found =
        one(&ended("0 Isend to=1 tag=3 int:5 op=1\n1 Irecv from=0 tag=3 int:4 op=1\n0 Wait ops=1\n1 Wait ops=1"));
    assert_eq!(found.id, "message.truncated");
    assert_eq!(found.parties[0].process, 1);
    assert_eq!(ids(&ended("0 Send to=1 tag=3 int:4\n1 Recv from=0 tag=3 int:4")), NONE);
    // Before either call has returned.
    assert_eq!(ids("0 Send to=1 tag=3 int:5\n1 Recv from=0 tag=3 int:4"), ["message.truncated"]);
    // Same number of bytes, one element more.
    assert_eq!(ids(&ended("0 Send to=1 tag=3 double:2\n1 Recv from=0 tag=3 char:16")), ["message.datatype"]);
}

#[test]
fn lengths_that_were_promised_to_be_exact() {
    let found = one(&ended("0 Send to=1 tag=3 int:4\n1 Recv from=0 tag=3 int:6 exact"));
    assert_eq!((found.id, found.confidence), ("argument.promise", Confidence::Certain));
    assert_eq!(found.parties.iter().map(|p| p.process).collect::<Vec<_>>(), [1, 0]);
    assert_eq!(ids(&ended("0 Send to=1 tag=3 int:6\n1 Recv from=0 tag=3 int:6 exact")), NONE);
    assert_eq!(ids(&ended("0 Send to=1 tag=3 int:4\n1 Recv from=0 tag=3 int:6")), NONE);
    assert_eq!(ids(&ended("0 Send to=1 tag=3 int:7\n1 Recv from=0 tag=3 int:6 exact")), ["message.truncated"]);
}

#[test]
fn ready_sends() {
    assert_eq!(ids(&ended("0 Rsend to=1 tag=3 int:1\n1 Recv from=0 tag=3 int:1 at=9000")), ["message.ready-send"]);
    let right = "1 Irecv from=0 tag=3 int:1 op=1\n1 Send to=0 tag=0 int:0\n0 Recv from=1 tag=0 int:0\n0 Rsend to=1 tag=3 int:1 at=9000\n1 Wait ops=1";
    assert_eq!(ids(&ended(right)), NONE);
    assert_eq!(ids(&ended("0 Rsend to=1 tag=3 int:1\n1 Recv from=0 tag=3 int:1")), NONE, "within the error of clocks");
}

#[test]
fn lost_messages() {
    let found = one(&ended("0 Bsend to=1 tag=3 int:1"));
    assert_eq!((found.id, found.confidence), ("message.lost", Confidence::Certain));
    assert_eq!(ids(&ended("0 Bsend to=1 tag=3 int:1\n1 Recv from=0 tag=3 int:1")), NONE);
    assert_eq!(ids("0 Bsend to=1 tag=3 int:1\n0 Finalize\nfinish"), NONE, "nobody knows how rank 1 ended");
    assert_eq!(ids(&ended("0 Send to=1 tag=3 int:1 nobody")), NONE);
    let near = one(&ended(
        "comm 3 = 0,1\n0 Bsend to=1 tag=3 int:1 comm=3\n1 Irecv from=0 tag=5 int:1 comm=3 op=1\n1 complete op=1 cancelled",
    ));
    assert_eq!(near.id, "message.lost");
    let cancelled = "0 Isend to=1 tag=3 int:1 op=1\n0 complete op=1 cancelled";
    assert_eq!(ids(&ended(cancelled)), NONE);
    // Whether it was cancelled nobody has heard.
    let send = "0 Isend to=1 tag=3 int:1 op=1\n";
    let heard = "\n0 Barrier\n1 Barrier";
    let given_up = one(&ended(&format!("{send}0 drop op=1\n0 drop op=1 freed{heard}")));
    assert_eq!((given_up.id, given_up.confidence), ("message.lost", Confidence::Possible));
    let freed = one(&ended(&format!("{send}0 drop op=1 freed{heard}")));
    assert_eq!((freed.id, freed.confidence), ("message.lost", Confidence::Certain));
}

#[test]
fn sends_that_nothing_confirms() {
    let freed = "1 Irecv from=0 tag=3 int:1 op=5\n0 Isend to=1 tag=3 int:1 op=1\n0 drop op=1 freed\n";
    let received = "1 Wait ops=5\n";
    let found = one(&ended(&format!("{freed}{received}")));
    assert_eq!((found.id, found.confidence), ("request.freed-unconfirmed", Confidence::Possible));
    // Its own sends tell it nothing; an answer does, and so does a barrier.
    let more = "0 Isend to=1 tag=4 int:1 op=2\n0 Wait ops=2\n1 Recv from=0 tag=4 int:1\n";
    assert_eq!(ids(&ended(&format!("{freed}{more}{received}"))), ["request.freed-unconfirmed"]);
    let answer = "1 Send to=0 tag=4 int:1\n0 Recv from=1 tag=4 int:1\n";
    assert_eq!(ids(&ended(&format!("{freed}{received}{answer}"))), NONE);
    assert_eq!(ids(&ended(&format!("{freed}{received}0 Barrier\n1 Barrier"))), NONE);
    assert_eq!(ids(&ended(&format!("{answer}{freed}{received}"))), ["request.freed-unconfirmed"]);
}

#[test]
fn receives_without_a_message() {
    let found = one(&ended("1 Irecv from=0 tag=3 int:1 op=1"));
    assert_eq!((found.id, found.confidence), ("message.never-came", Confidence::Certain));
    assert_eq!(ids(&ended("1 Irecv from=0 tag=3 int:1 op=1\n1 complete op=1 cancelled")), NONE);
    let both = judged(&ended("1 Irecv from=0 tag=3 int:1 op=1\n0 Bsend to=1 tag=4 int:1"));
    assert_eq!(both.len(), 2);
    assert!(
        both[0].text.contains("from rank 0 with tag 3") && both[0].text.contains("different tag"),
        "{}",
        both[0].text
    );
    assert!(both[1].text.contains("different tag"), "{}", both[1].text);
}

#[test]
fn order_of_one_sender() {
    // By tags, in order of sending, also when the receives are posted the other way round.
    let text = "0 Isend to=1 tag=1 int:1 op=1\n0 Isend to=1 tag=2 double:1 op=2\n1 Recv from=0 tag=2 double:1\n1 Recv from=0 tag=1 int:1\n0 Waitall ops=1,2";
    assert_eq!(ids(&ended(text)), NONE);
    let text = "0 Isend to=1 tag=1 int:1 op=1\n0 Isend to=1 tag=1 double:1 op=2\n1 Recv from=0 tag=1 double:1\n1 Recv from=0 tag=1 int:1\n0 Waitall ops=1,2";
    assert_eq!(ids(&ended(text)), ["message.datatype", "message.truncated"]);
}

#[test]
fn any_source_by_its_status() {
    let text = |first: &str, second: &str| {
        format!(
            "0 Send to=2 tag=1 int:1\n1 Send to=2 tag=1 double:1\n2 Recv from=any tag=any {first}\n2 Recv from=any tag=any \
             {second}\n0 Finalize\n1 Finalize\n2 Finalize"
        )
    };
    let types = |text: &str| ids(text).into_iter().filter(|id| id.starts_with("message")).collect::<Vec<_>>();
    assert_eq!(types(&text("double:1 status=1:1", "int:1 status=0:1")), NONE);
    assert_eq!(types(&text("int:1 status=0:1", "double:1 status=1:1")), NONE);
    assert_eq!(types(&text("float:1 status=0:1", "double:1 status=1:1")), ["message.datatype"]);
}

#[test]
fn any_source_that_is_open_keeps_others_open() {
    // The second receive would take the double if the first one had taken the message of rank 1.
    let text = "
        0 Isend to=2 tag=1 int:1 op=1
        0 Isend to=2 tag=1 double:1 op=2
        1 Isend to=2 tag=1 float:1 op=1
        2 Irecv from=any tag=1 float:1 op=1
        2 Irecv from=0 tag=1 int:1 op=2
        2 Recv from=0 tag=1 double:1
        2 Waitall ops=1,2 done=
        2 complete op=1 status=1:1
        2 complete op=2 status=0:1
        0 Waitall ops=1,2
        1 Wait ops=1
        0 Finalize\n1 Finalize\n2 Finalize";
    assert_eq!(ids(text).into_iter().filter(|i| i.starts_with("message")).collect::<Vec<_>>(), NONE);
}

#[test]
fn reserved_messages() {
    let text = |data: &str| {
        ended(&format!(
            "0 Send to=1 tag=1 int:2\n0 Send to=1 tag=1 double:1\n1 Mprobe from=0 tag=1 message=7 status=0:1\n1 Recv from=0 \
             tag=1 double:1\n1 Mrecv message=7 {data}"
        ))
    };
    assert_eq!(ids(&text("int:2")), NONE);
    assert_eq!(ids(&text("int:1")), ["message.truncated"]);
    assert_eq!(ids(&text("double:1")), ["message.datatype"]);
}

#[test]
fn both_at_once() {
    let swap = |a: &str, b: &str| {
        ended(&format!(
            "0 Sendrecv to=1 tag=0 {a} from=1 rtag=0 recv={b}\n1 Sendrecv to=0 tag=0 double:1 from=0 rtag=0 recv=int:1"
        ))
    };
    assert_eq!(ids(&swap("int:1", "double:1")), NONE);
    assert_eq!(ids(&swap("int:1", "long:1")), ["message.datatype"]);
}

#[test]
fn intercommunicators_name_the_other_group() {
    let text = "inter 3 = 0 | 1\n0 Send to=0 tag=1 int:1 comm=3\n1 Recv from=0 tag=1 int:1 comm=3";
    assert_eq!(ids(&ended(text)), NONE);
    assert_eq!(
        ids(&ended(&text.replace("1 Recv from=0 tag=1 int:1", "1 Recv from=0 tag=1 float:1"))),
        ["message.datatype"]
    );
}

#[test]
fn processes_of_other_worlds_are_left_alone() {
    let text =
        "comm 3 = 0,-1\n0 Send to=1 tag=1 int:1 comm=3\n0 Recv from=1 tag=1 int:1 comm=3\n0 Barrier comm=3\n0 Barrier";
    assert_eq!(ids(&format!("{text}\n1 Barrier\n0 Finalize\n1 Finalize")), NONE);
}

#[test]
fn merged_by_place() {
    let text = "0 Send to=1 tag=3 int:4 site=1\n1 Recv from=0 tag=3 float:4 site=2\n".repeat(5);
    let scenario = mpiscope_judge::testing::Scenario::parse(&ended(&text));
    let mut judge = scenario.judged();
    let found = judge.findings();
    assert_eq!((found.len(), found[0].count, judge.counts()), (1, 5, &[5][..]));
}

#[test]
fn counted_as_something_else() {
    let found = |received: &str, asked: &str, bytes: u32| {
        let types = "type pair = int:1 float:1\ntype ints = int:3\n";
        ids(&format!("{types}0 Get_count received={received} asked={asked} bytes={bytes}\n0 Finalize"))
    };
    assert_eq!(found("int", "float", 8), ["message.counted-as"]);
    assert_eq!(found("int", "double", 8), ["message.counted-as"]);
    assert_eq!(found("pair", "int", 8), ["message.counted-as"]);
    // The same basic datatypes; only the first part of the pair has come; bytes.
    assert!(found("int", "ints", 24).is_empty() && found("ints", "int", 20).is_empty());
    assert!(found("pair", "int", 4).is_empty());
    assert!(found("int", "byte", 8).is_empty() && found("packed", "int", 8).is_empty());
    assert!(found("int", "float", 0).is_empty());
}

#[test]
fn unpacked_in_another_order() {
    let send = "0 Pack int:2 address=64 bytes=8 content=1,0,0,0,2\n0 Pack double:1 address=72 bytes=8 content=7,7\n\
                0 Send to=1 tag=0 packed:16 address=64\n0 Finalize\n";
    let take = |unpacks: &str| format!("1 Recv from=0 tag=0 packed:99 address=512\n{unpacks}\n1 Finalize\n");
    let right =
        "1 Unpack int:2 address=512 bytes=8 content=1,0,0,0,2\n1 Unpack double:1 address=520 bytes=8 content=7,7";
    let wrong =
        "1 Unpack double:1 address=512 bytes=8 content=1,0,0,0,2\n1 Unpack int:2 address=520 bytes=8 content=7,7";
    // Whichever is read first.
    let both = |unpacks: &str| [send.to_owned() + &take(unpacks), take(unpacks) + send];
    for (right, wrong) in both(right).into_iter().zip(both(wrong)) {
        assert_eq!(ids(&right), NONE);
        assert_eq!(ids(&wrong), ["message.unpacked-as"]);
    }
    for text in both("1 Unpack int:1 address=512 bytes=4 content=1,0,0,0\n1 Unpack int:1 address=516 bytes=4 content=2")
        .into_iter()
        // Something else was put there.
        .chain(both(&wrong.replace("content=1", "content=5").replace("content=7", "content=8")))
        // Elsewhere.
        .chain(both(&wrong.replace("address=5", "address=7")))
    {
        assert_eq!(ids(&text), NONE, "{text}");
    }
}

#[test]
fn threads_with_one_tag() {
    let begin = "multiple 0\n";
    let end = "0 Finalize\n1 Finalize\n";
    // Two threads, in turns; the receives at two places or at one.
    let turns = |tags: [u32; 2], sites: [u32; 2], data: [&str; 2]| -> String {
        let mut text = begin.to_owned();
        for _ in 0..3 {
            for (thread, ((tag, site), data)) in tags.into_iter().zip(sites).zip(data).enumerate() {
                text +=
                    &format!("0 Send to=1 tag={tag} {data} thread={thread} site={thread}\n0 return thread={thread}\n");
                text += &format!("1 Recv from=0 tag={tag} {data} status=0:{tag} site={site}\n");
            }
        }
        text + end
    };
    let plain = ["int:1", "int:1"];
    assert_eq!(ids(&turns([3, 3], [7, 8], plain)), ["race.threads"]);
    assert_eq!(ids(&turns([3, 3], [7, 8], ["int:1", "double:1"])), ["race.threads"]);
    assert_eq!(ids(&turns([3, 3], [7, 7], plain)), NONE);
    assert_eq!(ids(&turns([3, 4], [7, 8], plain)), NONE);
    // One after the other: the second may have been started then.
    let after = "0 Send to=1 tag=3 int:1 site=1\n1 Recv from=0 tag=3 int:1 status=0:3 site=7\n0 Send to=1 tag=3 int:1 thread=1 site=2\n\
                 0 return thread=1\n1 Recv from=0 tag=3 int:1 status=0:3 site=8\n";
    assert_eq!(ids(&format!("{begin}{after}{end}")), NONE);
    // It was there.
    let early = "0 Comm_rank thread=1\n";
    assert_eq!(ids(&format!("{begin}{early}{after}{end}")), ["race.threads"]);
    assert_eq!(ids(&format!("{begin}{early}{}{end}", after.replace("site=8", "site=7"))), NONE);
    // The other one may have been awaited, unless it does something afterwards.
    let before = "0 Send to=1 tag=3 int:1 thread=1 site=2\n0 return thread=1\n1 Recv from=0 tag=3 int:1 status=0:3 site=7\n\
                  0 Send to=1 tag=3 int:1 site=1\n0 return\n1 Recv from=0 tag=3 int:1 status=0:3 site=8\n";
    let late = "0 Comm_rank thread=1\n";
    assert_eq!(ids(&format!("{begin}{early}{before}{end}")), NONE);
    assert_eq!(ids(&format!("{begin}0 Comm_rank\n{before}{late}{end}")), ["race.threads"]);
    // What was sent by which thread is not known, whether or not the other one had sent before.
    let long = "0 Send to=1 tag=3 int:9 site=1\n1 Recv from=0 tag=3 int:1 status=0:3 site=7\n";
    let found = |text: String| judged(&text).iter().map(|f| (f.id, f.confidence)).collect::<Vec<_>>();
    assert_eq!(found(format!("{begin}{long}{end}")), [("message.truncated", Confidence::Certain)]);
    assert_eq!(found(format!("{begin}{long}{after}{end}")), []);
    let apart = after.replace("tag=3", "tag=4").replace("0:3", "0:4");
    assert_eq!(found(format!("{begin}{long}{apart}{end}")), [("message.truncated", Confidence::Possible)]);
}
