//! How an event stands in words of 64 bits: a [`Head`] of three words and a body whose words follow from its kind.
//!
//! ```text
//! word 0   length in words: 16 | kind: 8 | thread: 8 | function: 16 | flags: 16
//! word 1   moment, ticks of the rank file's clock
//! word 2   call site: 32 | communicator: 32
//! ```

use super::event::{Body, Data, Event, Frame, Head, MOST_CONTENT, Part, flag};

/// Longest event, in words; lists that do not fit are cut, which the event says ([`flag::CUT`]).
pub const MAX_WORDS: usize = 8 << 10;
/// Most bytes of a text.
const MOST_TEXT: usize = 256;
/// Words of a head.
pub const HEAD_WORDS: usize = 3;

mod kind {
    pub const BEGIN: u8 = 1;
    pub const END: u8 = 2;
    pub const SEND: u8 = 3;
    pub const RECEIVE: u8 = 4;
    pub const PROBE: u8 = 5;
    pub const RECEIVE_MATCHED: u8 = 6;
    pub const COLLECTIVE: u8 = 7;
    pub const WAIT: u8 = 8;
    pub const POLL: u8 = 9;
    pub const COMPLETE: u8 = 10;
    pub const FOUND: u8 = 11;
    pub const RETURN: u8 = 12;
    pub const DROP: u8 = 13;
    pub const READY: u8 = 14;
    pub const EPOCH: u8 = 15;
    pub const ACCESS: u8 = 16;
    pub const FILE: u8 = 17;
    pub const FINDING: u8 = 18;
    pub const MEMORY: u8 = 19;
    pub const STORED: u8 = 20;
    pub const ATTACHED: u8 = 21;
    pub const OPENED: u8 = 22;
    pub const VIEW: u8 = 23;
    pub const ORDERED: u8 = 24;
    pub const LOADED: u8 = 25;
    pub const GENERALIZED: u8 = 26;
    pub const FLUSH: u8 = 27;
    pub const COUNTED: u8 = 28;
    pub const PACKED: u8 = 29;
    pub const CHANGED: u8 = 30;
    pub const PASSED: u8 = 33;
    pub const SEEK: u8 = 34;
}

/// Stands for a rank or tag that may be any.
const ANY: u64 = 1 << 32;
/// Stands for what is not there.
const NONE: u64 = 2 << 32;
/// Beside the datatype of a part: no lists follow.
const ALONE: u64 = 1 << 32;

fn rank_or(value: Option<i32>, none: u64) -> u64 {
    value.map_or(none, |value| u64::from(value as u32))
}

fn pair(value: Option<(i32, i32)>) -> [u64; 2] {
    value.map_or([NONE; 2], |(a, b)| [u64::from(a as u32), u64::from(b as u32)])
}

/// Words of one event, as they are written. Kept by its thread and used again, so that nothing is allocated.
#[derive(Default)]
pub struct Words(Vec<u64>);

impl Words {
    /// Room for the longest event.
    pub fn new() -> Self {
        Words(Vec::with_capacity(MAX_WORDS))
    }

    fn put(&mut self, words: &[u64]) {
        self.0.extend_from_slice(words);
    }

    fn data(&mut self, data: &Data) {
        self.put(&[data.address, data.count, data.datatype.into()]);
    }

    /// A list, or as much of it as there is room for; whether it was all.
    fn list(&mut self, items: impl ExactSizeIterator<Item = u64>) -> bool {
        let room = (MAX_WORDS - 64).saturating_sub(self.0.len());
        let (n, all) = (items.len().min(room), items.len());
        self.0.push(n as u64);
        self.0.extend(items.take(n));
        n == all
    }

    /// Bytes, at most so many, eight in a word.
    fn bytes(&mut self, bytes: &[u8], most: usize) {
        let bytes = &bytes[..bytes.len().min(most)];
        self.0.push(bytes.len() as u64);
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.0.push(u64::from_le_bytes(word));
        }
    }

    fn part(&mut self, part: &Part) -> bool {
        let Data { address, count, datatype } = part.data;
        let Some(lists) = &part.lists else {
            self.put(&[address, count, u64::from(datatype) | ALONE]);
            return true;
        };
        self.data(&part.data);
        self.list(lists.counts.iter().copied()) & self.list(lists.datatypes.iter().map(|&d| d.into()))
    }

    /// The words of an event, until the next one.
    pub fn encode(&mut self, event: &Event) -> &[u64] {
        self.encode_parts(&event.head, &event.body)
    }

    /// The same, of an event that is nowhere in one piece.
    pub fn encode_parts(&mut self, h: &Head, body: &Body) -> &[u64] {
        self.0.clear();
        self.put(&[0; HEAD_WORDS]);
        let mut whole = true;
        let kind = match body {
            Body::Begin { threads } => {
                whole = self.list(threads.iter().map(|&tid| tid.into()));
                kind::BEGIN
            }
            Body::End => kind::END,
            Body::Send { op, mode, partitions, dest, tag, data } => {
                self.put(&[*op, *mode | u64::from(*partitions) << 32, u64::from(*dest as u32), u64::from(*tag as u32)]);
                self.data(data);
                kind::SEND
            }
            Body::Receive { op, source, tag, data } => {
                self.put(&[*op, rank_or(*source, ANY), rank_or(*tag, ANY)]);
                self.data(data);
                kind::RECEIVE
            }
            Body::Probe { source, tag, message } => {
                self.put(&[rank_or(*source, ANY), rank_or(*tag, ANY), *message]);
                kind::PROBE
            }
            Body::ReceiveMatched { op, message, data } => {
                self.put(&[*op, *message]);
                self.data(data);
                kind::RECEIVE_MATCHED
            }
            Body::Collective { op, root, reduction, send, receive, agreed } => {
                self.put(&[*op, rank_or(*root, NONE), (*reduction).into()]);
                whole = self.part(send) & self.part(receive);
                if !agreed.is_empty() {
                    whole &= self.list(agreed.iter().map(|&v| v as u64));
                }
                kind::COLLECTIVE
            }
            Body::Wait { need, ops } => {
                self.put(&[*need]);
                whole = self.list(ops.iter().copied());
                kind::WAIT
            }
            Body::Poll { ops, need, probe } => {
                let asked = probe.map_or([NONE; 2], |(source, tag)| [rank_or(source, ANY), rank_or(tag, ANY)]);
                self.put(&[*need, asked[0], asked[1]]);
                whole = self.list(ops.iter().copied());
                kind::POLL
            }
            Body::Complete { op, status, bytes, cancelled } => {
                let [source, tag] = pair(*status);
                self.put(&[*op, source, tag, *bytes, (*cancelled).into()]);
                kind::COMPLETE
            }
            Body::Found { source, tag, message } => {
                self.put(&[u64::from(*source as u32), u64::from(*tag as u32), *message]);
                kind::FOUND
            }
            Body::Return { code: 0, status: None, bytes: 0 } => kind::RETURN,
            Body::Return { code, status, bytes } => {
                let [source, tag] = pair(*status);
                self.put(&[u64::from(*code as u32), source, tag, *bytes]);
                kind::RETURN
            }
            Body::Drop { op, freed } => {
                self.put(&[*op, (*freed).into()]);
                kind::DROP
            }
            Body::Ready { op, partitions } => {
                self.put(&[*op, partitions.0, partitions.1]);
                kind::READY
            }
            Body::Epoch { window, what, assertion, targets } => {
                self.put(&[(*window).into(), *what, *assertion]);
                whole = self.list(targets.iter().map(|&t| u64::from(t as u32)));
                kind::EPOCH
            }
            Body::Access { window, what, op, target, reduction, origin, result, at_target, content } => {
                self.put(&[(*window).into(), *what, *op, u64::from(*target as u32), (*reduction).into()]);
                self.data(origin);
                self.data(result);
                self.data(at_target);
                self.bytes(content, MOST_CONTENT);
                kind::ACCESS
            }
            Body::Memory { window, what, address, bytes } => {
                self.put(&[(*window).into(), *what, *address, *bytes]);
                kind::MEMORY
            }
            Body::Stored { window, pieces, content } => {
                self.put(&[(*window).into()]);
                self.bytes(content, MOST_CONTENT);
                let both: Vec<u64> = pieces.iter().flat_map(|&(at, length)| [at, length]).collect();
                whole = self.list(both.into_iter());
                kind::STORED
            }
            Body::Changed { address, bytes, changed, first, origin, text } => {
                self.put(&[*address, *bytes, *changed, *first as u64, (*origin).into()]);
                self.bytes(text.as_bytes(), MOST_TEXT);
                kind::CHANGED
            }
            Body::Loaded { window, target, how, at, bytes, site } => {
                self.put(&[(*window).into(), u64::from(*target as u32), *how, *at, *bytes, (*site).into()]);
                kind::LOADED
            }
            Body::Generalized { op, is_complete } => {
                self.put(&[*op, (*is_complete).into()]);
                kind::GENERALIZED
            }
            Body::Attached { bytes, overhead } => {
                self.put(&[*bytes, *overhead]);
                kind::ATTACHED
            }
            Body::Flush { op } => {
                self.put(&[*op]);
                kind::FLUSH
            }
            Body::Packed { packs, bytes, data, content } => {
                self.put(&[(*packs).into(), *bytes]);
                self.data(data);
                self.bytes(content, MOST_CONTENT);
                kind::PACKED
            }
            Body::Counted { received, asked, bytes, site } => {
                self.put(&[u64::from(*received) | u64::from(*asked) << 32, *bytes, (*site).into()]);
                kind::COUNTED
            }
            Body::Opened { file, identity, appends } => {
                self.put(&[u64::from(*file) | u64::from(*appends) << 32, *identity]);
                kind::OPENED
            }
            Body::Seek { file, whence, by } => {
                self.put(&[u64::from(*file) | *whence << 32, *by as u64]);
                kind::SEEK
            }
            Body::View { file, begin, pieces, unit } => {
                self.put(&[(*file).into(), *begin as u64, (*pieces).into(), *unit]);
                kind::VIEW
            }
            Body::Ordered { file, what } => {
                self.put(&[(*file).into(), *what]);
                kind::ORDERED
            }
            Body::File { file, offset, bytes, writes } => {
                self.put(&[(*file).into(), offset.unwrap_or(u64::MAX), *bytes, (*writes).into()]);
                kind::FILE
            }
            Body::Finding { rule, argument, withheld, origin, values, text } => {
                self.put(&[
                    u64::from(*rule)
                        | u64::from(*argument) << 16
                        | u64::from(*withheld) << 24
                        | u64::from(*origin) << 32,
                    values[0] as u64,
                    values[1] as u64,
                    values[2] as u64,
                ]);
                self.bytes(text.as_bytes(), MOST_TEXT);
                kind::FINDING
            }
            Body::Passed { argument, writes, is_one, data, span, frame } => {
                self.put(&[u64::from(*argument) | u64::from(*writes) << 8 | u64::from(*is_one) << 9]);
                self.data(data);
                self.put(&[span.0 as u64, span.1 as u64]);
                if let Some(Frame { pc, sp, fp, end }) = *frame {
                    self.put(&[pc, sp, fp, end]);
                }
                kind::PASSED
            }
            Body::Unknown(kind) => *kind,
        };
        let flags = if whole { h.flags } else { h.flags | flag::CUT };
        let begin = head(&Head { flags, ..*h }, self.0.len() as u64 | u64::from(kind) << 16);
        self.0[..HEAD_WORDS].copy_from_slice(&begin);
        &self.0
    }
}

/// The words of a head; `what` are length and kind.
#[inline]
fn head(h: &Head, what: u64) -> [u64; HEAD_WORDS] {
    let first = what | u64::from(h.thread) << 24 | u64::from(h.function) << 32 | u64::from(h.flags) << 48;
    [first, h.at, u64::from(h.site) | u64::from(h.comm) << 32]
}

/// The words of an operation that occurs repeatedly: equal except for head and number.
pub struct Again {
    what: u64,
    /// Its flags when it was written first.
    pub flags: u16,
    rest: Box<[u64]>,
}

impl Again {
    /// Of a whole event of an operation.
    pub fn from_words(words: &[u64]) -> Option<Again> {
        let (&[first, _, _, _], rest) = words.split_first_chunk::<{ HEAD_WORDS + 1 }>()?;
        let kind = (first >> 16) as u8;
        let has_number = matches!(kind, kind::SEND | kind::RECEIVE | kind::COLLECTIVE);
        has_number.then(|| Again { what: first & 0xff_ffff, flags: (first >> 48) as u16, rest: rest.into() })
    }

    /// Its words with this head and number, in two pieces.
    #[inline]
    pub fn words(&self, h: &Head, op: u64) -> ([u64; HEAD_WORDS + 1], &[u64]) {
        let [first, at, about] = head(h, self.what);
        ([first, at, about, op], &self.rest)
    }
}

struct In<'a>(&'a [u64]);

impl In<'_> {
    /// Nothing is left: what stands at the end of an event is left out where it is empty.
    fn is_over(&self) -> bool {
        self.0.is_empty()
    }

    fn u(&mut self) -> Option<u64> {
        let (&first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(first)
    }
    fn i(&mut self) -> Option<i32> {
        self.u().map(|word| word as u32 as i32)
    }
    fn id(&mut self) -> Option<u32> {
        self.u().map(|word| word as u32)
    }
    fn any(&mut self) -> Option<Option<i32>> {
        self.u().map(|word| (word >> 32 == 0).then_some(word as u32 as i32))
    }
    fn pair(&mut self) -> Option<Option<(i32, i32)>> {
        let (a, b) = (self.u()?, self.u()?);
        Some((a >> 32 == 0 && b >> 32 == 0).then_some((a as u32 as i32, b as u32 as i32)))
    }
    #[inline]
    fn data(&mut self) -> Option<Data> {
        let (&[address, count, datatype], rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(Data { address, count, datatype: datatype as u32 })
    }
    #[inline]
    fn list<T>(&mut self, item: impl Fn(u64) -> T) -> Option<Vec<T>> {
        let n = usize::try_from(self.u()?).ok()?;
        // Nearly always.
        if n == 0 {
            return Some(Vec::new());
        }
        let (items, rest) = self.0.split_at_checked(n)?;
        self.0 = rest;
        Some(items.iter().map(|&word| item(word)).collect())
    }
    #[inline]
    fn part(&mut self) -> Option<Part> {
        let is_alone = self.0.get(2)? & ALONE != 0;
        let data = self.data()?;
        if is_alone {
            return Some(data.into());
        }
        Some(Part::new(data, self.list(|w| w)?, self.list(|w| w as u32)?))
    }
    fn bytes(&mut self, most: usize) -> Option<Vec<u8>> {
        let n = usize::try_from(self.u()?).ok().filter(|&n| n <= most)?;
        let (words, rest) = self.0.split_at_checked(n.div_ceil(8))?;
        self.0 = rest;
        Some(words.iter().flat_map(|word| word.to_le_bytes()).take(n).collect())
    }

    fn text(&mut self) -> Option<String> {
        Some(String::from_utf8_lossy(&self.bytes(MOST_TEXT)?).into_owned())
    }
}

/// The length of the event that begins with `word`, in words; `None` when that can be none.
pub fn length(word: u64) -> Option<usize> {
    let n = word as u16 as usize;
    (HEAD_WORDS..=MAX_WORDS).contains(&n).then_some(n)
}

/// The event in these words, which are all of it ([`length`]); `None` for words that are none.
pub fn decode(words: &[u64]) -> Option<Event> {
    let (&[first, at, about], body) = words.split_first_chunk::<HEAD_WORDS>()?;
    let head = Head {
        thread: (first >> 24) as u8,
        function: (first >> 32) as u16,
        flags: (first >> 48) as u16,
        at,
        site: about as u32,
        comm: (about >> 32) as u32,
    };
    let mut s = In(body);
    let body = match (first >> 16) as u8 {
        // Earlier versions did not say.
        kind::BEGIN => Body::Begin { threads: s.list(|word| word as u32).unwrap_or_default() },
        kind::END => Body::End,
        kind::SEND => {
            let (op, how) = (s.u()?, s.u()?);
            let (mode, partitions) = (how & u64::from(u32::MAX), (how >> 32) as u32);
            Body::Send { op, mode, partitions, dest: s.i()?, tag: s.i()?, data: s.data()? }
        }
        kind::RECEIVE => Body::Receive { op: s.u()?, source: s.any()?, tag: s.any()?, data: s.data()? },
        kind::PROBE => Body::Probe { source: s.any()?, tag: s.any()?, message: s.u()? },
        kind::RECEIVE_MATCHED => Body::ReceiveMatched { op: s.u()?, message: s.u()?, data: s.data()? },
        kind::COLLECTIVE => Body::Collective {
            op: s.u()?,
            root: s.any()?,
            reduction: s.id()?,
            send: s.part()?,
            receive: s.part()?,
            agreed: if s.is_over() { Vec::new() } else { s.list(|w| w as i64)? },
        },
        kind::WAIT => Body::Wait { need: s.u()?, ops: s.list(|w| w)? },
        kind::POLL => {
            let need = s.u()?;
            let (source, tag) = (s.u()?, s.u()?);
            let value = |word: u64| (word >> 32 == 0).then_some(word as u32 as i32);
            let probe = (source != NONE).then(|| (value(source), value(tag)));
            Body::Poll { need, probe, ops: s.list(|w| w)? }
        }
        kind::COMPLETE => Body::Complete { op: s.u()?, status: s.pair()?, bytes: s.u()?, cancelled: s.u()? != 0 },
        kind::FOUND => Body::Found { source: s.i()?, tag: s.i()?, message: s.u()? },
        kind::RETURN if s.is_over() => Body::Return { code: 0, status: None, bytes: 0 },
        kind::RETURN => Body::Return { code: s.i()?, status: s.pair()?, bytes: s.u()? },
        kind::DROP => Body::Drop { op: s.u()?, freed: s.u()? != 0 },
        kind::READY => Body::Ready { op: s.u()?, partitions: (s.u()?, s.u()?) },
        kind::EPOCH => {
            Body::Epoch { window: s.id()?, what: s.u()?, assertion: s.u()?, targets: s.list(|w| w as u32 as i32)? }
        }
        kind::ACCESS => Body::Access {
            window: s.id()?,
            what: s.u()?,
            op: s.u()?,
            target: s.i()?,
            reduction: s.id()?,
            origin: s.data()?,
            result: s.data()?,
            at_target: s.data()?,
            content: s.bytes(MOST_CONTENT)?,
        },
        kind::MEMORY => Body::Memory { window: s.id()?, what: s.u()?, address: s.u()?, bytes: s.u()? },
        kind::STORED => {
            let (window, content) = (s.id()?, s.bytes(MOST_CONTENT)?);
            let both = s.list(|w| w)?;
            Body::Stored {
                window,
                pieces: both.as_chunks().0.iter().map(|&[at, length]| (at, length)).collect(),
                content,
            }
        }
        kind::CHANGED => Body::Changed {
            address: s.u()?,
            bytes: s.u()?,
            changed: s.u()?,
            first: s.u()? as i64,
            origin: s.id()?,
            text: s.text()?,
        },
        kind::GENERALIZED => Body::Generalized { op: s.u()?, is_complete: s.u()? != 0 },
        kind::LOADED => {
            Body::Loaded { window: s.id()?, target: s.i()?, how: s.u()?, at: s.u()?, bytes: s.u()?, site: s.id()? }
        }
        kind::PASSED => {
            let (how, data, span) = (s.u()?, s.data()?, (s.u()? as i64, s.u()? as i64));
            let frame = match s.is_over() {
                true => None,
                false => Some(Frame { pc: s.u()?, sp: s.u()?, fp: s.u()?, end: s.u()? }),
            };
            let (writes, is_one) = (how & 256 != 0, how & 512 != 0);
            Body::Passed { argument: how as u8, writes, is_one, data, span, frame }
        }
        kind::ATTACHED => Body::Attached { bytes: s.u()?, overhead: s.u()? },
        kind::FLUSH => Body::Flush { op: s.u()? },
        kind::PACKED => {
            Body::Packed { packs: s.u()? != 0, bytes: s.u()?, data: s.data()?, content: s.bytes(MOST_CONTENT)? }
        }
        kind::COUNTED => {
            let types = s.u()?;
            Body::Counted { received: types as u32, asked: (types >> 32) as u32, bytes: s.u()?, site: s.id()? }
        }
        kind::OPENED => {
            let file = s.u()?;
            Body::Opened { file: file as u32, identity: s.u()?, appends: file >> 32 & 1 != 0 }
        }
        kind::SEEK => {
            let file = s.u()?;
            Body::Seek { file: file as u32, whence: file >> 32, by: s.u()? as i64 }
        }
        kind::VIEW => Body::View { file: s.id()?, begin: s.u()? as i64, pieces: s.id()?, unit: s.u()? },
        kind::ORDERED => Body::Ordered { file: s.id()?, what: s.u()? },
        kind::FILE => Body::File {
            file: s.id()?,
            offset: Some(s.u()?).filter(|&offset| offset != u64::MAX),
            bytes: s.u()?,
            writes: s.u()? != 0,
        },
        kind::FINDING => {
            let about = s.u()?;
            Body::Finding {
                rule: about as u16,
                argument: (about >> 16) as u8,
                withheld: about >> 24 & 1 != 0,
                origin: (about >> 32) as u32,
                values: [s.u()? as i64, s.u()? as i64, s.u()? as i64],
                text: s.text()?,
            }
        }
        other => Body::Unknown(other),
    };
    Some(Event { head, body })
}

#[cfg(test)]
mod tests {
    use super::super::event::{access, epoch, memory, mode, need, order, seek, touch};
    use super::*;
    use proptest::prelude::*;

    fn round(body: Body) {
        let head = Head { thread: 3, function: 0x7ab, flags: flag::BLOCKING, at: 1 << 60, site: 9, comm: u32::MAX };
        let event = Event { head, body };
        let mut words = Words::new();
        let encoded = words.encode(&event);
        assert_eq!(length(encoded[0]), Some(encoded.len()));
        assert_eq!(decode(encoded), Some(event.clone()));
        // What is cut off is no event, but never a panic.
        for n in 0..encoded.len() {
            let _ = decode(&encoded[..n]);
        }
    }

    #[test]
    fn what_is_usually_empty_takes_no_room_and_may_be_spelled_out() {
        let (head, data) = (Head::default(), Data { address: 64, count: 12, datatype: 7 });
        let part = Part::from(data);
        let body = |agreed| Body::Collective {
            op: 0,
            root: None,
            reduction: 5,
            send: part.clone(),
            receive: part.clone(),
            agreed,
        };
        let mut words = Words::new();
        assert_eq!(words.encode_parts(&head, &body(vec![])).len(), HEAD_WORDS + 3 + 2 * 3);
        let returned = Body::Return { code: 0, status: None, bytes: 0 };
        assert_eq!(words.encode_parts(&head, &returned).len(), HEAD_WORDS);
        let spelled = |kind: u8, body: &[u64]| {
            let first = (HEAD_WORDS + body.len()) as u64 | u64::from(kind) << 16;
            decode(&[&[first, 0, 0], body].concat()).map(|event| event.body)
        };
        assert_eq!(spelled(kind::RETURN, &[0, NONE, NONE, 0]), Some(returned));
        let of_part = [64, 12, 7, 0, 0];
        let all = [&[0, NONE, 5][..], &of_part, &of_part, &[0]].concat();
        assert_eq!(spelled(kind::COLLECTIVE, &all), Some(body(vec![])));
    }

    #[test]
    fn an_operation_is_told_again_with_another_head_and_number() {
        let data = Data { address: 64, count: 12, datatype: 7 };
        let body = |op| Body::Send { op, mode: mode::STANDARD, partitions: 0, dest: 1, tag: 3, data };
        let mut words = Words::new();
        let first = Head { thread: 1, function: 9, flags: flag::BLOCKING, at: 5, site: 2, comm: 1 };
        let again = Again::from_words(words.encode_parts(&first, &body(1))).unwrap();
        assert_eq!(again.flags, flag::BLOCKING);
        let second = Head { thread: 2, function: 8, flags: flag::FORTRAN, at: 6, site: 3, comm: 4 };
        let (begin, rest) = again.words(&second, 77);
        assert_eq!([&begin[..], rest].concat(), words.encode_parts(&second, &body(77)));
        assert!(Again::from_words(words.encode_parts(&first, &Body::Wait { need: need::ALL, ops: vec![1] })).is_none());
        assert!(Again::from_words(words.encode_parts(&first, &Body::End)).is_none());
    }

    #[test]
    fn every_kind_comes_back() {
        let data = Data { address: 0x7fff_0000_0000, count: 12, datatype: 7 };
        let part = Part::new(data, vec![1, 2, 3], vec![4, 5]);
        let finding = |text: &str| Body::Finding {
            rule: super::super::rule::TAG,
            argument: 4,
            withheld: true,
            origin: 17,
            values: [-1, i64::MAX, 0],
            text: text.into(),
        };
        for body in [
            Body::Begin { threads: vec![7, 9] },
            Body::End,
            Body::Send { op: 1, mode: mode::READY, partitions: 7, dest: -1, tag: 0, data },
            Body::Receive { op: 2, source: None, tag: Some(-7), data },
            Body::Receive { op: 2, source: Some(3), tag: None, data },
            Body::Probe { source: None, tag: None, message: 4 },
            Body::ReceiveMatched { op: 3, message: 4, data },
            Body::Collective {
                op: 0,
                root: Some(-2),
                reduction: 5,
                send: part.clone(),
                receive: Part::default(),
                agreed: vec![-1, 4],
            },
            Body::Collective {
                op: 0,
                root: None,
                reduction: 5,
                send: Part::from(data),
                receive: part.clone(),
                agreed: vec![],
            },
            Body::Wait { need: need::ANY, ops: vec![1, u64::MAX] },
            Body::Poll { ops: vec![], need: need::ALL, probe: Some((None, Some(2))) },
            Body::Poll { ops: vec![4], need: need::ALL, probe: None },
            Body::Complete { op: 8, status: Some((-3, 2)), bytes: 12, cancelled: false },
            Body::Complete { op: 8, status: None, bytes: 0, cancelled: true },
            Body::Found { source: 2, tag: 9, message: 0 },
            Body::Return { code: -1, status: None, bytes: 3 },
            Body::Return { code: 0, status: None, bytes: 0 },
            Body::Return { code: 0, status: Some((1, 2)), bytes: 0 },
            Body::Drop { op: 1, freed: true },
            Body::Ready { op: 1, partitions: (2, 3) },
            Body::Epoch { window: 1, what: epoch::POST, assertion: 4, targets: vec![-1, 2] },
            Body::Access {
                window: 1,
                what: access::GET,
                op: 0,
                target: 4,
                reduction: 0,
                origin: data,
                result: Data::default(),
                at_target: data,
                content: vec![1, 2, 3],
            },
            Body::Memory { window: 2, what: memory::ATTACHED, address: 0x7f00_0000_1000, bytes: 12 },
            Body::Stored { window: 2, pieces: vec![(0, 4), (100, 1)], content: (0..9).collect() },
            Body::Stored { window: 2, pieces: Vec::new(), content: Vec::new() },
            Body::Changed { address: 4096, bytes: 80, changed: 4, first: -8, origin: 7, text: "MPI_Put".into() },
            Body::Generalized { op: 7, is_complete: true },
            Body::Loaded { window: 2, target: 1, how: touch::STORES, at: 1 << 40, bytes: 4, site: u32::MAX },
            Body::Attached { bytes: u64::MAX, overhead: 96 },
            Body::Flush { op: 9 },
            Body::Packed { packs: true, bytes: 12, data, content: vec![1, 2, 3] },
            Body::Counted { received: 3, asked: u32::MAX, bytes: 1 << 40, site: 7 },
            Body::Passed { argument: 3, writes: true, is_one: false, data, span: (-8, 1 << 40), frame: None },
            Body::Passed {
                argument: 0,
                writes: false,
                is_one: true,
                data,
                span: (0, 8),
                frame: Some(Frame { pc: 1, sp: 2, fp: u64::MAX, end: 3 }),
            },
            Body::Opened { file: 3, identity: u64::MAX, appends: false },
            Body::Opened { file: u32::MAX, identity: 0, appends: true },
            Body::Seek { file: 3, whence: seek::END, by: -8 },
            Body::View { file: 3, begin: -8, pieces: 40, unit: 4 },
            Body::Ordered { file: 3, what: order::CLOSE },
            Body::File { file: 1, offset: None, bytes: 4, writes: true },
            Body::File { file: 1, offset: Some(0), bytes: 4, writes: false },
            finding(""),
            finding("seventeen letters"),
        ] {
            round(body);
        }
    }

    #[test]
    fn a_list_too_long_is_cut_and_says_so() {
        let event = Event { head: Head::default(), body: Body::Wait { need: 0, ops: (0..100_000).collect() } };
        let mut words = Words::new();
        let encoded = words.encode(&event);
        assert!(encoded.len() <= MAX_WORDS);
        let back = decode(encoded).unwrap();
        assert_eq!(back.head.flags & flag::CUT, flag::CUT);
        assert!(matches!(back.body, Body::Wait { ops, .. } if ops[..3] == [0, 1, 2]));
    }

    proptest! {
        #[test]
        fn any_words_are_an_event_or_none(words in proptest::collection::vec(any::<u64>(), 0..40), kind in 0u64..36) {
            let _ = decode(&words);
            if let Some(&first) = words.first() {
                let mut words = words.clone();
                words[0] = first & !0xff_0000 | kind << 16;
                let _ = decode(&words);
            }
        }
    }
}
