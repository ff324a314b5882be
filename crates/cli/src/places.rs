//! `--on` and `--off`: resolves the places in the program before it starts.

use std::collections::BTreeSet;

use mpiscope_codescan::{Asked, Places, Spot};
use mpiscope_launch::options::Settings;
use mpiscope_launch::program::Program;
use mpiscope_launch::{elf::Image, objects};
use mpiscope_symbols::{CodePlace, NoPlace, Resolver};

use crate::failure::Failure;
use crate::{say, sources};

/// Linux limits a word of a command line and an environment variable to 128 KiB.
const MOST_TEXT: usize = 120 << 10;

/// Puts the places into the settings as the collector reads them. `starts_by_default`: `--start` was not given; with `--on`
/// recording then starts paused.
pub fn find(program: &Program, settings: &mut Settings, starts_by_default: bool) -> Result<(), Failure> {
    if settings.on.is_empty() && settings.off.is_empty() {
        return Ok(());
    }
    let parse = |texts: &[String]| texts.iter().map(|text| text.parse::<CodePlace>()).collect::<Result<Vec<_>, _>>();
    let other = |error: <CodePlace as std::str::FromStr>::Err| Failure::Other(error.into());
    let (on, off) = (parse(&settings.on).map_err(other)?, parse(&settings.off).map_err(other)?);
    let path = &program.executable;
    // Libraries that cannot be listed are reported by the search for the MPI; the program itself is searched anyway.
    let interpreter = Image::open(path).ok().and_then(|image| image.interpreter().ok().flatten());
    let libraries = interpreter.and_then(|it| objects::list(&it, path).ok()).map(|listed| listed.found);
    let libraries = libraries.unwrap_or_default();
    let resolver = Resolver::default();
    let mut places = Places { paused: starts_by_default && !on.is_empty(), ..Places::default() };
    for (place, on) in on.iter().map(|place| (place, true)).chain(off.iter().map(|place| (place, false))) {
        let found = resolver.place(path, &libraries, place, on).map_err(|error| not_found(&error))?;
        if !found.left_out.is_empty() {
            let (count, first) = (found.left_out.len(), &found.left_out[0]);
            let first = sources::in_text(first);
            say::warning(format_args!(
                "'{place}': no jump can be inserted into {count} of these functions, such as {first}"
            ));
        }
        // Unpatched functions are not detected when they run: such a place gets no number, so that it is not reported as
        // never reached.
        let number =
            found.left_out.is_empty().then(|| number(&mut places.asked, Asked { on, text: place.to_string() }));
        for spot in found.spots {
            let spot = Spot { of: number.into_iter().collect(), ..spot };
            if let Some(other) = add(&mut places.spots, &spot) {
                return Err(Failure::Other(too_near(place, &spot, &other)));
            }
        }
    }
    let text = places.to_string();
    match text.len() {
        0..=MOST_TEXT => {
            settings.collector.places = text;
            Ok(())
        }
        _ => Err(Failure::Other(anyhow::anyhow!(
            "too many places in the code for --on and --off: {}; choose fewer",
            places.spots.len()
        ))),
    }
}

/// Why a place is invalid, with sources as they are shown.
fn not_found(error: &NoPlace) -> Failure {
    Failure::Other(anyhow::Error::msg(sources::in_text(&error.to_string()).into_owned()))
}

/// The number of a place, which may have been assigned before.
fn number(all: &mut Vec<Asked>, asked: Asked) -> usize {
    all.iter().position(|other| *other == asked).unwrap_or_else(|| {
        all.push(asked);
        all.len() - 1
    })
}

/// Adds a place, or returns another one that conflicts with it. No branch leads into the instructions that a place
/// displaces, so of two overlapping places the second is reached only through the first: if both do the same, the second
/// is not needed, and reaching the first counts for both.
fn add(spots: &mut Vec<Spot>, spot: &Spot) -> Option<Spot> {
    if let Some(other) = spots.iter().find(|other| overlap(other, spot) && other.on != spot.on) {
        return Some(other.clone());
    }
    match spots.iter_mut().find(|other| overlap(other, spot) && other.address <= spot.address) {
        Some(first) => first.of = together(&first.of, &spot.of),
        None => {
            let mut spot = spot.clone();
            spots.retain(|other| {
                let is_needed = !overlap(other, &spot);
                if !is_needed {
                    spot.of = together(&spot.of, &other.of);
                }
                is_needed
            });
            spots.push(spot);
        }
    }
    None
}

/// Numbers of both lists, in order.
fn together(a: &[usize], b: &[usize]) -> Vec<usize> {
    a.iter().chain(b).copied().collect::<BTreeSet<_>>().into_iter().collect()
}

fn overlap(a: &Spot, b: &Spot) -> bool {
    let end = |spot: &Spot| spot.address + spot.length as u64;
    a.path == b.path && a.address < end(b) && b.address < end(a)
}

fn too_near(place: &CodePlace, spot: &Spot, other: &Spot) -> anyhow::Error {
    let path = String::from_utf8_lossy(&spot.path);
    let path = sources::shown(&path);
    match spot.address == other.address {
        true => anyhow::anyhow!("'{place}' is both in --on and in --off ({path}+{:#x})", spot.address),
        false => anyhow::anyhow!(
            "'{place}' is too close to another place: {path}+{:#x} and +{:#x}, but a jump takes {} bytes",
            spot.address,
            other.address,
            spot.length.max(other.length)
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_numbered_once() {
        let asked = |on, text: &str| Asked { on, text: text.into() };
        let mut all = Vec::new();
        let numbers = [asked(true, "a"), asked(true, "b"), asked(true, "a"), asked(false, "a")];
        assert_eq!(numbers.map(|asked| number(&mut all, asked)), [0, 1, 0, 2]);
    }

    #[test]
    fn places_that_overlap() {
        let spot = |on, address, of: &[usize]| {
            let of = of.to_vec();
            Spot { on, path: b"/a".into(), address, length: 6, function: (0, 99), sum: 0, of }
        };
        let mut spots = Vec::new();
        let all = [(true, 10), (true, 20), (true, 12), (true, 15), (true, 20), (true, 16), (false, 40), (true, 10)];
        for (number, (on, address)) in all.into_iter().enumerate() {
            assert_eq!(add(&mut spots, &spot(on, address, &[number])), None);
        }
        let kept: Vec<(u64, &[usize])> = spots.iter().map(|spot| (spot.address, spot.of.as_slice())).collect();
        // Who comes to 10 comes to 12 and 15, too; 20 is reached by way of 16 only.
        assert_eq!(kept, [(10, &[0, 2, 3, 7][..]), (16, &[1, 4, 5]), (40, &[6])]);
        assert_eq!(add(&mut spots, &spot(false, 14, &[])), Some(spots[0].clone()));
        assert_eq!(add(&mut spots, &spot(true, 40, &[])), Some(spots[2].clone()));
    }
}
