//! Places as text, in `MPISCOPE_PLACES`: made outside the program, read inside it.
//!
//! `paused,on=function%3Asolve,on@/path/of/a.out+0x1139:7:0x1139-0x11c0:9f3c…:0,off@…`; `paused` when recording starts
//! paused because nothing else was asked for. `on=` and `off=` say what the user wrote; such places are numbered from 0, and
//! a spot ends with the numbers of those that it belongs to (`:0.2`). Bytes of paths and of what the user wrote that mean
//! something here, or to a launcher's shell, are written as `%2C`.

use std::fmt;

/// A place in a file, found to be fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spot {
    /// Whether recording goes on here; else it pauses.
    pub on: bool,
    /// The ELF file.
    pub path: Vec<u8>,
    /// Address in the file (the load bias is not in it).
    pub address: u64,
    /// Bytes that are displaced, as [`crate::displaced`] says.
    pub length: usize,
    /// First address and the one past the last of the function around it.
    pub function: (u64, u64),
    /// [`sum`] of the function's bytes.
    pub sum: u64,
    /// Which of [`Places::asked`] it belongs to. Several places may be one spot, and a place several spots: copies that
    /// were inlined, clones, functions whose names begin alike.
    pub of: Vec<usize>,
}

/// A place as the user wrote it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// Whether recording goes on here; else it pauses.
    pub on: bool,
    /// `function:NAME` or `FILE:LINE`.
    pub text: String,
}

/// Everything `MPISCOPE_PLACES` says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places {
    /// Recording is paused from the start, if there is a place where it goes on.
    pub paused: bool,
    /// What the user asked for, by number. One that is found only in part is not there: whether it was reached cannot be
    /// told by its spots.
    pub asked: Vec<Asked>,
    /// The places in the code.
    pub spots: Vec<Spot>,
}

/// A number that differs when code differs (FNV-1a).
pub fn sum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |sum, &byte| (sum ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

impl fmt::Display for Places {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut comma = "";
        if self.paused {
            f.write_str("paused")?;
            comma = ",";
        }
        for asked in &self.asked {
            write!(f, "{comma}{}=", kind(asked.on))?;
            escape(f, asked.text.as_bytes())?;
            comma = ",";
        }
        for spot in &self.spots {
            write!(f, "{comma}{spot}")?;
            comma = ",";
        }
        Ok(())
    }
}

fn kind(on: bool) -> &'static str {
    if on { "on" } else { "off" }
}

fn on(kind: &str) -> Option<bool> {
    match kind {
        "on" => Some(true),
        "off" => Some(false),
        _ => None,
    }
}

fn escape(f: &mut fmt::Formatter<'_>, bytes: &[u8]) -> fmt::Result {
    for &byte in bytes {
        match byte {
            b'/' | b'.' | b'-' | b'_' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => write!(f, "{}", byte as char)?,
            _ => write!(f, "%{byte:02X}")?,
        }
    }
    Ok(())
}

impl fmt::Display for Spot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@", kind(self.on))?;
        escape(f, &self.path)?;
        let (start, end) = self.function;
        write!(f, "+{:#x}:{}:{start:#x}-{end:#x}:{:x}", self.address, self.length, self.sum)?;
        for (i, number) in self.of.iter().enumerate() {
            write!(f, "{}{number}", if i == 0 { ":" } else { "." })?;
        }
        Ok(())
    }
}

impl Places {
    /// What can be read of `text`, and the parts that cannot.
    pub fn parse(text: &str) -> (Places, Vec<&str>) {
        let mut places = Places::default();
        let mut wrong = Vec::new();
        let items = || text.split(',').filter(|item| !item.is_empty());
        // First what the spots refer to.
        for item in items().filter(|item| item.contains('=')) {
            match Asked::parse(item) {
                Some(asked) => places.asked.push(asked),
                None => wrong.push(item),
            }
        }
        for item in items().filter(|item| !item.contains('=')) {
            match item {
                "paused" => places.paused = true,
                _ => match Spot::parse(item, places.asked.len()) {
                    Some(spot) => places.spots.push(spot),
                    None => wrong.push(item),
                },
            }
        }
        (places, wrong)
    }
}

impl Asked {
    fn parse(item: &str) -> Option<Asked> {
        let (kind, text) = item.split_once('=')?;
        Some(Asked { on: on(kind)?, text: String::from_utf8(plain(text)?).ok().filter(|text| !text.is_empty())? })
    }
}

impl Spot {
    /// `asked` is how many places there are that it may belong to.
    fn parse(item: &str, asked: usize) -> Option<Spot> {
        let (kind, rest) = item.split_once('@')?;
        let on = on(kind)?;
        let (path, rest) = rest.split_once('+')?;
        let mut parts = rest.split(':');
        let address = hex(parts.next()?)?;
        let length = parts.next()?.parse().ok()?;
        let (start, end) = parts.next()?.split_once('-')?;
        let function = (hex(start)?, hex(end)?);
        let sum = u64::from_str_radix(parts.next()?, 16).ok()?;
        let number = |text: &str| text.parse().ok().filter(|&number: &usize| number < asked);
        let of = parts.next().map_or(Some(Vec::new()), |text| text.split('.').map(number).collect())?;
        let inside = function.0 <= address && address.checked_add(length as u64)? <= function.1;
        let sound = inside && (crate::JUMP_BYTES..=crate::MOST_BYTES).contains(&length) && parts.next().is_none();
        sound.then_some(Spot { on, path: plain(path)?, address, length, function, sum, of })
    }
}

fn hex(text: &str) -> Option<u64> {
    u64::from_str_radix(text.strip_prefix("0x")?, 16).ok()
}

fn plain(path: &str) -> Option<Vec<u8>> {
    let mut bytes = path.bytes();
    let mut plain = Vec::with_capacity(path.len());
    while let Some(byte) = bytes.next() {
        plain.push(match byte {
            b'%' => {
                let mut digit = || Some((bytes.next()? as char).to_digit(16)? as u8);
                digit()? << 4 | digit()?
            }
            other => other,
        });
    }
    Some(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let path = b"/a b/c,d%+e:f@\xff/x.so".to_vec();
        let spot = |on, of: &[usize]| {
            let of = of.to_vec();
            Spot { on, path: path.clone(), address: 0x1140, length: 7, function: (0x1139, 0x2000), sum: 99, of }
        };
        let asked = |on, text: &str| Asked { on, text: text.into() };
        let asked = vec![asked(true, "function:a=b, c*"), asked(false, "é.c:7"), asked(true, "x.c:1")];
        let places =
            Places { paused: true, asked, spots: vec![spot(true, &[0, 2]), spot(false, &[1]), spot(false, &[])] };
        let text = places.to_string();
        let begin = "paused,on=function%3Aa%3Db%2C%20c%2A,off=%C3%A9.c%3A7,on=x.c%3A1,\
                     on@/a%20b/c%2Cd%25%2Be%3Af%40%FF/x.so+0x1140:7:0x1139-0x2000:63:0.2,off@/a";
        assert!(text.starts_with(begin), "{text}");
        assert!(text.ends_with(":63:1,off@/a%20b/c%2Cd%25%2Be%3Af%40%FF/x.so+0x1140:7:0x1139-0x2000:63"), "{text}");
        assert_eq!(Places::parse(&text), (places, vec![]));
        assert_eq!(Places::parse(""), (Places::default(), vec![]));
    }

    #[test]
    fn what_makes_no_sense_is_told() {
        let good = "on@/a+0x10:5:0x10-0x20:1:0,on=x";
        for bad in [
            "in@/a+0x10:5:0x10-0x20:1",
            "on@/a+0x10:4:0x10-0x20:1",
            "on@/a+0x10:99:0x10-0x200:1",
            "on@/a+0x1c:5:0x10-0x20:1",
            "on@/a+0x8:5:0x10-0x20:1",
            "on@/a%2+0x10:5:0x10-0x20:1",
            "on@/a+0xffffffffffffffff:5:0x10-0x20:1",
            "on@/a+0x10:5:0x10-0x20:1:1",
            "on@/a+0x10:5:0x10-0x20:1:0.",
            "on@/a+0x10:5:0x10-0x20:1:0:0",
            "on=",
            "on=%FF",
            "in=x",
            "on@/a+0x10:5",
            "x",
        ] {
            let text = format!("{bad},{good}");
            let (places, wrong) = Places::parse(&text);
            assert_eq!((places.spots.len(), places.asked.len(), wrong), (1, 1, vec![bad]));
        }
    }
}
