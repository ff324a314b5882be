//! Explains a run as JSON and says on stderr what that cost: `explain RUN`.

use std::time::{Duration, Instant};

use mpiscope_analysis::Explainer;
use mpiscope_ingest::Ingest;
use mpiscope_query::Run;

fn main() {
    let path = std::env::args().nth(1).expect("explain RUN");
    let run = Run::open(path.as_ref(), &Default::default()).expect("a run");
    let mut ingest = Ingest::new(&run, &Default::default()).expect("rank files");
    let mut explainer = Explainer::new(ingest.dimensions());
    let (mut taken, mut messages) = (Duration::ZERO, 0usize);
    while let Some(batch) = ingest.next_batch().expect("a batch") {
        let begin = Instant::now();
        explainer.take(ingest.dimensions(), ingest.facts(), &batch);
        taken += begin.elapsed();
        messages += batch.messages.len();
    }
    let begin = Instant::now();
    let explanation = explainer.finish(ingest.dimensions(), ingest.facts());
    let finished = begin.elapsed();
    println!("{}", serde_json::to_string_pretty(&explanation).expect("JSON"));
    let calls = explanation.scope.calls.max(1);
    eprintln!(
        "{calls} calls, {messages} messages: take {:.1} ns a call, finish {finished:?}",
        taken.as_nanos() as f64 / calls as f64
    );
}
