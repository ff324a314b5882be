//! Events a second on one core: `cargo bench -p mpiscope-judge`.

use mpiscope_judge::testing::{Line, Scenario};
use mpiscope_judge::{Judge, Settings};
use mpiscope_trace::check::Event;

/// Lines of one iteration of each rank.
fn scenario(ranks: usize, iterations: usize, of: impl Fn(usize, usize) -> String) -> Scenario {
    let mut text = String::from("type column = double:1 repeat=100 stride=800\n");
    for i in 0..iterations {
        for rank in 0..ranks {
            for line in of(rank, i).lines().filter(|l| !l.trim().is_empty()) {
                text += &format!("{rank} {} site={}\n", line.trim(), 1 + line.len() % 7);
            }
        }
    }
    (0..ranks).for_each(|rank| text += &format!("{rank} Finalize\n"));
    Scenario::parse(&text)
}

/// As a reader does: of what has happened since the last time, one ring after the other.
fn measure(name: &str, scenario: &Scenario) {
    let mut batches: Vec<Vec<Vec<&Event>>> = Vec::new();
    for chunk in scenario.lines.chunks(200 * scenario.size as usize) {
        let mut rings: Vec<Vec<&Event>> = vec![Vec::new(); scenario.size as usize];
        for line in chunk {
            if let Line::Event(rank, event) = line {
                rings[*rank as usize].push(event);
            }
        }
        batches.push(rings);
    }
    let events: usize = batches.iter().flatten().map(Vec::len).sum();
    let mut best = f64::MAX;
    let mut found = Vec::new();
    for _ in 0..5 {
        let mut judge = Judge::new(Settings::default());
        scenario.definitions.iter().for_each(|(rank, definition)| judge.define(*rank, definition));
        let begin = on_cpu_ns();
        for (at, rings) in batches.iter().enumerate() {
            for (rank, ring) in rings.iter().enumerate() {
                ring.iter().for_each(|event| judge.feed(rank as u32, event));
            }
            judge.standstill(at as u64 * 1_000_000);
        }
        judge.report_at_end();
        best = best.min((on_cpu_ns() - begin) as f64 * 1e-9);
        found = judge.findings();
    }
    let ids: Vec<&str> = found.iter().map(|f| f.id).collect();
    println!(
        "{name:28} {events:9} events  {:6.2} M events/s  {:5.0} ns each  {ids:?}",
        events as f64 / best * 1e-6,
        best / events as f64 * 1e9
    );
}

/// Time on a processor: others may use the machine as well.
fn on_cpu_ns() -> u64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    text.split(' ').next().and_then(|ns| ns.parse().ok()).expect("Linux says how long a thread has run")
}

fn main() {
    for ranks in [4usize, 64] {
        let halo = |rank: usize, i: usize| {
            let (left, right) = ((rank + ranks - 1) % ranks, (rank + 1) % ranks);
            let op = i * 10;
            format!(
                "Irecv from={left} tag=1 column:1 op={}\nIrecv from={right} tag=2 column:1 op={}\nIsend to={right} tag=1 column:1 \
                 op={}\nIsend to={left} tag=2 column:1 op={}\nWaitall ops={},{},{},{}\nAllreduce MPI_SUM double:1",
                op + 1,
                op + 2,
                op + 3,
                op + 4,
                op + 1,
                op + 2,
                op + 3,
                op + 4
            )
        };
        measure(&format!("halo, {ranks} ranks"), &scenario(ranks, 60_000 / ranks, halo));
        let pairs = |rank: usize, _: usize| {
            let other = rank ^ 1;
            let (a, b) = (format!("Send to={other} tag=1 double:100"), format!("Recv from={other} tag=1 double:100"));
            if rank.is_multiple_of(2) { format!("{a}\n{b}") } else { format!("{b}\n{a}") }
        };
        measure(&format!("ping-pong, {ranks} ranks"), &scenario(ranks, 200_000 / ranks, pairs));
        let workers = |rank: usize, i: usize| {
            let worker = 1 + i % (ranks - 1);
            if rank == 0 {
                format!("Recv from=any tag=1 int:1 status={worker}:1\nSend to={worker} tag=2 int:1")
            } else if rank == worker {
                "Send to=0 tag=1 int:1\nRecv from=0 tag=2 int:1".to_owned()
            } else {
                String::new()
            }
        };
        measure(&format!("master, {ranks} ranks"), &scenario(ranks, 100_000, workers));
        let all = |_: usize, _: usize| "Allreduce MPI_SUM double:1".to_owned();
        measure(&format!("allreduce, {ranks} ranks"), &scenario(ranks, 200_000 / ranks, all));
    }
}
