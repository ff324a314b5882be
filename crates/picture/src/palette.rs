//! Colours: those of the page, from the same file.

use std::collections::{BTreeMap, HashMap};
use std::sync::OnceLock;

use mpiscope_query::view::FunctionInfo;
use serde::Deserialize;

/// The file that the page reads as well.
const TEXT: &str = include_str!("../../../viewer/palette.json");

/// The background.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// Dark text on a light background.
    #[default]
    Light,
    /// Light text on a dark background.
    Dark,
}

/// Red, green, blue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Rgb(pub [u8; 3]);

/// A colour with its opacity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ink {
    pub rgb: Rgb,
    pub alpha: f32,
}

impl From<Rgb> for Ink {
    fn from(rgb: Rgb) -> Ink {
        Ink { rgb, alpha: 1.0 }
    }
}

#[derive(Deserialize)]
struct Shade {
    light: String,
    dark: String,
}

#[derive(Deserialize)]
struct File {
    classes: BTreeMap<String, Shade>,
    compute: Shade,
    hatch: Shade,
    /// Classes whose colours are easy to distinguish.
    distinct: Vec<String>,
    rest: Rest,
    steps: Vec<f64>,
    ink: Inks,
}

/// Grey, and its share in the colour of functions that take little of the run's time.
#[derive(Deserialize)]
struct Rest {
    #[serde(flatten)]
    grey: Shade,
    part: f64,
}

#[derive(Deserialize)]
struct Inks {
    light: BTreeMap<String, serde_json::Value>,
    dark: BTreeMap<String, serde_json::Value>,
}

fn file() -> &'static File {
    static FILE: OnceLock<File> = OnceLock::new();
    // Embedded in the executable and checked by a test.
    #[expect(clippy::expect_used, reason = "built in")]
    FILE.get_or_init(|| serde_json::from_str(TEXT).expect("viewer/palette.json"))
}

impl Shade {
    fn on(&self, theme: Theme) -> Rgb {
        Rgb::parse(if theme == Theme::Light { &self.light } else { &self.dark }).unwrap_or_default()
    }
}

impl Rgb {
    /// `#1257b8`.
    fn parse(text: &str) -> Option<Rgb> {
        let value = u32::from_str_radix(text.strip_prefix('#')?, 16).ok()?;
        Some(Rgb([(value >> 16) as u8, (value >> 8) as u8, value as u8]))
    }

    /// Between this (0) and `other` (1), rounded as the page does.
    pub fn mix(self, other: Rgb, part: f64) -> Rgb {
        let at = |x: u8, y: u8| (f64::from(x) + (f64::from(y) - f64::from(x)) * part + 0.5).floor() as u8;
        Rgb(std::array::from_fn(|i| at(self.0[i], other.0[i])))
    }

    /// The same for blended pictures: each component has its own share.
    pub fn blend(self, other: Rgb, part: f64) -> Rgb {
        let keep = 1.0 - part;
        Rgb(std::array::from_fn(|i| (f64::from(self.0[i]) * keep + f64::from(other.0[i]) * part + 0.5) as u8))
    }

    /// Black or white, whichever is easier to read on this colour (WCAG's relative luminance).
    pub fn ink(self) -> Rgb {
        let linear = |v: u8| {
            let v = f64::from(v) / 255.0;
            if v <= 0.04045 { v / 12.92 } else { ((v + 0.055) / 1.055).powf(2.4) }
        };
        let [r, g, b] = self.0.map(linear);
        if 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.179 { Rgb([0; 3]) } else { Rgb([255; 3]) }
    }
}

impl Theme {
    /// Of a class of functions.
    pub fn class(self, id: &str) -> Rgb {
        let classes = &file().classes;
        classes.get(id).or_else(|| classes.get("local")).map_or(Rgb::default(), |shade| shade.on(self))
    }

    /// For a function that takes little of the run's time: the hue of its class, almost grey, with a lightness that depends on its
    /// id.
    fn rest(self, id: u32, class: &str) -> Rgb {
        let File { rest, steps, .. } = file();
        let base = self.class(class).mix(rest.grey.on(self), rest.part);
        let hashed = (id.wrapping_mul(0x9e37_79b1) >> 29) as usize;
        let at = if hashed < steps.len() { hashed } else { id as usize % steps.len() };
        let step = steps[at];
        if step < 0.0 { base.mix(Rgb([0; 3]), -step) } else { base.mix(Rgb([255; 3]), step) }
    }

    /// Time outside MPI.
    pub fn compute(self) -> Rgb {
        file().compute.on(self)
    }

    /// Lines over waiting.
    pub fn hatch(self) -> Rgb {
        file().hatch.on(self)
    }

    /// Items around and over the picture: `text`, `muted`, `line`, `arrow`…
    pub fn ink(self, name: &str) -> Ink {
        self.value(name).as_str().and_then(parse_ink).unwrap_or(Ink { rgb: Rgb::default(), alpha: 1.0 })
    }

    /// Alternating colours of neighbours.
    pub fn phase(self, at: usize) -> Rgb {
        let found = self.value("phases").get(at % 2).and_then(|v| v.as_str()).and_then(Rgb::parse);
        found.unwrap_or_default()
    }

    fn value(self, name: &str) -> &'static serde_json::Value {
        let inks = &file().ink;
        let of = if self == Theme::Light { &inks.light } else { &inks.dark };
        of.get(name).unwrap_or(&serde_json::Value::Null)
    }
}

/// `#1257b8` or `rgba(20, 24, 32, 0.5)`.
fn parse_ink(text: &str) -> Option<Ink> {
    if let Some(rgb) = Rgb::parse(text) {
        return Some(rgb.into());
    }
    let parts: Vec<f32> = text
        .strip_prefix("rgba(")?
        .strip_suffix(')')?
        .split(',')
        .map(|p| p.trim().parse().ok())
        .collect::<Option<_>>()?;
    let [r, g, b, alpha] = parts[..] else { return None };
    Some(Ink { rgb: Rgb([r as u8, g as u8, b as u8]), alpha })
}

/// A function of a run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Timed<'a> {
    pub id: u32,
    pub class: &'a str,
    pub time_ns: u64,
}

/// The colour of each function of a run, as on the page (`viewer/src/colours.ts`): those that take the most time have
/// colours that are easy to distinguish. The first of a class has the colour of that class, the others take the remaining ones.
pub struct Colours {
    theme: Theme,
    functions: HashMap<u32, Rgb>,
}

impl Colours {
    /// Assigns colours by the time of the functions in this run.
    pub fn from_functions(functions: &[FunctionInfo], theme: Theme) -> Colours {
        Colours::new(functions.iter().map(|f| Timed { id: f.id, class: f.class, time_ns: f.time_ns }), theme)
    }

    pub(crate) fn new<'a>(functions: impl IntoIterator<Item = Timed<'a>>, theme: Theme) -> Colours {
        let mut all: Vec<Timed<'a>> = functions.into_iter().collect();
        all.sort_by_key(|f| (std::cmp::Reverse(f.time_ns), f.id));
        let mut free: Vec<&str> = file().distinct.iter().map(String::as_str).collect();
        let mut found = HashMap::new();
        let most = &all[..free.len().min(all.len())];
        for f in most {
            if let Some(place) = free.iter().position(|class| *class == f.class) {
                found.insert(f.id, theme.class(free.remove(place)));
            }
        }
        for f in &all {
            found.entry(f.id).or_insert_with(|| match free.pop() {
                Some(class) => theme.class(class),
                None => theme.rest(f.id, f.class),
            });
        }
        Colours { theme, functions: found }
    }

    /// The colour of a function; of one that the run does not have, a shade of the local ones.
    pub fn function(&self, id: u32) -> Rgb {
        self.functions.get(&id).copied().unwrap_or_else(|| self.theme.rest(id, "local"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_colour_of_the_file_is_read() {
        for theme in [Theme::Light, Theme::Dark] {
            assert_eq!(file().classes.len(), 11);
            for class in file().classes.keys() {
                assert_ne!(theme.class(class), Rgb::default(), "{class}");
            }
            for name in
                ["text", "muted", "line", "faint", "panel", "background", "arrow", "collective", "path", "absent"]
            {
                assert!(theme.value(name).as_str().and_then(parse_ink).is_some(), "{name}");
            }
            assert_ne!(theme.phase(0), theme.phase(1));
        }
        assert_eq!(Theme::Light.ink("arrow"), Ink { rgb: Rgb([20, 24, 32]), alpha: 0.5 });
        assert_eq!(Theme::Light.class("unheard of"), Theme::Light.class("local"));
    }

    /// The page's own test uses the same table.
    #[test]
    fn functions_have_the_colours_of_the_page() {
        type Case = (u32, String, u64, String, String);
        let runs: Vec<Vec<Case>> =
            serde_json::from_str(include_str!("../../../viewer/test/function-colours.json")).unwrap();
        assert!(runs.len() > 5);
        for run in runs {
            let timed = run.iter().map(|(id, class, time_ns, ..)| Timed { id: *id, class, time_ns: *time_ns });
            let [light, dark] = [Theme::Light, Theme::Dark].map(|theme| Colours::new(timed.clone(), theme));
            for (id, class, _, on_light, on_dark) in &run {
                assert_eq!(Some(light.function(*id)), Rgb::parse(on_light), "{id} {class}");
                assert_eq!(Some(dark.function(*id)), Rgb::parse(on_dark), "{id} {class}");
            }
        }
    }
}
