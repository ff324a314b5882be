//! What to do about each function.

use mpiscope_abi::spec::{attribute, kind};
use mpiscope_abi::{ID_LIMIT, function_unchecked, id};

use crate::config::Config;

/// Bits of `Plan::actions`.
pub mod action {
    /// Recorded.
    pub const RECORD: u8 = 1;
    /// Makes or frees objects that later calls name: decoded even when not recorded.
    pub const FOLLOW: u8 = 2;
    /// Has a meaning of its own before or after the call.
    pub const SPECIAL: u8 = 4;
}

/// Functions with a meaning of their own, see `record`.
pub const SPECIAL: [u32; 9] = [
    id::Init,
    id::Init_thread,
    id::Finalize,
    id::Abort,
    id::Pcontrol,
    id::Session_init,
    id::Session_finalize,
    id::Comm_set_name,
    id::File_open,
];

pub fn actions(config: &Config) -> Box<[u8]> {
    (0..ID_LIMIT)
        .map(|n| {
            let function = function_unchecked(n);
            let follows = function.is(attribute::FREES)
                || mpiscope_abi::steps(function)
                    .iter()
                    .any(|s| s.kind >= kind::NEW_COMM || s.kind == kind::NEW_REQUEST);
            let bit = |yes: bool, bit: u8| if yes { bit } else { 0 };
            bit(config.probes[n as usize], action::RECORD)
                | bit(follows, action::FOLLOW)
                | bit(SPECIAL.contains(&n), action::SPECIAL)
        })
        .collect()
}
