//! Basic elements of data, where they lie.

use mpiscope_judge::{Element, Judge, Settings, Sort};
use mpiscope_trace::defs::{Definition, TypeBlock, TypeMap};

fn define(judge: &mut Judge, id: u32, name: &str, size: u64, extent: i64, blocks: &[(i64, u64, u32)]) {
    let name = name.to_owned();
    judge.define(0, &Definition::Datatype { id, size, extent, combiner: 0, created_by: 0, name });
    if !blocks.is_empty() {
        let block = |&(displacement_bytes, count, datatype): &_| TypeBlock { displacement_bytes, count, datatype };
        let map = TypeMap { blocks: blocks.iter().map(block).collect(), repeat: 1, stride_bytes: 0, cut: false };
        judge.define(0, &Definition::TypeMap { id, map });
    }
}

fn judge() -> Judge {
    let mut judge = Judge::new(Settings::default());
    define(&mut judge, 1, "MPI_INT", 4, 4, &[]);
    define(&mut judge, 2, "MPI_DOUBLE", 8, 8, &[]);
    define(&mut judge, 3, "MPI_C_DOUBLE_COMPLEX", 16, 16, &[]);
    define(&mut judge, 4, "MPI_SHORT_INT", 6, 8, &[]);
    define(&mut judge, 5, "MPI_CHAR", 1, 1, &[]);
    define(&mut judge, 6, "", 12, 16, &[(0, 1, 1), (8, 1, 2)]);
    define(&mut judge, 7, "", 24, 40, &[(0, 2, 6)]);
    define(&mut judge, 8, "", 0, 0, &[(0, u64::MAX, 9)]);
    define(&mut judge, 9, "", 0, 0, &[(0, 0, 1)]);
    judge
}

/// Place, length and sort of the elements.
fn elements(datatype: u32, count: u64, most: usize) -> Option<Vec<(i64, u64, Sort)>> {
    let found = judge().elements(0, datatype, count, most)?;
    Some(found.into_iter().map(|Element { at, bytes, sort }| (at, bytes, sort)).collect())
}

#[test]
fn where_they_lie() {
    use Sort::{Float, Integer, Memory};
    assert_eq!(elements(1, 2, 9), Some(vec![(0, 4, Integer), (4, 4, Integer)]));
    assert_eq!(elements(3, 1, 9), Some(vec![(0, 8, Float), (8, 8, Float)]));
    assert_eq!(elements(4, 1, 9), Some(vec![(0, 2, Integer), (4, 4, Integer)]));
    assert_eq!(elements(5, 1, 9), Some(vec![(0, 1, Memory)]));
    let pair = |at| [(at, 4, Integer), (at + 8, 8, Float)];
    assert_eq!(elements(7, 2, 99), Some([pair(0), pair(16), pair(40), pair(56)].concat()));
}

#[test]
fn what_is_not_known_and_what_is_too_much() {
    assert_eq!(elements(77, 1, 9), None);
    assert_eq!(elements(1, u64::MAX, 3).map(|found| found.len()), Some(3));
    // Endlessly many of nothing.
    assert_eq!(elements(8, u64::MAX, 1000), Some(Vec::new()));
    assert_eq!(judge().datatype_name(0, 2), "MPI_DOUBLE");
    assert_eq!((judge().datatype_name(0, 6), judge().datatype_name(3, 1)), ("", ""));
}
