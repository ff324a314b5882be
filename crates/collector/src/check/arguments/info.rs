//! Keys and values of info objects.

use mpiscope_abi::spec::class;
use mpiscope_abi::{Family, id};
use mpiscope_trace::check::rule;

use super::number;
use crate::check::{CallContext, names};
use crate::mpi::call;

/// A key that has to be there, by its name or number (MPI-5.0 §10).
pub fn info_key(s: &mut CallContext<'_>) {
    let Some(handle) = s.view.plan.named("info").and_then(|p| s.view.handle(p)) else { return };
    if s.checker.objects.get(class::INFO, handle).is_none_or(|t| t.live == 0) {
        return;
    }
    if s.view.plan.base == id::Info_get_nthkey {
        let mut keys = 0;
        let Some(n) = number(s, "n").filter(|_| call::Info_get_nkeys(handle as usize, &mut keys)) else { return };
        if !(0..i64::from(keys)).contains(&n) {
            s.find(rule::VALUE, s.view.plan.named("n"), [n, keys.into(), 0], "0 to the number of keys minus 1");
        }
        return;
    }
    let Some(key) = s.view.plan.named("key").and_then(|p| s.view.word(p)).filter(|&w| w != 0 && !s.view.plan.fortran)
    else {
        return;
    };
    let (mut length, mut found) = (0, 0);
    if call::Info_get_valuelen(handle as usize, key as *const u8, &mut length, &mut found) && found == 0 {
        s.find(rule::VALUE, s.view.plan.named("key"), [0; 3], "an existing key");
    }
}

/// A key and a value that are no longer than the MPI allows (`MPI_MAX_INFO_KEY`, `MPI_MAX_INFO_VAL`), and a key at all.
pub fn info_lengths(s: &mut CallContext<'_>) {
    let most = match s.view.process.mpi.constants.family {
        Family::Mpich => [255, 1024],
        Family::OpenMpi => [36, 256],
        Family::Standard => [256, 1024],
    };
    for (name, most) in ["key", "value"].into_iter().zip(most) {
        let param = s.view.plan.named(name);
        let Some(text) = param.filter(|_| !s.view.plan.fortran).and_then(|p| names::text(&s.view, p)) else {
            return;
        };
        let length = text.len() as i64;
        if length > most {
            return s.find(rule::VALUE, param, [length, most, 0], &format!("at most {most} characters"));
        }
        if length == 0 && name == "key" {
            return s.find(rule::VALUE, param, [0; 3], "a key of at least one character");
        }
    }
}
