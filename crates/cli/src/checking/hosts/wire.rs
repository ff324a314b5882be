//! Messages between relays and the judge: frames of a length, a kind and a body, little-endian.
//!
//! Frames are not trusted: lengths are checked before anything is stored, and an invalid frame ends the connection.
//! The fuzzer includes this file on its own (`fuzz/fuzz_targets/wire.rs`), so it uses nothing else of this crate.

use mpiscope_query::CheckLine;

/// Maximum size of a frame, without its length field.
pub const MAX_BYTES: usize = 128 << 10;
/// Maximum number of words of a ring in one frame.
pub const MAX_WORDS: usize = 8 << 10;
/// Maximum number of bytes of definitions in one frame.
pub const MAX_DEFINITIONS: usize = 64 << 10;
/// Maximum number of lines of a stack.
const MAX_LINES: usize = 256;
const MAX_TEXT: usize = 4096;
const MAX_ADDRESSES: usize = 64;

/// The relay of a host, and where it listens.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Speaker {
    /// A random number, as host names may not be unique.
    pub number: u64,
    pub host: String,
    pub port: u16,
    pub addresses: Vec<String>,
}

/// The current contents of a rank file's head.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct State {
    pub rank: i32,
    pub size: i32,
    pub thread_level: i32,
    pub state: u32,
    pub pid: u32,
    /// Clock kind and two moments: (ticks, ns).
    pub clock: u32,
    pub points: [(u64, u64); 2],
}

impl State {
    /// Whether it belongs to the same process: its id and the time when its file was created.
    pub fn is_same(&self, other: &State) -> bool {
        (self.pid, self.points[0]) == (other.pid, other.points[0])
    }
}

/// A frame. `process` is the [`number`] of the process's name.
#[derive(Clone, Debug, PartialEq)]
pub enum Frame {
    /// Up, first: identifies the relay. `insists` if it was redirected to one that it could not reach.
    Host { speaker: Speaker, insists: bool },
    /// Up: a process that this relay reads.
    Process { process: u64, speaker: u64, name: String },
    /// Up: the current head of its file.
    State { process: u64, state: State },
    /// Up: bytes of its definitions, starting at an offset.
    Definitions { process: u64, from: u64, bytes: Vec<u8> },
    /// Up: words of a thread's ring, starting at an index.
    Words { process: u64, thread: u8, from: u64, words: Vec<u64> },
    /// Up: unsuccessful polls since the last event of a ring, and the time of the latest.
    Polls { process: u64, thread: u8, polls: u64, at: u64 },
    /// Up: events that were lost because a buffer was full.
    Lost { process: u64, events: u64 },
    /// Up: the process has ended, and all its events were sent.
    Over { process: u64 },
    /// Up: after this beat, all rings were read and their contents sent; the host's clock then, ns.
    Answer { speaker: u64, beat: u64, at_ns: u64 },
    /// Up: the stack of a site.
    Lines { process: u64, site: u32, lines: Vec<CheckLine> },
    /// Up: where a function ends by a jump to the function of that stem, which then returns to the site.
    Tail { process: u64, site: u32, stem: String, lines: Vec<CheckLine> },
    /// Down: the judge has the words before `read`; they may be overwritten.
    Taken { process: u64, thread: u8, read: u64 },
    /// Down: the judge is alive.
    Beat { number: u64 },
    /// Down: requests the stack of a site.
    Where { process: u64, site: u32 },
    /// Down: connect to this relay instead.
    Elsewhere { port: u16, addresses: Vec<String> },
    /// Down: end the processes.
    Stop,
    /// Down: the judge reads nothing more.
    End,
}

/// An invalid frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed;

/// The number of a process: a hash of its file's name (FNV-1a).
pub fn number(name: &str) -> u64 {
    name.bytes().fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0000_0100_0000_01b3))
}

/// Appends a frame.
pub fn encode(frame: &Frame, out: &mut Vec<u8>) {
    let begin = out.len();
    out.extend([0; 4]);
    match frame {
        Frame::Host { speaker, insists } => {
            out.push(1);
            out.extend(speaker.number.to_le_bytes());
            out.push(u8::from(*insists));
            text(out, &speaker.host);
            place(out, speaker.port, &speaker.addresses);
        }
        Frame::Process { process, speaker, name } => {
            numbers(out, 2, &[*process, *speaker]);
            text(out, name);
        }
        Frame::State { process, state } => {
            numbers(out, 3, &[*process]);
            out.extend(state.rank.to_le_bytes());
            out.extend(state.size.to_le_bytes());
            out.extend(state.thread_level.to_le_bytes());
            out.extend(state.state.to_le_bytes());
            out.extend(state.pid.to_le_bytes());
            out.extend(state.clock.to_le_bytes());
            for (ticks, ns) in state.points {
                out.extend(ticks.to_le_bytes());
                out.extend(ns.to_le_bytes());
            }
        }
        Frame::Definitions { process, from, bytes } => {
            numbers(out, 4, &[*process, *from]);
            out.extend(bytes);
        }
        Frame::Words { process, thread, from, words } => {
            numbers(out, 5, &[*process, *from]);
            out.push(*thread);
            out.extend(words.iter().flat_map(|word| word.to_le_bytes()));
        }
        Frame::Polls { process, thread, polls, at } => {
            numbers(out, 6, &[*process, *polls, *at]);
            out.push(*thread);
        }
        Frame::Lost { process, events } => numbers(out, 7, &[*process, *events]),
        Frame::Over { process } => numbers(out, 8, &[*process]),
        Frame::Answer { speaker, beat, at_ns } => numbers(out, 9, &[*speaker, *beat, *at_ns]),
        Frame::Lines { process, site, lines } => {
            numbers(out, 10, &[*process]);
            out.extend(site.to_le_bytes());
            stack(out, begin, lines);
        }
        Frame::Tail { process, site, stem, lines } => {
            numbers(out, 11, &[*process]);
            out.extend(site.to_le_bytes());
            text(out, stem);
            stack(out, begin, lines);
        }
        Frame::Taken { process, thread, read } => {
            numbers(out, 20, &[*process, *read]);
            out.push(*thread);
        }
        Frame::Beat { number } => numbers(out, 21, &[*number]),
        Frame::Where { process, site } => {
            numbers(out, 22, &[*process]);
            out.extend(site.to_le_bytes());
        }
        Frame::Elsewhere { port, addresses } => {
            out.push(23);
            place(out, *port, addresses);
        }
        Frame::Stop => out.push(24),
        Frame::End => out.push(25),
    }
    let length = (out.len() - begin - 4) as u32;
    debug_assert!(length as usize <= MAX_BYTES);
    out[begin..begin + 4].copy_from_slice(&length.to_le_bytes());
}

fn numbers(out: &mut Vec<u8>, kind: u8, numbers: &[u64]) {
    out.push(kind);
    out.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
}

fn text(out: &mut Vec<u8>, text: &str) {
    let mut end = text.len().min(MAX_TEXT);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    out.extend((end as u16).to_le_bytes());
    out.extend(&text.as_bytes()[..end]);
}

/// Lines of a stack, in a frame that begins at `begin`.
fn stack(out: &mut Vec<u8>, begin: usize, lines: &[CheckLine]) {
    out.extend((lines.len().min(MAX_LINES) as u16).to_le_bytes());
    for line in lines.iter().take(MAX_LINES) {
        if out.len() - begin > MAX_BYTES - 2 * MAX_TEXT - 16 {
            // Fewer than announced, which a reader treats as the end.
            break;
        }
        text(out, &line.function);
        text(out, line.file.as_deref().unwrap_or_default());
        out.extend(line.line.unwrap_or(0).to_le_bytes());
    }
}

fn place(out: &mut Vec<u8>, port: u16, addresses: &[String]) {
    out.extend(port.to_le_bytes());
    let n = addresses.len().min(MAX_ADDRESSES);
    out.push(n as u8);
    addresses[..n].iter().for_each(|address| text(out, address));
}

/// The first frame in these bytes and its size; `None` if it is incomplete.
pub fn decode(bytes: &[u8]) -> Result<Option<(Frame, usize)>, Malformed> {
    let Some((length, rest)) = bytes.split_first_chunk::<4>() else { return Ok(None) };
    let length = u32::from_le_bytes(*length) as usize;
    if length == 0 || length > MAX_BYTES {
        return Err(Malformed);
    }
    let Some(body) = rest.get(..length) else { return Ok(None) };
    let mut cut = Cut(body);
    let frame = cut.frame()?;
    if cut.0.is_empty() { Ok(Some((frame, 4 + length))) } else { Err(Malformed) }
}

/// The rest of a frame.
struct Cut<'a>(&'a [u8]);

impl Cut<'_> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N], Malformed> {
        let (head, rest) = self.0.split_first_chunk::<N>().ok_or(Malformed)?;
        self.0 = rest;
        Ok(*head)
    }

    fn u8(&mut self) -> Result<u8, Malformed> {
        Ok(self.take::<1>()?[0])
    }

    fn u16(&mut self) -> Result<u16, Malformed> {
        Ok(u16::from_le_bytes(self.take()?))
    }

    fn u32(&mut self) -> Result<u32, Malformed> {
        Ok(u32::from_le_bytes(self.take()?))
    }

    fn i32(&mut self) -> Result<i32, Malformed> {
        Ok(i32::from_le_bytes(self.take()?))
    }

    fn u64(&mut self) -> Result<u64, Malformed> {
        Ok(u64::from_le_bytes(self.take()?))
    }

    fn stack(&mut self) -> Result<Vec<CheckLine>, Malformed> {
        let n = self.u16()? as usize;
        if n > MAX_LINES {
            return Err(Malformed);
        }
        let mut lines = Vec::new();
        while !self.0.is_empty() && lines.len() < n {
            let (function, file, line) = (self.text()?, self.text()?, self.u32()?);
            let file = Some(file).filter(|file| !file.is_empty());
            lines.push(CheckLine { function, file, line: Some(line).filter(|&line| line > 0) });
        }
        Ok(lines)
    }

    fn text(&mut self) -> Result<String, Malformed> {
        let length = self.u16()? as usize;
        let text = self.0.get(..length).filter(|_| length <= MAX_TEXT).ok_or(Malformed)?;
        self.0 = &self.0[length..];
        Ok(std::str::from_utf8(text).map_err(|_| Malformed)?.to_owned())
    }

    fn place(&mut self) -> Result<(u16, Vec<String>), Malformed> {
        let port = self.u16()?;
        let n = self.u8()? as usize;
        if n > MAX_ADDRESSES {
            return Err(Malformed);
        }
        Ok((port, (0..n).map(|_| self.text()).collect::<Result<_, _>>()?))
    }

    fn rest(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.0).to_vec()
    }

    fn frame(&mut self) -> Result<Frame, Malformed> {
        Ok(match self.u8()? {
            1 => {
                let number = self.u64()?;
                let insists = self.u8()? != 0;
                let host = self.text()?;
                let (port, addresses) = self.place()?;
                Frame::Host { speaker: Speaker { number, host, port, addresses }, insists }
            }
            2 => Frame::Process { process: self.u64()?, speaker: self.u64()?, name: self.text()? },
            3 => {
                let process = self.u64()?;
                let (rank, size, thread_level) = (self.i32()?, self.i32()?, self.i32()?);
                let (state, pid, clock) = (self.u32()?, self.u32()?, self.u32()?);
                let points = [(self.u64()?, self.u64()?), (self.u64()?, self.u64()?)];
                Frame::State { process, state: State { rank, size, thread_level, state, pid, clock, points } }
            }
            4 => Frame::Definitions { process: self.u64()?, from: self.u64()?, bytes: self.rest() },
            5 => {
                let (process, from, thread) = (self.u64()?, self.u64()?, self.u8()?);
                let (words, rest) = self.0.as_chunks::<8>();
                if !rest.is_empty() || words.len() > MAX_WORDS {
                    return Err(Malformed);
                }
                let words = words.iter().map(|word| u64::from_le_bytes(*word)).collect();
                self.0 = &[];
                Frame::Words { process, thread, from, words }
            }
            6 => {
                let (process, polls, at) = (self.u64()?, self.u64()?, self.u64()?);
                Frame::Polls { process, thread: self.u8()?, polls, at }
            }
            7 => Frame::Lost { process: self.u64()?, events: self.u64()? },
            8 => Frame::Over { process: self.u64()? },
            9 => Frame::Answer { speaker: self.u64()?, beat: self.u64()?, at_ns: self.u64()? },
            10 => Frame::Lines { process: self.u64()?, site: self.u32()?, lines: self.stack()? },
            11 => {
                let (process, site, stem) = (self.u64()?, self.u32()?, self.text()?);
                Frame::Tail { process, site, stem, lines: self.stack()? }
            }
            20 => {
                let (process, read) = (self.u64()?, self.u64()?);
                Frame::Taken { process, thread: self.u8()?, read }
            }
            21 => Frame::Beat { number: self.u64()? },
            22 => Frame::Where { process: self.u64()?, site: self.u32()? },
            23 => {
                let (port, addresses) = self.place()?;
                Frame::Elsewhere { port, addresses }
            }
            24 => Frame::Stop,
            25 => Frame::End,
            _ => return Err(Malformed),
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn any_text() -> impl Strategy<Value = String> {
        "[a-zä:./]{0,40}"
    }

    fn frame() -> impl Strategy<Value = Frame> {
        let (n, id) = (any::<u64>, any::<u32>);
        let speaker = (n(), any_text(), any::<u16>(), prop::collection::vec(any_text(), 0..5));
        let speaker = speaker.prop_map(|(number, host, port, addresses)| Speaker { number, host, port, addresses });
        let line = (any_text(), prop::option::of("[a-z]{1,20}"), prop::option::of(1u32..));
        let line = line.prop_map(|(function, file, line)| CheckLine { function, file, line }).boxed();
        let other = line.clone();
        let numbers = (any::<i32>(), any::<i32>(), any::<i32>(), id(), id(), id());
        let points = [(n(), n()), (n(), n())];
        let state = (numbers, points).prop_map(|((rank, size, thread_level, state, pid, clock), points)| State {
            rank,
            size,
            thread_level,
            state,
            pid,
            clock,
            points,
        });
        prop_oneof![
            (speaker, any::<bool>()).prop_map(|(speaker, insists)| Frame::Host { speaker, insists }),
            (n(), n(), any_text()).prop_map(|(process, speaker, name)| Frame::Process { process, speaker, name }),
            (n(), state).prop_map(|(process, state)| Frame::State { process, state }),
            (n(), n(), prop::collection::vec(any::<u8>(), 0..99))
                .prop_map(|(process, from, bytes)| Frame::Definitions { process, from, bytes }),
            (n(), any::<u8>(), n(), prop::collection::vec(n(), 0..99))
                .prop_map(|(process, thread, from, words)| Frame::Words { process, thread, from, words }),
            (n(), any::<u8>(), n(), n()).prop_map(|(process, thread, polls, at)| Frame::Polls {
                process,
                thread,
                polls,
                at
            }),
            (n(), n()).prop_map(|(process, events)| Frame::Lost { process, events }),
            n().prop_map(|process| Frame::Over { process }),
            (n(), n(), n()).prop_map(|(speaker, beat, at_ns)| Frame::Answer { speaker, beat, at_ns }),
            (n(), id(), prop::collection::vec(line, 0..9)).prop_map(|(process, site, lines)| Frame::Lines {
                process,
                site,
                lines
            }),
            (n(), id(), any_text(), prop::collection::vec(other, 0..9))
                .prop_map(|(process, site, stem, lines)| Frame::Tail { process, site, stem, lines }),
            (n(), any::<u8>(), n()).prop_map(|(process, thread, read)| Frame::Taken { process, thread, read }),
            n().prop_map(|number| Frame::Beat { number }),
            (n(), id()).prop_map(|(process, site)| Frame::Where { process, site }),
            (any::<u16>(), prop::collection::vec(any_text(), 0..5))
                .prop_map(|(port, addresses)| Frame::Elsewhere { port, addresses }),
            Just(Frame::Stop),
            Just(Frame::End),
        ]
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(frames in prop::collection::vec(frame(), 1..6)) {
            let mut bytes = Vec::new();
            frames.iter().for_each(|frame| encode(frame, &mut bytes));
            let mut rest = &bytes[..];
            for frame in &frames {
                let (found, taken) = decode(rest).unwrap().unwrap();
                prop_assert_eq!(&found, frame);
                // A piece of it is not yet a frame.
                prop_assert_eq!(decode(&rest[..taken - 1]), Ok(None));
                rest = &rest[taken..];
            }
            prop_assert!(rest.is_empty());
        }

        #[test]
        fn nonsense_is_an_error_and_no_more(bytes in prop::collection::vec(any::<u8>(), 0..300), of in frame(), cut in 0usize..300) {
            let _ = decode(&bytes);
            // A length that fits, and anything behind it.
            let mut framed = (bytes.len() as u32).to_le_bytes().to_vec();
            framed.extend(&bytes);
            let _ = decode(&framed);
            // A frame of which something was changed.
            let mut wrong = Vec::new();
            encode(&of, &mut wrong);
            let (at, by) = (cut % wrong.len(), bytes.first().copied().unwrap_or(1) | 1);
            wrong[at] ^= by;
            let _ = decode(&wrong);
        }
    }

    #[test]
    fn long_things_are_cut_and_longer_ones_refused() {
        let long = "ä".repeat(9000);
        let lines = vec![CheckLine { function: long.clone(), file: Some(long.clone()), line: Some(1) }; 300];
        let mut bytes = Vec::new();
        encode(&Frame::Lines { process: 1, site: 2, lines }, &mut bytes);
        assert!(bytes.len() <= MAX_BYTES + 4);
        let Some((Frame::Lines { lines, .. }, _)) = decode(&bytes).unwrap() else { panic!() };
        assert!(lines.len() > 5 && lines.iter().all(|line| line.function.len() <= MAX_TEXT));
        let mut bytes = (MAX_BYTES as u32 + 1).to_le_bytes().to_vec();
        assert_eq!(decode(&bytes), Err(Malformed));
        bytes = 0u32.to_le_bytes().to_vec();
        assert_eq!(decode(&bytes), Err(Malformed));
    }
    /// What the fuzzer began with and what it found. With `MPISCOPE_BLESS=1` the seeds are written anew.
    #[test]
    fn the_fuzzers_corpus() {
        let corpus = std::path::PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/wire");
        let speaker = Speaker { number: 7, host: "node1".into(), port: 4000, addresses: vec!["10.0.0.1".into()] };
        let line = CheckLine { function: "main".into(), file: Some("a.c".into()), line: Some(3) };
        let up = [
            Frame::Host { speaker, insists: true },
            Frame::Process { process: 1, speaker: 7, name: "0".into() },
            Frame::State { process: 1, state: State { size: 4, pid: 9, ..State::default() } },
            Frame::Definitions { process: 1, from: 0, bytes: vec![1, 2, 3] },
            Frame::Words { process: 1, thread: 0, from: 8, words: vec![4, 5] },
            Frame::Polls { process: 1, thread: 0, polls: 2, at: 3 },
            Frame::Lost { process: 1, events: 2 },
            Frame::Lines { process: 1, site: 2, lines: vec![line.clone()] },
            Frame::Tail { process: 1, site: 2, stem: "send".into(), lines: vec![line] },
            Frame::Answer { speaker: 7, beat: 1, at_ns: 2 },
            Frame::Over { process: 1 },
        ];
        let down = [
            Frame::Taken { process: 1, thread: 0, read: 10 },
            Frame::Beat { number: 1 },
            Frame::Where { process: 1, site: 2 },
            Frame::Elsewhere { port: 4000, addresses: vec!["10.0.0.2".into()] },
            Frame::Stop,
            Frame::End,
        ];
        if std::env::var_os("MPISCOPE_BLESS").is_some() {
            std::fs::create_dir_all(&corpus).unwrap();
            for (name, frames) in [("up", &up[..]), ("down", &down[..])] {
                let mut bytes = Vec::new();
                frames.iter().for_each(|frame| encode(frame, &mut bytes));
                std::fs::write(corpus.join(name), bytes).unwrap();
            }
        }
        let mut read = 0;
        for entry in std::fs::read_dir(&corpus).unwrap().flatten() {
            let bytes = std::fs::read(entry.path()).unwrap();
            let mut rest = &bytes[..];
            while let Ok(Some((_, taken))) = decode(rest) {
                rest = &rest[taken..];
                read += 1;
            }
        }
        assert!(read >= up.len() + down.len());
    }
}
