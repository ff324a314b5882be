//! Whatever somebody sends to the judge of a check or to a relay: frames that are read are read the same once more when they
//! are written.
#![no_main]

use libfuzzer_sys::fuzz_target;

#[allow(dead_code)]
#[path = "../../crates/cli/src/checking/hosts/wire.rs"]
mod wire;

use wire::Frame;

fuzz_target!(|bytes: &[u8]| {
    let mut rest = bytes;
    while let Ok(Some((frame, taken))) = wire::decode(rest) {
        assert!(taken <= rest.len() && taken <= wire::MAX_BYTES + 4);
        rest = &rest[taken..];
        // Of long stacks not all is written.
        if !matches!(frame, Frame::Lines { .. } | Frame::Tail { .. }) {
            let mut again = Vec::new();
            wire::encode(&frame, &mut again);
            assert_eq!(wire::decode(&again), Ok(Some((frame, again.len()))));
        }
    }
});
