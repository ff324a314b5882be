//! What orders gain, by the model of the recorded run.

use std::ops::ControlFlow;

use mpiscope_place::Named;
use mpiscope_predict::{Answer, Change, Placement};
use mpiscope_query::{Target, predict, why_no_events};
use mpiscope_run::{Resolver, Run};

use crate::memory::give_back;
use crate::progress::Progress;

/// Calls of the longest run whose orders are predicted without being asked: one that takes seconds.
pub const MOST_CALLS: u64 = 1 << 24;

/// Predicted times.
pub struct Predictions {
    /// In the order of the orders, as far as they are known.
    pub answers: Vec<Option<Answer>>,
    /// Why there are none, or why some are missing.
    pub why_not: Option<String>,
    /// Time of the recorded run, ns.
    pub recorded_ns: u64,
    /// How well the model replays the run: the error of its time, as a share.
    pub error: f64,
}

impl Predictions {
    /// Of these orders.
    pub fn of(run: &Run, calls: u64, orders: &[Named], target: Target<'_>) -> Predictions {
        let none = |why: String| Predictions { answers: Vec::new(), why_not: Some(why), recorded_ns: 0, error: 0.0 };
        if run.manifest.predicted.is_some() {
            return none("the run is a predicted one".to_owned());
        }
        if calls > MOST_CALLS {
            return none(
                "the run is long; mpiscope predict RUN --what-if placement=best predicts one order".to_owned(),
            );
        }
        let asked = orders.iter().map(|order| vec![Change::Placement(Placement::given(order.id, order.nodes.clone()))]);
        let asked: Vec<Vec<Change>> = asked.collect();
        let mut progress = Progress::new("predicting");
        let found = predict(run, &Resolver::default(), &asked, target, &mut |done, all| {
            progress.at(done, all);
            give_back();
            ControlFlow::Continue(())
        });
        progress.done();
        let found = match found {
            Ok(found) if found.calls > 0 => found,
            Ok(_) => return none(format!("the run has no events: {}", why_no_events(run))),
            Err(error) => return none(error.to_string()),
        };
        let why_not = found.answers.iter().find_map(|answer| answer.as_ref().err()).map(ToString::to_string);
        let time = &found.reproduction.time;
        Predictions {
            recorded_ns: time.recorded_ns,
            error: time.error(),
            answers: found.answers.into_iter().map(Result::ok).collect(),
            why_not,
        }
    }

    /// That of the order with this number.
    pub fn answer(&self, order: usize) -> Option<&Answer> {
        self.answers.get(order)?.as_ref()
    }

    /// What the order with this number saves, s, with its interval.
    pub fn saves_s(&self, order: usize) -> Option<[f64; 3]> {
        let answer = self.answer(order)?;
        let seconds = self.recorded_ns as f64 / 1e9;
        Some([answer.gain, answer.low, answer.high].map(|share| share * seconds))
    }
}
