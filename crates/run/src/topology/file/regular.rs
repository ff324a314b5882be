//! `[torus]` and `[tree]`.

use serde::Deserialize;
use toml::{Spanned, Value};

use super::Lines;
use crate::topology::torus::Torus;
use crate::topology::tree::Tree;
use crate::topology::{MOST_NODES, TopologyError};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TorusPart {
    shape: Spanned<Value>,
    wrap: Option<Spanned<Value>>,
    order: Option<Spanned<Vec<usize>>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TreePart {
    arity: Spanned<Value>,
    levels: Option<Spanned<usize>>,
    uplinks: Option<Spanned<Value>>,
}

pub fn torus(lines: &Lines, part: &TorusPart) -> Result<Torus, TopologyError> {
    let text = "shape must be \"4x4x2\" or [4, 4, 2]: 1 to 8 extents of at least 1";
    let shape = match part.shape.get_ref() {
        Value::String(shape) => shape.split('x').map(|extent| extent.trim().parse().ok()).collect(),
        value => extents(value),
    };
    let shape: Vec<u32> = shape
        .filter(|s: &Vec<u32>| (1..=8).contains(&s.len()) && !s.contains(&0))
        .ok_or_else(|| lines.wrong(&part.shape, text))?;
    sized(lines, &part.shape, &shape)?;
    let wrap = match part.wrap.as_ref().map(Spanned::get_ref) {
        None => vec![true; shape.len()],
        Some(Value::Boolean(all)) => vec![*all; shape.len()],
        Some(value) => {
            let each: Option<Vec<bool>> = value.as_array().and_then(|list| list.iter().map(Value::as_bool).collect());
            each.filter(|each| each.len() == shape.len()).ok_or_else(|| {
                let text =
                    format!("wrap must be true, false, or a list of {} of these, one for each dimension", shape.len());
                TopologyError { line: part.wrap.as_ref().map(|wrap| lines.line(wrap.span().start)), text }
            })?
        }
    };
    let order = match &part.order {
        None => (0..shape.len()).collect(),
        Some(order) => {
            let mut sorted = order.get_ref().clone();
            sorted.sort_unstable();
            if sorted != (0..shape.len()).collect::<Vec<_>>() {
                let text = format!("order must contain each of the dimensions 0 to {} once", shape.len() - 1);
                return Err(lines.wrong(order, text));
            }
            order.get_ref().clone()
        }
    };
    Ok(Torus { shape, wrap, order })
}

fn extents(value: &Value) -> Option<Vec<u32>> {
    value.as_array()?.iter().map(|extent| u32::try_from(extent.as_integer()?).ok()).collect()
}

fn sized(lines: &Lines, at: &Spanned<Value>, extents: &[u32]) -> Result<(), TopologyError> {
    let nodes = extents.iter().try_fold(1u64, |product, &n| product.checked_mul(n.into()));
    match nodes {
        Some(nodes) if nodes <= MOST_NODES => Ok(()),
        _ => Err(lines.wrong(at, format!("more than {MOST_NODES} nodes"))),
    }
}

pub fn tree(lines: &Lines, part: &TreePart) -> Result<Tree, TopologyError> {
    let text = "arity is the number of children of a switch: [16, 8] from the leaf switches up, or 16 with levels = 2";
    let wrong = || lines.wrong(&part.arity, text);
    let arity = match (part.arity.get_ref(), &part.levels) {
        (Value::Integer(all), Some(levels)) if (1..=32).contains(levels.get_ref()) => {
            vec![u32::try_from(*all).map_err(|_| wrong())?; *levels.get_ref()]
        }
        (_, Some(levels)) => {
            return Err(
                lines.wrong(levels, "levels must be a number from 1 to 32, and requires an arity that is one number")
            );
        }
        (value, None) => extents(value).ok_or_else(wrong)?,
    };
    if arity.is_empty() || arity.len() > 32 || arity.contains(&0) {
        return Err(wrong());
    }
    sized(lines, &part.arity, &arity)?;
    let uplinks = match &part.uplinks {
        None => Vec::new(),
        Some(given) => {
            let found = match given.get_ref() {
                Value::Integer(all) => u32::try_from(*all).ok().map(|all| vec![all; arity.len().saturating_sub(1)]),
                value => extents(value),
            };
            found.filter(|found| found.len() < arity.len() && !found.contains(&0)).ok_or_else(|| {
                let text = format!(
                    "uplinks is the number of links from a switch to the level above: one number, or one for each of the {} levels below the \
                     top",
                    arity.len() - 1
                );
                lines.wrong(given, text)
            })?
        }
    };
    Ok(Tree { arity, uplinks })
}
