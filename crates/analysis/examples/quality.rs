//! What the rules of `quality` say of a run, as JSON, and what they cost: time for each call and message.
//!
//! `cargo run --release -p mpiscope-analysis --example quality RUN`

use mpiscope_analysis::quality::Quality;
use mpiscope_analysis::{Analysis, Explainer, Input};

/// Time that this thread had a core (`/proc`, field 1): others may use the machine.
fn on_core_ns() -> u64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    text.split(' ').next().and_then(|n| n.parse().ok()).unwrap_or(0)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("which run?")?;
    let run = mpiscope_run::Run::open(path.as_ref(), &Default::default())?;
    let mut ingest = mpiscope_ingest::Ingest::new(&run, &Default::default())?;
    let dimensions = ingest.dimensions().clone();
    let mut explainer = Explainer::new(&dimensions);
    let mut alone = Box::new(Quality::default());
    let (mut spent, mut calls, mut messages, mut members) = (0u64, 0usize, 0usize, 0usize);
    while let Some(batch) = ingest.next_batch()? {
        explainer.add_batch(&dimensions, ingest.call_info(), &batch);
        calls += batch.ranks.iter().map(|r| r.calls.len()).sum::<usize>();
        messages += batch.messages.len();
        members += batch.members.len();
        let begin = on_core_ns();
        alone.add_batch(&Input::without_waits(&dimensions, ingest.call_info(), &batch));
        spent += on_core_ns() - begin;
    }
    let explanation = explainer.finish(&dimensions, ingest.call_info());
    println!("{}", serde_json::to_string_pretty(&explanation)?);
    let ns = spent as f64;
    eprintln!(
        "{calls} calls, {messages} messages, {members} members of collectives: {:.3} s, {:.1} ns a call, {:.1} ns a message",
        ns / 1e9,
        ns / calls.max(1) as f64,
        ns / messages.max(1) as f64
    );
    Ok(())
}
