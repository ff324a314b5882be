//! Explains a run as JSON and says on stderr what that cost: `explain RUN`.

use std::time::Instant;

use mpiscope_analysis::Explainer;
use mpiscope_ingest::Ingest;
use mpiscope_run::Run;

/// Processor time of all threads, ns: other load on the machine does not show in it.
fn cpu_ns() -> u64 {
    let of = |task: std::fs::DirEntry| std::fs::read_to_string(task.path().join("schedstat")).ok();
    let first = |text: String| text.split_whitespace().next()?.parse::<u64>().ok();
    let tasks = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    tasks.filter_map(of).filter_map(first).sum()
}

fn main() {
    let path = std::env::args().nth(1).expect("explain RUN");
    let run = Run::open(path.as_ref(), &Default::default()).expect("a run");
    let mut ingest = Ingest::new(&run, &Default::default()).expect("rank files");
    let mut explainer = Explainer::new(ingest.dimensions());
    let (mut taken, mut messages) = (0, 0usize);
    while let Some(batch) = ingest.next_batch().expect("a batch") {
        let begin = cpu_ns();
        explainer.add_batch(ingest.dimensions(), ingest.call_info(), &batch);
        taken += cpu_ns() - begin;
        messages += batch.messages.len();
    }
    let begin = Instant::now();
    let explanation = explainer.finish(ingest.dimensions(), ingest.call_info());
    let finished = begin.elapsed();
    println!("{}", serde_json::to_string_pretty(&explanation).expect("JSON"));
    let calls = explanation.scope.calls.max(1);
    eprintln!(
        "{calls} calls, {messages} messages: take {:.1} ns of processor time a call, finish {finished:?}",
        taken as f64 / calls as f64
    );
}
