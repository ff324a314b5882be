//! `--on` and `--off`: found in the program before it starts.

use mpiscope_launch::options::Settings;
use mpiscope_launch::program::Program;
use mpiscope_launch::{elf::Image, objects};
use mpiscope_places::{Places, Spot};
use mpiscope_symbols::{Place, Resolver};

use crate::failure::Failure;

/// Puts the places into the settings as the collector reads them. `starts_by_default`: nobody said how recording
/// starts; where it goes on somewhere, it starts paused.
pub fn find(program: &Program, settings: &mut Settings, starts_by_default: bool) -> Result<(), Failure> {
    if settings.on.is_empty() && settings.off.is_empty() {
        return Ok(());
    }
    let parse = |texts: &[String]| texts.iter().map(|text| text.parse::<Place>()).collect::<Result<Vec<_>, _>>();
    let other = |error: <Place as std::str::FromStr>::Err| Failure::Other(error.into());
    let (on, off) = (parse(&settings.on).map_err(other)?, parse(&settings.off).map_err(other)?);
    let path = &program.executable;
    // What cannot be listed is told by who looks for the MPI; the program itself is looked at anyhow.
    let interpreter = Image::open(path).ok().and_then(|image| image.interpreter().ok().flatten());
    let libraries = interpreter.and_then(|it| objects::list(&it, path).ok()).map(|listed| listed.found);
    let libraries = libraries.unwrap_or_default();
    let resolver = Resolver::default();
    let mut places = Places { paused: starts_by_default && !on.is_empty(), spots: Vec::new() };
    for (place, on) in on.iter().map(|place| (place, true)).chain(off.iter().map(|place| (place, false))) {
        let found = resolver.place(path, &libraries, place, on).map_err(|error| Failure::Other(error.into()))?;
        for spot in found {
            if places.spots.contains(&spot) {
                continue;
            }
            if let Some(other) = places.spots.iter().find(|other| overlap(other, &spot)) {
                return Err(Failure::Other(too_near(place, &spot, other)));
            }
            places.spots.push(spot);
        }
    }
    settings.collector.places = places.to_string();
    Ok(())
}

fn overlap(a: &Spot, b: &Spot) -> bool {
    let end = |spot: &Spot| spot.address + spot.length as u64;
    a.path == b.path && a.address < end(b) && b.address < end(a)
}

fn too_near(place: &Place, spot: &Spot, other: &Spot) -> anyhow::Error {
    let path = String::from_utf8_lossy(&spot.path);
    match spot.address == other.address {
        true => anyhow::anyhow!("'{place}' is asked for twice, to go on and to pause ({path}+{:#x})", spot.address),
        false => anyhow::anyhow!(
            "'{place}' is too near to another place: {path}+{:#x} and +{:#x}, where a jump takes {} bytes",
            spot.address,
            other.address,
            spot.length.max(other.length)
        ),
    }
}
