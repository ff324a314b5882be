//! How messages between hosts hinder each other: the ways that a run does not show directly are tried, and the one that replays it best is taken.

use std::sync::Arc;

use mpiscope_model::simulation::{Network, Section, Simulation};
use rayon::prelude::*;

use crate::apply::Run;

/// A way in which messages hinder each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hindrance {
    /// See [`Network::in_order`].
    pub in_order: bool,
    /// See [`mpiscope_model::simulation::Link::answers_queue`].
    pub answers_queue: bool,
}

impl Hindrance {
    /// All ways.
    pub const ALL: [Hindrance; 4] = [
        Hindrance { in_order: false, answers_queue: false },
        Hindrance { in_order: false, answers_queue: true },
        Hindrance { in_order: true, answers_queue: false },
        Hindrance { in_order: true, answers_queue: true },
    ];
}

/// Another way must replay the run better by this share of its time.
const BETTER: f64 = 0.01;

/// Of networks that differ in this, the most likely first, the one that replays the run best.
pub fn closest(run: Run<'_>, mut networks: Vec<Network>, sections: &[Arc<Section>]) -> Network {
    if networks.len() < 2 {
        return networks.pop().unwrap_or_default();
    }
    let error = |network: &Network| {
        let mut simulation = Simulation::new(Arc::new(network.clone()), &run.recorded.starts_ns);
        sections.iter().for_each(|section| simulation.add(section, &mut ()));
        let replayed = simulation.finish();
        let recorded_ns = run.recorded.time_ns();
        let ranks = run.recorded.starts_ns.len().max(1) as f64;
        let waits = run.recorded.waits_ns.iter().zip(&replayed.waits_ns).map(|(a, b)| a.abs_diff(*b)).sum::<u64>();
        (recorded_ns.abs_diff(replayed.time_ns()) as f64 + waits as f64 / ranks) / recorded_ns.max(1) as f64
    };
    let errors: Vec<f64> = networks.par_iter().map(error).collect();
    let least = |best: usize, at: usize| if errors[at] < errors[best] - BETTER { at } else { best };
    networks.swap_remove((0..errors.len()).fold(0, least))
}

/// What is unusual about a network, as far as the run shows it.
pub(crate) fn texts(network: &Network) -> Vec<String> {
    let each_ns = network.links.iter().map(|link| link.port_ns_per_message).fold(0.0, f64::max);
    let each = (each_ns > 0.0).then(|| {
        let time = mpiscope_units::time_of(each_ns);
        format!("Between hosts, each message occupies the network of its host for {time}, whatever its size")
    });
    order_text(network).map(str::to_owned).into_iter().chain(each).collect()
}

fn order_text(network: &Network) -> Option<&'static str> {
    let answers_queue = network.links.iter().any(|link| link.answers_queue);
    match (network.in_order, answers_queue) {
        (false, false) => None,
        (true, false) => Some("Messages between hosts pass one after the other"),
        (false, true) => Some("Between hosts, answers to long messages come after data that the same rank sends"),
        (true, true) => Some(
            "Messages between hosts pass one after the other, and answers to long messages come after data that the same rank sends",
        ),
    }
}
