//! What the rules of `quality` say of a run, as JSON, and what they cost: time for each call and message.
//!
//! `cargo run --release -p mpiscope-analysis --example quality RUN`

use std::time::{Duration, Instant};

use mpiscope_analysis::quality::Quality;
use mpiscope_analysis::{Analysis, Explainer, Input};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("which run?")?;
    let run = mpiscope_query::Run::open(path.as_ref(), &Default::default())?;
    let mut ingest = mpiscope_ingest::Ingest::new(&run, &Default::default())?;
    let dimensions = ingest.dimensions().clone();
    let mut explainer = Explainer::new(&dimensions);
    let mut alone = Box::new(Quality::default());
    let (mut spent, mut calls, mut messages, mut members) = (Duration::ZERO, 0usize, 0usize, 0usize);
    while let Some(batch) = ingest.next_batch()? {
        explainer.take(&dimensions, ingest.facts(), &batch);
        calls += batch.ranks.iter().map(|r| r.calls.len()).sum::<usize>();
        messages += batch.messages.len();
        members += batch.members.len();
        let begin = Instant::now();
        alone.take(&Input { dimensions: &dimensions, facts: ingest.facts(), batch: &batch, waits: &[] });
        spent += begin.elapsed();
    }
    let explanation = explainer.finish(&dimensions, ingest.facts());
    println!("{}", serde_json::to_string_pretty(&explanation)?);
    let ns = spent.as_nanos() as f64;
    eprintln!(
        "{calls} calls, {messages} messages, {members} members of collectives: {:.3} s, {:.1} ns a call, {:.1} ns a message",
        spent.as_secs_f64(),
        ns / calls.max(1) as f64,
        ns / messages.max(1) as f64
    );
    Ok(())
}
