//! Compares the buffer of a call with the variables at its place.

use mpiscope_judge::{Element, Sort as Kind};
use mpiscope_symbols::declared::{Declared, Layout, Leaf, Sort, Variable};
use mpiscope_trace::check::event::Data;
use mpiscope_trace::check::rule;

/// A buffer, from an event.
pub struct Passed {
    pub argument: u8,
    pub writes: bool,
    pub is_one: bool,
    pub data: Data,
    pub span: (i64, i64),
    /// The frame of the calling function.
    pub is_callers: bool,
}

impl Passed {
    /// From its first byte to its last.
    pub fn bytes(&self) -> u64 {
        self.span.1.saturating_sub(self.span.0).max(0) as u64
    }
}

/// The error.
#[derive(Debug, PartialEq)]
pub struct Wrong<'a> {
    pub rule: u16,
    pub is_certain: bool,
    variable: &'a Variable,
    /// Bytes of the variable from the start of the buffer.
    pub room: u64,
    /// The element that does not match, and what is there.
    misfit: Option<(Element, Leaf)>,
}

/// Compares the elements of a buffer with the declared variables; one datatype has `each` elements. It is an error only if no
/// variable matches.
pub fn compare<'a>(declared: &'a Declared, passed: &Passed, elements: &[Element], each: usize) -> Option<Wrong<'a>> {
    if declared.has_others {
        return None;
    }
    let wrong = declared.variables.iter().map(|variable| with(variable, passed, elements, each));
    let wrong: Vec<Wrong<'_>> = wrong.collect::<Option<_>>()?;
    let is_certain = wrong.iter().all(|wrong| wrong.is_certain);
    // Prefers a variable of the calling function, and one whose type matches.
    let shown = wrong.into_iter().max_by_key(|wrong| (wrong.variable.is_own, wrong.misfit.is_none()))?;
    Some(Wrong { is_certain, ..shown })
}

fn with<'a>(variable: &'a Variable, passed: &Passed, elements: &[Element], each: usize) -> Option<Wrong<'a>> {
    let room = variable.room.saturating_sub(variable.offset);
    let wrong = |rule, is_certain, misfit| Wrong { rule, is_certain, variable, room, misfit };
    // Offset of an element in the variable.
    let place = |element: &Element| {
        let behind = element.at.checked_sub(passed.span.0)?;
        variable.offset.checked_add_signed(behind)
    };
    let is_own = variable.is_own && passed.is_callers;
    let misfit = elements.iter().find_map(|element| Some((*element, misfit(variable, place(element)?, element)?)));
    let misfit = misfit.map(|misfit| {
        let may_be_seen_otherwise = !is_own && (variable.is_fortran || variable.layout.is_array());
        wrong(rule::VARIABLE_TYPE, variable.is_sure && !may_be_seen_otherwise, Some(misfit))
    });
    let short = match passed.is_one {
        true => (passed.bytes() > room).then_some(true),
        false => beyond(variable, elements, each, place),
    };
    let short = short.map(|is_certain| wrong(rule::VARIABLE_SHORT, is_certain && variable.is_sure, None));
    match (misfit, short) {
        (Some(misfit), Some(short)) => Some(if short.is_certain && !misfit.is_certain { short } else { misfit }),
        (misfit, short) => misfit.or(short),
    }
}

/// What is at an element's place, if it does not match.
fn misfit(variable: &Variable, at: u64, element: &Element) -> Option<Leaf> {
    if element.sort == Kind::Memory {
        return None;
    }
    let wrong = |leaf: &Leaf| match leaf.sort {
        None => false,
        Some(_) if (leaf.at, leaf.bytes) != (at, element.bytes) => true,
        Some(Sort::Float) => element.sort != Kind::Float,
        Some(Sort::Integer | Sort::Pointer) => element.sort != Kind::Integer,
    };
    let end = at.saturating_add(element.bytes).min(variable.layout.bytes());
    (at..end).find_map(|byte| variable.layout.leaf(byte).filter(wrong))
}

/// Whether an element certainly ends after the variable in which it begins; or begins after it, which is certain if the same
/// element of the previous datatype does not.
fn beyond(
    variable: &Variable,
    elements: &[Element],
    each: usize,
    place: impl Fn(&Element) -> Option<u64>,
) -> Option<bool> {
    let mut is_behind = false;
    for (number, element) in elements.iter().enumerate() {
        let Some(at) = place(element) else { continue };
        if at.saturating_add(element.bytes) <= variable.room {
            continue;
        }
        let before = number.checked_sub(each).and_then(|before| place(&elements[before]));
        if at < variable.room || before.is_some_and(|before| before < variable.room) {
            return Some(true);
        }
        is_behind = true;
    }
    is_behind.then_some(false)
}

impl Wrong<'_> {
    /// Text for people: the variable, and what the call does with it.
    pub fn text(&self, passed: &Passed, datatype: &str) -> String {
        let Variable { name, type_name, file, line, offset, .. } = self.variable;
        let article = if type_name.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
        let declared = match (file, line) {
            (Some(file), Some(line)) => format!(" ({file}:{line})"),
            _ => String::new(),
        };
        let (does, way) = if passed.writes { ("receives", "into") } else { ("sends", "from") };
        let count = passed.data.count;
        let bytes = match passed.bytes() {
            1 => "1 byte".to_owned(),
            bytes => format!("{bytes} bytes"),
        };
        let what = match datatype {
            _ if passed.data.datatype == 0 => bytes,
            "" if count == 1 => format!("an element of a derived datatype ({bytes})"),
            "" => format!("{count} elements of a derived datatype ({bytes})"),
            _ => format!("{count} {datatype} ({bytes})"),
        };
        let whence = if *offset > 0 { format!(" at byte {offset}") } else { String::new() };
        let mut text =
            format!("`{name}` is {article} {type_name}{declared}, but the call {does} {what} {way} it{whence}");
        match self.misfit {
            _ if matches!(self.variable.layout, Layout::Number(Sort::Pointer, _)) => {
                text += "; pass the pointer, not its address";
            }
            Some((element, leaf)) if !is_plain(&self.variable.layout) => {
                let at = offset.saturating_add_signed(element.at - passed.span.0);
                let (there, sent) =
                    (described(leaf.sort, leaf.bytes), described(Some(sort_of(element.sort)), element.bytes));
                text += &format!(
                    "; at byte {at} the datatype has {sent}, but the variable has {there} at byte {}",
                    leaf.at
                );
            }
            _ => {}
        }
        text
    }
}

/// Whether the name of its type describes it completely.
fn is_plain(layout: &Layout) -> bool {
    match layout {
        Layout::Number(..) | Layout::Memory(_) => true,
        Layout::Array(_, of) => is_plain(of),
        Layout::Structure(..) => false,
    }
}

fn sort_of(kind: Kind) -> Sort {
    if kind == Kind::Float { Sort::Float } else { Sort::Integer }
}

fn described(sort: Option<Sort>, bytes: u64) -> String {
    let sort = match sort {
        Some(Sort::Integer) => "an integer",
        Some(Sort::Float) => "a floating-point number",
        Some(Sort::Pointer) => "a pointer",
        None => "memory",
    };
    format!("{sort} of {bytes} bytes")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn int() -> Layout {
        Layout::Number(Sort::Integer, 4)
    }

    fn double() -> Layout {
        Layout::Number(Sort::Float, 8)
    }

    fn array(of: Layout, count: u64) -> Layout {
        Layout::Array(count, Box::new(of))
    }

    /// `struct { int n; double x; }`
    fn pair() -> Layout {
        Layout::Structure(vec![(0, int()), (8, double())], 16)
    }

    fn variable(type_name: &str, layout: Layout) -> Variable {
        Variable {
            name: "x".into(),
            type_name: type_name.into(),
            file: Some("a.c".into()),
            line: Some(12),
            offset: 0,
            room: layout.bytes(),
            layout,
            is_own: true,
            is_fortran: false,
            is_sure: true,
        }
    }

    fn only(variable: Variable) -> Declared {
        Declared { variables: vec![variable], has_others: false }
    }

    /// Numbers one after the other.
    fn row(sort: Kind, bytes: u64, count: u64) -> Vec<Element> {
        (0..count).map(|number| Element { at: (number * bytes) as i64, bytes, sort }).collect()
    }

    fn passed(is_one: bool, count: u64, to: i64) -> Passed {
        let data = Data { address: 4096, count, datatype: 5 };
        Passed { argument: 0, writes: false, is_one, data, span: (0, to), is_callers: true }
    }

    /// Rule and certainty of what is wrong with numbers in a row.
    fn judge(declared: &Declared, elements: &[Element]) -> Option<(u16, bool)> {
        let end = elements.iter().map(|e| e.at + e.bytes as i64).max().unwrap_or(0);
        let wrong = compare(declared, &passed(true, elements.len() as u64, end), elements, 1);
        wrong.map(|wrong| (wrong.rule, wrong.is_certain))
    }

    const SHORT: Option<(u16, bool)> = Some((rule::VARIABLE_SHORT, true));
    const TYPE: Option<(u16, bool)> = Some((rule::VARIABLE_TYPE, true));

    #[test]
    fn what_fits_is_right() {
        let x = only(variable("int", int()));
        assert_eq!(judge(&x, &row(Kind::Integer, 4, 1)), None);
        assert_eq!(judge(&x, &row(Kind::Memory, 1, 4)), None);
        let numbers = only(variable("double[4]", array(double(), 4)));
        assert_eq!(judge(&numbers, &row(Kind::Float, 8, 4)), None);
        assert_eq!(judge(&only(variable("char[16]", Layout::Memory(16))), &row(Kind::Float, 8, 2)), None);
        assert_eq!(judge(&only(variable("void *", Layout::Number(Sort::Pointer, 8))), &row(Kind::Integer, 8, 1)), None);
        // From its middle.
        let later = Variable { offset: 16, ..variable("double[4]", array(double(), 4)) };
        assert_eq!(judge(&only(later.clone()), &row(Kind::Float, 8, 2)), None);
        assert_eq!(judge(&only(later), &row(Kind::Float, 8, 3)), SHORT);
        assert_eq!(judge(&Declared::default(), &row(Kind::Float, 8, 3)), None);
    }

    #[test]
    fn what_does_not_fit() {
        let x = only(variable("int", int()));
        assert_eq!(judge(&x, &row(Kind::Integer, 4, 2)), SHORT);
        assert_eq!(judge(&x, &row(Kind::Memory, 1, 5)), SHORT);
        assert_eq!(judge(&x, &row(Kind::Float, 8, 1)), TYPE);
        assert_eq!(judge(&x, &row(Kind::Float, 4, 1)), TYPE);
        assert_eq!(judge(&only(variable("long", Layout::Number(Sort::Integer, 8))), &row(Kind::Integer, 4, 1)), TYPE);
        // A double that begins where the structure has nothing yet.
        let moved = [Element { at: 0, bytes: 4, sort: Kind::Integer }, Element { at: 4, bytes: 8, sort: Kind::Float }];
        assert_eq!(judge(&only(variable("struct pair", pair())), &moved), TYPE);
    }

    #[test]
    fn what_may_be_excused() {
        let sure = variable("int", int());
        let unsure = only(Variable { is_sure: false, ..sure.clone() });
        assert_eq!(judge(&unsure, &row(Kind::Integer, 4, 2)), Some((rule::VARIABLE_SHORT, false)));
        // To this function another one's array may be plain memory. It ends where it ends all the same.
        let other = Variable { is_own: false, ..variable("double[4]", array(double(), 4)) };
        assert_eq!(judge(&only(other.clone()), &row(Kind::Integer, 4, 2)), Some((rule::VARIABLE_TYPE, false)));
        assert_eq!(judge(&only(other), &row(Kind::Integer, 4, 9)), SHORT);
        let fortran = Variable { is_own: false, is_fortran: true, ..sure.clone() };
        assert_eq!(judge(&only(fortran), &row(Kind::Float, 4, 1)), Some((rule::VARIABLE_TYPE, false)));
        // One of several that are there.
        let both = |has_others| Declared {
            variables: vec![sure.clone(), variable("float", Layout::Number(Sort::Float, 4))],
            has_others,
        };
        assert_eq!(judge(&both(false), &row(Kind::Float, 4, 1)), None);
        assert_eq!(judge(&both(false), &row(Kind::Integer, 4, 2)), SHORT);
        assert_eq!(judge(&both(true), &row(Kind::Integer, 4, 2)), None);
    }

    #[test]
    fn displacements_may_lead_to_another_variable() {
        let two = |at: i64| {
            [
                Element { at: 0, bytes: 4, sort: Kind::Integer },
                Element { at: 8, bytes: 8, sort: Kind::Float },
                Element { at, bytes: 4, sort: Kind::Integer },
                Element { at: at + 8, bytes: 8, sort: Kind::Float },
            ]
        };
        let declared = only(variable("struct pair", pair()));
        let judge = |elements: &[Element], each: usize, end| {
            let wrong = compare(&declared, &passed(false, (elements.len() / each) as u64, end), elements, each);
            wrong.map(|wrong| (wrong.rule, wrong.is_certain))
        };
        assert_eq!(judge(&two(16)[..2], 2, 16), None);
        assert_eq!(judge(&two(16), 2, 32), SHORT);
        assert_eq!(judge(&two(64), 4, 80), Some((rule::VARIABLE_SHORT, false)));
    }

    #[test]
    fn texts() {
        let said = |variable: Variable, elements: &[Element], passed: &Passed, datatype: &str| {
            compare(&only(variable), passed, elements, 1).unwrap().text(passed, datatype)
        };
        assert_eq!(
            said(variable("int", int()), &row(Kind::Float, 8, 1), &passed(true, 1, 8), "MPI_DOUBLE"),
            "`x` is an int (a.c:12), but the call sends 1 MPI_DOUBLE (8 bytes) from it"
        );
        let pointer = variable("double *", Layout::Number(Sort::Pointer, 8));
        let into = Passed { writes: true, ..passed(true, 4, 32) };
        assert_eq!(
            said(pointer, &row(Kind::Float, 8, 4), &into, "MPI_DOUBLE"),
            "`x` is a double * (a.c:12), but the call receives 4 MPI_DOUBLE (32 bytes) into it; pass the pointer, not its address"
        );
        let inside = Variable { offset: 4, ..variable("struct pair", pair()) };
        assert_eq!(
            said(inside, &row(Kind::Float, 8, 1), &passed(true, 1, 8), ""),
            "`x` is a struct pair (a.c:12), but the call sends an element of a derived datatype (8 bytes) from it at byte 4; \
             at byte 4 the datatype has a floating-point number of 8 bytes, but the variable has a floating-point number of 8 bytes at byte 8"
        );
    }
}
