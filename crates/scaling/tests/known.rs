//! Known functions are recovered from noisy values.

use mpiscope_scaling::{At, CONSTANT, Model, Point, Term};
use proptest::prelude::*;

const SEEDS: u64 = 20;

fn at(ranks: f64, size: f64) -> At {
    At { ranks, size }
}

fn ranks(of: &[f64]) -> Vec<At> {
    of.iter().map(|&ranks| at(ranks, 1.0)).collect()
}

fn normal(random: &mut fastrand::Rng) -> f64 {
    (0..12).map(|_| random.f64()).sum::<f64>() - 6.0
}

fn term(size_exponent: f64, ranks_exponent: f64, log_exponent: i32) -> Term {
    Term { size_exponent, ranks_exponent, log_exponent, of_others: false }
}

/// A constant and a term, which is 1 in the largest run; measured with noise.
struct Known {
    term: Term,
    constant: f64,
    unit: f64,
}

impl Known {
    fn new(term: Term, constant: f64, places: &[At]) -> Known {
        Known { term, constant, unit: term.value(places[places.len() - 1]) }
    }

    fn value(&self, at: At) -> f64 {
        self.constant + self.term.value(at) / self.unit
    }

    fn measured(&self, places: &[At], noise: f64, seed: u64) -> Vec<Point> {
        let mut random = fastrand::Rng::with_seed(seed);
        places
            .iter()
            .map(|&at| Point { at, value: self.value(at) * (1.0 + noise * normal(&mut random)), noise: 0.0 })
            .collect()
    }
}

/// Shares of all functions and seeds: the right term is found; a larger run is predicted within 10 %; it is within the range.
#[derive(Debug, Default)]
struct Shares {
    term: f64,
    near: f64,
    in_range: f64,
}

fn recovered(terms: &[Term], constants: &[f64], noise: f64, places: &[At], far: At) -> Shares {
    let with_size = places.iter().any(|place| place.size != places[0].size);
    let (mut shares, mut all) = (Shares::default(), 0.0);
    for &term in terms {
        for &constant in constants {
            let known = Known::new(term, constant, places);
            for seed in 0..SEEDS {
                let model = Model::new(&known.measured(places, noise, seed), with_size, seed);
                let found: Vec<Term> =
                    model.parts.iter().map(|part| part.term).filter(|term| !term.is_constant()).collect();
                let right: &[Term] = if term == CONSTANT { &[] } else { &[term] };
                let (range, truth) = (model.range_at(far), known.value(far));
                all += 1.0;
                shares.term += f64::from(u8::from(found == right));
                shares.near += f64::from(u8::from((range.value / truth - 1.0).abs() < 0.1));
                shares.in_range += f64::from(u8::from(range.low <= truth && truth <= range.high));
            }
        }
    }
    Shares { term: shares.term / all, near: shares.near / all, in_range: shares.in_range / all }
}

const THIRD: f64 = 1.0 / 3.0;
const GROWING: [Term; 7] =
    [CONSTANT, term_of(0.0, 1), term_of(0.0, 2), term_of(0.5, 0), term_of(1.0, 0), term_of(1.0, 1), term_of(2.0, 0)];
const FALLING: [Term; 3] = [term_of(-1.0, 0), term_of(-2.0 * THIRD, 0), term_of(-0.5, 0)];

const fn term_of(ranks_exponent: f64, log_exponent: i32) -> Term {
    Term { size_exponent: 0.0, ranks_exponent, log_exponent, of_others: false }
}

#[test]
fn what_grows_is_recognised() {
    let places = ranks(&[2.0, 4.0, 8.0, 16.0, 32.0, 64.0]);
    let found = recovered(&GROWING, &[0.0, 0.2, 0.5], 0.01, &places, at(128.0, 1.0));
    assert!(found.term >= 0.9 && found.near >= 0.9 && found.in_range >= 0.9, "{found:?}");
}

#[test]
fn what_falls_is_recognised() {
    let places = ranks(&[2.0, 4.0, 8.0, 16.0, 32.0, 64.0]);
    let found = recovered(&FALLING, &[0.0, 0.5, 1.0], 0.01, &places, at(128.0, 1.0));
    assert!(found.term >= 0.9 && found.near >= 0.9 && found.in_range >= 0.9, "{found:?}");
}

#[test]
fn the_problem_size_is_told_from_the_ranks() {
    let places: Vec<At> =
        [1e4, 1e5, 1e6].iter().flat_map(|&size| [2.0, 8.0, 32.0].map(|ranks| at(ranks, size))).collect();
    let terms = [
        term(1.0, -1.0, 0),
        term(2.0 * THIRD, -2.0 * THIRD, 0),
        term(0.5, -0.5, 0),
        term(1.0, 0.0, 0),
        term(0.0, 0.0, 1),
        term(0.0, 1.0, 0),
    ];
    let found = recovered(&terms, &[0.0, 0.1], 0.01, &places, at(128.0, 4e6));
    assert!(found.term >= 0.9 && found.near >= 0.9 && found.in_range >= 0.9, "{found:?}");
}

#[test]
fn two_sizes_give_a_wide_range() {
    let value = |ranks, value| Point { at: at(ranks, 1.0), value, noise: 0.0 };
    let two = Model::new(&[value(2.0, 4.0), value(4.0, 2.0)], false, 0);
    assert_eq!(two.parts.iter().map(|part| part.term).collect::<Vec<_>>(), [term_of(-1.0, 0)]);
    let many: Vec<Point> = [2.0, 4.0, 8.0, 16.0, 32.0].map(|ranks| value(ranks, 8.0 / ranks)).to_vec();
    let many = Model::new(&many, false, 0);
    let width = |model: &Model| {
        let range = model.range_at(at(64.0, 1.0));
        (range.high - range.low) / range.value
    };
    assert!(width(&two) > 2.0 * width(&many), "{} {}", width(&two), width(&many));
}

#[test]
fn nothing_stays_nothing() {
    let zero = Point { at: at(2.0, 1.0), value: 0.0, noise: 0.0 };
    let model = Model::new(&[zero, Point { at: at(4.0, 1.0), ..zero }], false, 0);
    assert_eq!((model.parts.len(), model.at(at(64.0, 1.0))), (0, 0.0));
    assert_eq!(Model::new(&[], false, 0), Model::default());
}

proptest! {
    #[test]
    fn ranges_contain_their_value_and_nothing_is_negative(
        values in proptest::collection::vec((1u32..5000, prop_oneof![Just(0.0), 1.0..1e12]), 1..7),
        asked in 1u32..1_000_000,
    ) {
        let points: Vec<Point> = values.iter().map(|&(ranks, value)| Point { at: at(ranks.into(), 1.0), value, noise: 0.0 }).collect();
        let model = Model::new(&points, false, 1);
        let range = model.range_at(at(asked.into(), 1.0));
        prop_assert!(range.low >= 0.0 && range.low <= range.value && range.value <= range.high, "{:?}", range);
        prop_assert!(range.high.is_finite());
        prop_assert!(model.parts.iter().all(|part| part.coefficient >= 0.0));
        prop_assert_eq!(&model, &Model::new(&points, false, 1));
    }

    #[test]
    fn another_unit_changes_nothing_else(factor in 1e-3f64..1e6) {
        let places = ranks(&[1.0, 2.0, 4.0, 8.0]);
        let known = Known::new(term_of(-1.0, 0), 0.3, &places).measured(&places, 0.02, 3);
        let scaled: Vec<Point> = known.iter().map(|point| Point { value: point.value * factor, ..*point }).collect();
        let (a, b) = (Model::new(&known, false, 0), Model::new(&scaled, false, 0));
        let far = at(64.0, 1.0);
        prop_assert!((a.at(far) * factor / b.at(far) - 1.0).abs() < 1e-6);
    }
}
