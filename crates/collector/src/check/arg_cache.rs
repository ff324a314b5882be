//! Arguments that have passed all checks: the same call with the same arguments is correct until an object is created or
//! freed. Only for calls whose arguments alone decide, so for none that reads lists; whether memory is accessible is
//! checked each time.

use mpiscope_abi::Param;
use mpiscope_abi::id;
use mpiscope_abi::role::{Pattern, Role};
use mpiscope_abi::spec::{class, param_flag};
use mpiscope_trace::check::words::Again;

use super::transfer::{CommPosition, Side};
use super::view::View;

/// Different calls that are remembered, a power of two.
const PLACES: usize = 256;

/// What was worked out of a call's arguments.
pub struct Worked {
    pub place: CommPosition,
    pub gives: Option<Side>,
    pub gets: Option<Side>,
    /// Its event, where the arguments alone decide it: one event, or both halves of a `Sendrecv`.
    pub events: Vec<Again>,
}

/// A call that was right, in a generation of objects.
struct Call {
    key: u64,
    generation: u64,
    worked: Worked,
}

/// What one thread remembers.
pub struct Known(Box<[Option<Call>]>);

impl Default for Known {
    fn default() -> Known {
        Known((0..PLACES).map(|_| None).collect())
    }
}

impl Known {
    /// What was worked out of a call that was right in this generation.
    #[inline(always)]
    pub fn get(&self, key: u64, generation: u64) -> Option<&Worked> {
        let call = self.0[key as usize & (PLACES - 1)].as_ref()?;
        (call.key == key && call.generation == generation).then_some(&call.worked)
    }

    /// It was right.
    pub fn add(&mut self, key: u64, generation: u64, worked: Worked) {
        self.0[key as usize & (PLACES - 1)] = Some(Call { key, generation, worked });
    }
}

/// Whether only the arguments of a function decide.
pub fn depends_only_on_arguments(base: u32, role: Role, transfers: bool, descriptors: bool, params: &[Param]) -> bool {
    let by_role = match role {
        Role::Send(_) | Role::Receive | Role::SendReceive | Role::Probe | Role::MatchedProbe | Role::Complete => true,
        Role::Collective(Pattern::Fence | Pattern::File | Pattern::Object) => false,
        Role::Collective(_) => transfers || matches!(base, id::Barrier | id::Ibarrier),
        Role::Local => matches!(base, id::Comm_rank | id::Comm_size | id::Get_count | id::Type_size),
        _ => false,
    };
    let by_param = |p: &Param| {
        let handles = matches!(p.class, class::REQUEST | class::STATUS);
        let list = p.is(param_flag::ARRAY) && p.is(param_flag::IN) && !handles;
        !list && !matches!(p.class, class::WINDOW | class::FILE | class::GROUP | class::STRING)
    };
    by_role && !descriptors && params.iter().all(by_param)
}

/// A call with its arguments. Its site counts: on the stack, one address is another variable in each function.
#[inline(always)]
pub fn key(view: &View<'_>, site: u32) -> u64 {
    /// Odd, without structure (digits of π).
    const STEP: u64 = 0x243f_6a88_85a3_08d3;
    const OTHER: u64 = 0x1319_8a2e_0370_7345;
    let plan = view.plan;
    let mut salt = std::ptr::from_ref(plan) as u64;
    let mut key = 0u64;
    let mut half = None;
    let mut mix = |a: u64, b: u64| {
        // Products do not wait for each other.
        salt = salt.wrapping_add(STEP);
        let product = u128::from(a ^ salt) * u128::from(b ^ salt.rotate_left(32) ^ OTHER);
        key = key.wrapping_add(product as u64 ^ (product >> 64) as u64);
    };
    for param in plan.params {
        let value = if plan.fortran && by_reference(param) {
            match (class::COMM..=class::KEYVAL).contains(&param.class) {
                true => view.handle(param).unwrap_or(0),
                false => view.int(param) as u64,
            }
        } else {
            view.word(param).unwrap_or(0)
        };
        match half.take() {
            None => half = Some(value),
            Some(first) => mix(first, value),
        }
    }
    mix(half.unwrap_or(0), site.into());
    key ^ key >> 32
}

/// In Fortran: a value behind an address.
fn by_reference(param: &Param) -> bool {
    let place = matches!(param.class, class::BUFFER | class::STATUS | class::REQUEST | class::MESSAGE);
    param.is(param_flag::IN) && !param.is(param_flag::ARRAY) && !place
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_generation_ends_what_was_known() {
        let worked = |id| {
            let place = CommPosition { id, info: None, root: None, at_root: false };
            Worked { place, gives: None, gets: None, events: Vec::new() }
        };
        let mut known = Known::default();
        assert!(known.get(0, 1).is_none() && known.get(7, 1).is_none());
        known.add(7, 1, worked(3));
        assert_eq!(known.get(7, 1).map(|worked| worked.place.id), Some(3));
        assert!(known.get(7, 2).is_none() && known.get(7 + PLACES as u64, 1).is_none());
        known.add(7 + PLACES as u64, 1, worked(4));
        assert!(known.get(7, 1).is_none());
    }
}
