//! Any bytes as a rank file: read, iterate all events, fold into tables. The input is in folded
//! form (`mpiscope_trace::testing::Folded`), so that small inputs reach every part.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mpiscope_run::{Rank, Resolver, Run};
use mpiscope_trace::RankFile;
use mpiscope_trace::testing::Folded;

fuzz_target!(|bytes: &[u8]| {
    let _ = RankFile::parse(bytes);
    let Ok(file) = RankFile::parse(Folded(bytes)) else { return };
    let clock = file.clock();
    for thread in 0..file.threads.len() {
        let _ = file.events(thread, |_, event| {
            clock.ns(event.start);
        });
    }
    let Ok(rank) = Rank::read("x.rank".as_ref(), Folded(bytes)) else { return };
    let run = Run {
        path: "run".into(),
        manifest: Default::default(),
        ranks: vec![rank],
        other_exits: Vec::new(),
        diagnostics: Vec::new(),
    };
    run.summary(|_| true, &Resolver::looking_in(Vec::new()));
});
