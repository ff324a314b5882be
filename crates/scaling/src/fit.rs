//! From a few measured values to a model: which terms describe them, with which coefficients, and how sure that is.
//!
//! A model is a sum of at most three terms of the performance model normal form with coefficients that are not negative: times and bytes are sums
//! of parts, and a negative part has no meaning beyond the measured sizes. Which terms are taken is decided by leave-one-out cross-validation, as Extra-P does
//! (Calotoiu, Hoefler, Poke, Wolf: *Using Automated Performance Modeling to Find Scalability Bugs in Complex Codes*, SC 2013): each
//! size in turn is predicted from the others.
//!
//! How sure it is comes from repeating everything, the choice of terms included, with values that are changed at random by as much as
//! the values scatter around the model (a parametric bootstrap).

use mpiscope_statistics::{quantile, sorted};
use serde::Serialize;

use crate::term::{At, Kind, Term, terms};

/// Repetitions with changed values.
pub const REPETITIONS: usize = 40;
/// Terms of a model.
const MOST_TERMS: usize = 3;
/// Sizes that are needed for a model with so many terms: one more than coefficients, and again one, so that leaving one out still says something.
const SIZES_FOR: [usize; MOST_TERMS + 1] = [0, 2, 3, 5];
/// Another term must make the error smaller by these factors: with as many terms as values, everything fits.
const PENALTY: [f64; MOST_TERMS + 1] = [1.0, 1.0, 1.5, 3.0];
/// Another model must be better than an earlier one, with fewer or flatter terms, by this factor. Below the noise, everything is constant.
const CLEARLY: f64 = 0.98;
/// Relative errors below this are equal: measurements repeat no better.
const SAME: f64 = 0.005;
/// The same for values that are small beside the largest one, as a part of that: the relative error of nothing says nothing.
const FLOOR: f64 = 1e-3;
/// Scatter that is assumed at least; with two sizes it cannot be seen.
const LEAST_SCATTER: f64 = 0.01;
const LEAST_SCATTER_OF_TWO: f64 = 0.03;
const MOST_SCATTER: f64 = 0.5;

/// A measured value.
#[derive(Clone, Copy, Debug)]
pub struct Point {
    /// Of which run.
    pub at: At,
    /// Not negative.
    pub value: f64,
    /// By how much it is wrong whatever its size: parts of a run are not known better than to a part of the run's time.
    pub noise: f64,
}

/// A term with its coefficient.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Part {
    /// The coefficient.
    pub coefficient: f64,
    /// The term.
    #[serde(flatten)]
    pub term: Term,
}

/// How a quantity depends on ranks and size.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Model {
    /// The terms.
    pub parts: Vec<Part>,
    /// Error of the cross-validation: how far the value of a size is from what the others say, root mean square, as a share of it.
    pub error: f64,
    /// The terms of each repetition with changed values.
    #[serde(skip)]
    repetitions: Vec<Vec<Part>>,
}

/// A value with the range in which it probably is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Range {
    /// The value.
    pub value: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

impl Range {
    /// Around `value`: 95 % of `others`, and at least from `value / (1 + share)` to `value · (1 + share)`.
    pub fn new(value: f64, others: Vec<f64>, share: f64) -> Range {
        let others = sorted(&others);
        let (low, high) = match others.is_empty() {
            true => (value, value),
            false => (quantile(&others, 0.025), quantile(&others, 0.975)),
        };
        Range { value, low: low.min(value / (1.0 + share)).max(0.0), high: high.max(value * (1.0 + share)) }
    }
}

fn sum(parts: &[Part], at: At) -> f64 {
    parts.iter().map(|part| part.coefficient * part.term.value(at)).sum()
}

impl Model {
    /// The model of these values. Without any value above 0, it is nothing. `with_size`: whether terms in the problem size are considered.
    pub fn new(points: &[Point], with_size: bool, seed: u64) -> Model {
        let hypotheses = Hypotheses::new(points, with_size);
        let Some((parts, error)) = hypotheses.best(points) else { return Model::default() };
        let scatter = scatter(points, &parts, hypotheses.sizes.len());
        let mut random = fastrand::Rng::with_seed(seed);
        let repeated = |_| {
            let change = |point: &Point| {
                let noise = (scatter * point.value).hypot(point.noise);
                Point { value: (point.value + noise * normal(&mut random)).max(0.0), ..*point }
            };
            let changed: Vec<Point> = points.iter().map(change).collect();
            hypotheses.best(&changed).map_or_else(Vec::new, |(parts, _)| parts)
        };
        let repetitions = (0..REPETITIONS).map(repeated).collect();
        Model { parts, error, repetitions }
    }

    /// The value.
    pub fn at(&self, at: At) -> f64 {
        sum(&self.parts, at)
    }

    /// The value in one of [`REPETITIONS`].
    pub fn repeated_at(&self, repetition: usize, at: At) -> f64 {
        self.repetitions.get(repetition).map_or(0.0, |parts| sum(parts, at))
    }

    /// The value with its range.
    pub fn range_at(&self, at: At) -> Range {
        let others = (0..self.repetitions.len()).map(|repetition| self.repeated_at(repetition, at)).collect();
        Range::new(self.at(at), others, self.error)
    }

    /// In words, the largest part at this place first: `falls with 1/p + const`.
    pub fn text(&self, at: At) -> String {
        let mut parts: Vec<&Part> = self.parts.iter().filter(|part| !part.term.is_constant()).collect();
        parts.sort_by(|a, b| (b.coefficient * b.term.value(at)).total_cmp(&(a.coefficient * a.term.value(at))));
        let is_lasting = parts.len() < self.parts.len();
        let texts: Vec<String> = parts.iter().map(|part| part.term.text()).collect();
        match texts.is_empty() {
            true if self.parts.is_empty() => "is nothing".into(),
            true => "is constant".into(),
            false if is_lasting && parts.iter().all(|part| part.term.kind() == Kind::Part && !part.term.of_others) => {
                format!("{} + const", texts.join(", "))
            }
            false => texts.join(", "),
        }
    }
}

/// Which models are considered, and the sizes of the runs.
struct Hypotheses {
    terms: Vec<Term>,
    /// Indices of terms.
    sets: Vec<Vec<usize>>,
    /// Points of the same size, by their indices.
    sizes: Vec<Vec<usize>>,
}

impl Hypotheses {
    fn new(points: &[Point], with_size: bool) -> Hypotheses {
        let mut sizes: Vec<(At, Vec<usize>)> = Vec::new();
        for (index, point) in points.iter().enumerate() {
            match sizes.iter_mut().find(|(at, _)| *at == point.at) {
                Some((_, of)) => of.push(index),
                None => sizes.push((point.at, vec![index])),
            }
        }
        let terms = terms(sizes.len(), with_size);
        let most = (1..=MOST_TERMS).rev().find(|&count| sizes.len() >= SIZES_FOR[count]).unwrap_or(1);
        let mut sets: Vec<Vec<usize>> = (0..terms.len()).map(|one| vec![one]).collect();
        let mut begin = 0;
        for _ in 1..most {
            let end = sets.len();
            for at in begin..end {
                // Two terms of the same kind describe noise more often than the program.
                let is_new = |next: usize| sets[at].iter().all(|&own| terms[own].kind() != terms[next].kind());
                let first = sets[at].last().map_or(0, |last| last + 1);
                let larger: Vec<Vec<usize>> = (first..terms.len())
                    .filter(|&next| is_new(next))
                    .map(|next| sets[at].iter().copied().chain([next]).collect())
                    .collect();
                sets.extend(larger);
            }
            begin = end;
        }
        Hypotheses { terms, sets, sizes: sizes.into_iter().map(|(_, of)| of).collect() }
    }

    /// The model with the smallest error, penalised by the number of its terms, and this error without penalty.
    fn best(&self, points: &[Point]) -> Option<(Vec<Part>, f64)> {
        let largest = points.iter().map(|point| point.value).fold(0.0, f64::max);
        if largest <= 0.0 {
            return None;
        }
        let noises =
            points.iter().map(|point| (SAME * point.value).max(SAME * FLOOR * largest).hypot(point.noise)).collect();
        let rows: Vec<Vec<f64>> =
            points.iter().map(|point| self.terms.iter().map(|term| term.value(point.at)).collect()).collect();
        let problem = Problem { points, rows: &rows, noises, floor: largest * FLOOR };
        let all: Vec<usize> = (0..points.len()).collect();
        let mut best: Option<(f64, f64, &[usize], [f64; MOST_TERMS])> = None;
        for set in &self.sets {
            let Some(coefficients) = problem.solve(set, &all) else { continue };
            let Some((noises, error)) = self.errors(&problem, set) else { continue };
            let score = noises.hypot(1.0) * PENALTY[set.len()];
            if best.as_ref().is_none_or(|(least, ..)| score < CLEARLY * *least) {
                best = Some((score, error, set, coefficients));
            }
        }
        let (_, error, set, coefficients) = best?;
        let part = |(&term, &coefficient): (&usize, &f64)| Part { coefficient, term: self.terms[term] };
        Some((set.iter().zip(&coefficients).map(part).collect(), error))
    }

    /// Root mean square of the errors with which each size is predicted from the others: divided by the noise, and by the value.
    fn errors(&self, problem: &Problem<'_>, set: &[usize]) -> Option<(f64, f64)> {
        if self.sizes.len() < 2 {
            return Some((0.0, 0.0));
        }
        let mut sums = (0.0, 0.0);
        let mut rest: Vec<usize> = Vec::with_capacity(problem.points.len());
        for (at, left_out) in self.sizes.iter().enumerate() {
            rest.clear();
            rest.extend(self.sizes.iter().enumerate().filter(|(other, _)| *other != at).flat_map(|(_, of)| of));
            let coefficients = problem.solve(set, &rest)?;
            for &index in left_out {
                let (noises, relative) = problem.errors(set, &coefficients, index);
                let part = left_out.len() as f64;
                sums = (sums.0 + noises.powi(2) / part, sums.1 + relative.powi(2) / part);
            }
        }
        let count = self.sizes.len() as f64;
        Some(((sums.0 / count).sqrt(), (sums.1 / count).sqrt()))
    }
}

/// Least squares of errors divided by their noise.
struct Problem<'a> {
    points: &'a [Point],
    /// Values of all terms, by point.
    rows: &'a [Vec<f64>],
    noises: Vec<f64>,
    floor: f64,
}

impl Problem<'_> {
    fn weight(&self, index: usize) -> f64 {
        1.0 / self.noises[index]
    }

    /// Coefficients of the terms in `set` for the points in `of`; `None` if these points do not determine them, or one is negative.
    fn solve(&self, set: &[usize], of: &[usize]) -> Option<[f64; MOST_TERMS]> {
        let count = set.len();
        // Columns of similar length: the sums below lose fewer digits.
        let mut lengths = [0.0; MOST_TERMS];
        for (length, &term) in lengths.iter_mut().zip(set) {
            *length = of.iter().map(|&index| (self.rows[index][term] * self.weight(index)).powi(2)).sum::<f64>().sqrt();
            if *length <= 0.0 || !length.is_finite() {
                return None;
            }
        }
        let mut matrix = [[0.0; MOST_TERMS + 1]; MOST_TERMS];
        for &index in of {
            let weight = self.weight(index);
            let mut row = [0.0; MOST_TERMS + 1];
            for at in 0..count {
                row[at] = self.rows[index][set[at]] * weight / lengths[at];
            }
            row[count] = self.points[index].value * weight;
            for at in 0..count {
                for other in 0..=count {
                    matrix[at][other] += row[at] * row[other];
                }
            }
        }
        let mut found = eliminate(&mut matrix, count)?;
        for (value, length) in found.iter_mut().zip(&lengths).take(count) {
            if *value < 0.0 {
                return None;
            }
            *value /= length;
        }
        Some(found)
    }

    /// Difference between model and value, divided by the noise, and by the mean of both: a model of 0 for a value is as wrong as one of much
    /// too much.
    fn errors(&self, set: &[usize], coefficients: &[f64; MOST_TERMS], index: usize) -> (f64, f64) {
        let model: f64 = set.iter().zip(coefficients).map(|(&term, c)| c * self.rows[index][term]).sum();
        let Point { value, noise, .. } = self.points[index];
        let error = (model - value).abs();
        (error / self.noises[index], error / ((model + value) / 2.0).max(noise).max(self.floor))
    }
}

/// Solves the normal equations, whose last column is the right side. `None` if they are singular.
fn eliminate(matrix: &mut [[f64; MOST_TERMS + 1]; MOST_TERMS], count: usize) -> Option<[f64; MOST_TERMS]> {
    /// Columns have length 1: a smaller pivot means that terms cannot be told from each other by these points.
    const SINGULAR: f64 = 1e-9;
    for at in 0..count {
        let pivot = (at..count).max_by(|&a, &b| matrix[a][at].abs().total_cmp(&matrix[b][at].abs()))?;
        matrix.swap(at, pivot);
        if matrix[at][at].abs() < SINGULAR {
            return None;
        }
        let row = matrix[at];
        for other in &mut matrix[at + 1..count] {
            let factor = other[at] / row[at];
            for (value, own) in other.iter_mut().zip(&row) {
                *value -= factor * own;
            }
        }
    }
    let mut found = [0.0; MOST_TERMS];
    for at in (0..count).rev() {
        let known: f64 = (at + 1..count).map(|other| matrix[at][other] * found[other]).sum();
        found[at] = (matrix[at][count] - known) / matrix[at][at];
    }
    Some(found)
}

/// By how much values scatter around the model, as a share.
fn scatter(points: &[Point], parts: &[Part], sizes: usize) -> f64 {
    let relative = |point: &Point| {
        let model = sum(parts, point.at);
        (point.value - model) / model.max(point.noise).max(f64::MIN_POSITIVE)
    };
    let squares: f64 = points.iter().map(|point| relative(point).powi(2)).sum();
    let free = points.len().saturating_sub(parts.len()).max(1);
    let least = if sizes > 2 { LEAST_SCATTER } else { LEAST_SCATTER_OF_TWO };
    (squares / free as f64).sqrt().clamp(least, MOST_SCATTER)
}

/// A normally distributed number: the sum of twelve uniform ones has variance 1.
fn normal(random: &mut fastrand::Rng) -> f64 {
    (0..12).map(|_| random.f64()).sum::<f64>() - 6.0
}
