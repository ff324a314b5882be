//! The eager limit according to the MPI's own control variables, beside what the ping-pong shows.

use mpiscope_machine::Scope;

use super::parameters::Number;
use crate::journal::Measured;
use crate::session::Session;

/// Variables for ranks of one host, and for those of two. The first one that an MPI has is of its transport.
const WITHIN: [&str; 4] = [
    "btl_vader_eager_limit",
    "btl_sm_eager_limit",
    "MPIR_CVAR_CH4_SHM_POSIX_IQUEUE_CELL_SIZE",
    "MPIR_CVAR_CH3_EAGER_MAX_MSG_SIZE",
];
const BETWEEN: [&str; 4] = [
    "btl_tcp_eager_limit",
    "btl_openib_eager_limit",
    "MPIR_CVAR_CH4_OFI_EAGER_MAX_MSG_SIZE",
    "MPIR_CVAR_CH3_EAGER_MAX_MSG_SIZE",
];
/// In the name of a fact, before that of the variable.
const PREFIX: &str = "variable ";
/// A size agrees if it is within this factor: headers are part of some limits, and the curve has a point at each power of two.
const NEAR: f64 = 2.0;

/// Records what the variables of a pair say.
pub fn record(session: &mut Session, pair: usize) {
    let [a, b] = session.pairs[pair].ranks.map(|rank| session.places.get(rank as usize).map(|place| &place.host));
    let names = if a == b { &WITHIN } else { &BETWEEN };
    // A negative one means: as the MPI decides.
    let known = session.control_variables();
    let of = |wanted: &&str| known.iter().find(|(name, value)| name == wanted && *value >= 0).copied();
    if let Some((name, value)) = names.iter().find_map(of) {
        session.fact(Scope::Pair(pair), &format!("{PREFIX}{name}"), value as f64);
    }
}

/// The same as parameters. `changes` are the sizes between which the curve of the ping-pong changes, up to its `last` size, and the largest
/// message whose send needs no receiver.
pub fn numbers(measured: &Measured, pair: usize, changes: &[(f64, f64)], last: f64) -> Vec<Number> {
    let facts = measured.facts.iter().filter(|((scope, _), _)| *scope == Scope::Pair(pair));
    let of_variable = |((_, id), &value): (&(Scope, String), &f64)| {
        let name = id.strip_prefix(PREFIX)?;
        let is_near = |&(low, high): &(f64, f64)| low / NEAR <= value && value <= high * NEAR;
        let seen = match changes.iter().any(is_near) {
            true => "agrees with the ping-pong",
            false if value > last => "above all sizes of the ping-pong",
            false => "the ping-pong shows no change near it",
        };
        let text = format!("eager limit by the control variable {name}: {seen}");
        Some(Number::new("eager_limit_variable", "B", Some(value), &text))
    };
    facts.filter_map(of_variable).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_is_compared_with_the_curve() {
        let mut measured = Measured::default();
        let mut put = |id: &str, value: f64| measured.facts.insert((Scope::Pair(0), id.to_owned()), value);
        put("variable btl_vader_eager_limit", 4096.0);
        put("local_send_limit", 256.0);
        let text_up_to = |last: f64, changes: &[(f64, f64)]| {
            let [found] = &numbers(&measured, 0, changes, last)[..] else { panic!() };
            assert_eq!((found.id, found.value), ("eager_limit_variable", Some(4096.0)));
            found.text.clone()
        };
        let text = |changes: &[(f64, f64)]| text_up_to(65536.0, changes);
        let agrees = "eager limit by the control variable btl_vader_eager_limit: agrees with the ping-pong";
        assert_eq!(text(&[(2048.0, 2048.0)]), agrees);
        assert_eq!(text(&[(256.0, 256.0), (4000.0, 4096.0)]), agrees);
        let differs =
            "eager limit by the control variable btl_vader_eager_limit: the ping-pong shows no change near it";
        assert_eq!(text(&[(256.0, 256.0), (16384.0, 32768.0)]), differs);
        assert_eq!(text(&[]), differs);
        assert!(text_up_to(2048.0, &[(256.0, 256.0)]).ends_with(": above all sizes of the ping-pong"));
        assert!(numbers(&measured, 1, &[], 0.0).is_empty());
    }
}
