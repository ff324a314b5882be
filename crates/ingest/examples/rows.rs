use std::time::Instant;
fn main() {
    let path = std::env::args().nth(1).unwrap();
    let run = mpiscope_query::Run::open(path.as_ref(), &Default::default()).unwrap();
    let t = Instant::now();
    let mut ingest = mpiscope_ingest::Ingest::new(&run, &Default::default()).unwrap();
    println!("open {:?}", t.elapsed());
    let t = Instant::now();
    let (mut calls, mut messages, mut colls, mut members, mut lone, mut batches) =
        (0usize, 0usize, 0usize, 0usize, 0usize, 0);
    let mut missing = 0;
    let mut violations = 0;
    let mut bytes_differ = 0;
    while let Some(b) = ingest.next_batch().unwrap() {
        batches += 1;
        calls += b.ranks.iter().map(|r| r.calls.len()).sum::<usize>();
        messages += b.messages.len();
        colls += b.collectives.len();
        members += b.members.len();
        missing += b.collectives.iter().filter(|c| c.missing > 0).count();
        lone += b.lone.len();
        violations +=
            b.messages.iter().filter(|m| m.receive.is_done() && m.receive.done_end_ns < m.send.start_ns).count();
        let mut v: Vec<u64> = b
            .messages
            .iter()
            .filter(|m| m.receive.is_done() && m.receive.done_end_ns < m.send.start_ns)
            .map(|m| m.send.start_ns - m.receive.done_end_ns)
            .collect();
        v.sort();
        if !v.is_empty() {
            println!("viol min {} med {} max {}", v[0], v[v.len() / 2], v[v.len() - 1]);
        }
        if let Some(m) = b
            .messages
            .iter()
            .filter(|m| m.receive.is_done())
            .max_by_key(|m| m.send.start_ns.saturating_sub(m.receive.done_end_ns))
        {
            println!("{m:?}");
        }
        for l in b.lone.iter().take(5) {
            println!("{l:?}");
        }
        let f = ingest.facts();
        for m in &b.messages {
            let r = &f[m.receiver.0 as usize][m.receive.facts as usize];
            if r.bytes_received != 0 && r.bytes_received < m.bytes {
                bytes_differ += 1;
            }
        }
        ingest.recycle(b);
    }
    let e = t.elapsed();
    println!(
        "{batches} batches {calls} calls {messages} messages {colls} collectives {members} members, {missing} with missing, {lone} lone, {violations} violations, {bytes_differ} bytes differ; {e:?} = {:.1} ns/call",
        e.as_nanos() as f64 / calls as f64
    );
    for c in &ingest.dimensions().comms {
        println!("{} {} {:?}", c.key, c.label, c.members.len());
    }
}
