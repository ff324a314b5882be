//! A judge and relays on this machine, with rank files that contain one ring.

use std::collections::HashMap;
use std::fs::{self, OpenOptions};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use memmap2::MmapOptions;
use mpiscope_trace::check::event::{Body, Event, Head};
use mpiscope_trace::check::ring::{HEADER_BYTES, Writer};
use mpiscope_trace::check::words::{MAX_WORDS, Words};
use mpiscope_trace::layout::{DEFS_END, Header, MAGIC, PAGE, ThreadHeader, state};

use super::relay::{self, RelayConfig};
use super::{Frame, Hub, RemoteProcess};

const RING_WORDS: u64 = 2 * MAX_WORDS as u64;

/// Makes a rank file with one ring.
fn make(path: &Path, rank: i32) {
    let file = OpenOptions::new().read(true).write(true).create_new(true).open(path).unwrap();
    let length = DEFS_END + PAGE as u64 + HEADER_BYTES as u64 + 8 * RING_WORDS;
    file.set_len(length).unwrap();
    let map = MmapOptions::new().len(length as usize).map_raw(&file).unwrap();
    // SAFETY: fresh, zeroed, and as long as the layout says.
    unsafe {
        let at = map.as_mut_ptr();
        let thread = at.add(DEFS_END as usize);
        (*thread.cast::<ThreadHeader>()).check_offset = DEFS_END + PAGE as u64;
        Writer::create(thread.add(PAGE), RING_WORDS);
        let header = at.cast::<Header>();
        (*header).world_rank = rank;
        (*header).world_size = 3;
        (*header).pid = std::process::id();
        (*header).state = state::INITIALISED;
        (*header).thread_offsets[0] = DEFS_END;
        (*header).threads = 1;
        (*header).magic = MAGIC;
    }
}

/// Writes as a checked process does.
fn write(path: &Path, events: u64, is_over: &AtomicBool) {
    let file = OpenOptions::new().read(true).write(true).open(path).unwrap();
    let map = MmapOptions::new().map_raw(&file).unwrap();
    // SAFETY: as it was made; nothing was written to it since.
    let mut writer = unsafe { Writer::create(map.as_mut_ptr().add(DEFS_END as usize + PAGE), RING_WORDS) };
    let mut words = Words::new();
    for at in 0..events {
        let event = Event { head: Head { at, ..Head::default() }, body: Body::Wait { need: 0, ops: vec![at; 20] } };
        while !writer.push(words.encode(&event)) {
            assert!(!is_over.load(Ordering::Relaxed), "nobody reads");
            std::thread::sleep(Duration::from_micros(50));
        }
    }
}

/// All that relays have sent.
#[derive(Default)]
struct Relayed {
    names: HashMap<u64, String>,
    far: HashMap<u64, RemoteProcess>,
    moments: HashMap<u64, Vec<u64>>,
}

impl Relayed {
    fn take(&mut self, hub: &mut Hub) {
        for frame in hub.receive() {
            match frame {
                Frame::Process { process, speaker, name } => {
                    self.names.insert(process, name);
                    self.far.entry(process).or_insert_with(|| RemoteProcess::new(speaker));
                }
                Frame::Words { process, thread, from, words } => {
                    let mut events = Vec::new();
                    let read = self.far.get_mut(&process).unwrap().words(thread, from, &words, &mut events);
                    self.moments.entry(process).or_default().extend(events.iter().map(|event| event.head.at));
                    if let Some(read) = read {
                        hub.send(process, &Frame::Taken { process, thread, read });
                    }
                }
                _ => {}
            }
        }
    }
}

#[test]
fn a_chain_of_relays_loses_nothing_even_when_connections_break() {
    if mpiscope_launch::rendezvous::address::own().is_empty() {
        return; // no network here
    }
    const EVENTS: u64 = 20_000;
    let dir = tempfile::tempdir().unwrap();
    let mut hub = Hub::start(dir.path(), "judge", 1).unwrap();
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let relays: Vec<_> = (0..3)
            .map(|rank| {
                let folder = dir.path().join(format!("spool{rank}"));
                fs::create_dir(&folder).unwrap();
                let host = format!("n{rank}");
                let path = folder.join(format!("{host}.1.rank"));
                make(&path, rank);
                let is_over = &is_over;
                scope.spawn(move || write(&path, EVENTS, is_over));
                let plan = RelayConfig { run: dir.path().to_owned(), host, folders: vec![folder], fan: 1 };
                scope.spawn(move || relay::work(plan))
            })
            .collect();
        let (begin, mut relayed) = (Instant::now(), Relayed::default());
        let mut broken = 0;
        let count = |relayed: &Relayed| relayed.moments.values().map(Vec::len).sum::<usize>() as u64;
        while count(&relayed) < 3 * EVENTS && begin.elapsed() < Duration::from_secs(300) {
            hub.wait(Duration::from_millis(2));
            relayed.take(&mut hub);
            hub.beat();
            if broken < 3 && count(&relayed) > (broken + 1) * EVENTS / 2 {
                broken += 1;
                hub.let_go();
            }
        }
        is_over.store(true, Ordering::Relaxed);
        assert_eq!(broken, 3);
        let mut names: Vec<&String> = relayed.names.values().collect();
        names.sort();
        assert_eq!(names, ["n0.1", "n1.1", "n2.1"]);
        for moments in relayed.moments.values() {
            assert!(moments.iter().copied().eq(0..EVENTS), "{} events", moments.len());
        }
        // All have answered, at last, and their clocks are this one's.
        while !hub.has_heard_all() && begin.elapsed() < Duration::from_secs(300) {
            hub.beat();
            hub.wait(Duration::from_millis(2));
            relayed.take(&mut hub);
        }
        assert!(hub.has_heard_all());
        for far in relayed.far.values() {
            let (ahead, error) = hub.clock(far.speaker).unwrap();
            assert!(ahead.unsigned_abs() <= u128::from(error), "{ahead} ± {error}");
        }
        drop(hub);
        for relay in relays {
            relay.join().unwrap().unwrap();
        }
    });
}
