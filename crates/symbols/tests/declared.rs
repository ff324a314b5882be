//! Variables of real programs, compiled here when there is a compiler.

use std::path::Path;
use std::process::Command;

use mpiscope_symbols::declared::{At, Declarations, Declared, Layout, Leaf, Sort, Variable};
use mpiscope_symbols::{ModuleFile, Resolver};
use object::{Object, ObjectSymbol};

const C: &str = "\
#include <complex.h>
struct inner { short a; double b[3]; };
struct flexible { int n; int more[]; };
union any { int i; double d; };
struct bits { int a : 3; int b; };
int one;
static double table[3][4];
struct inner pair[2];
struct flexible tail = {2, {1, 2, 3}};
union any whatever;
struct bits bits;
double *pointer;
double complex z;
enum { RED, GREEN } colour;
extern int elsewhere[];
void seen(void *);
int work(int n)
{
    static float kept[5];
    int small = n;
    double row[8];
    {
        int hidden[16];
        seen(hidden);
    }
    int more[n];
    seen(&small), seen(row), seen(kept), seen(more);
    return small;
}
void seen(void *at) { *(volatile char *)at; }
int main(int argc, char **argv)
{
    seen(&one), seen(table), seen(pair), seen(&tail), seen(&whatever), seen(&bits), seen(&pointer), seen(&z), seen(&colour);
    return work(argc);
}
";

struct Made {
    folder: tempfile::TempDir,
    bytes: Vec<u8>,
}

impl Made {
    fn new(compiler: &str, name: &str, source: &str, flags: &[&str]) -> Option<Made> {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(name), source).unwrap();
        let mut command = Command::new(compiler);
        let made = command.current_dir(&folder).args(["-o", "made", name]).args(flags).status();
        if !made.is_ok_and(|status| status.success()) {
            eprintln!("skipped: no {compiler}");
            return None;
        }
        let bytes = std::fs::read(folder.path().join("made")).unwrap();
        Some(Made { folder, bytes })
    }

    fn find(&self, places: &[At]) -> Vec<Declared> {
        let path: &Path = &self.folder.path().join("made");
        let module = ModuleFile { path: path.to_owned(), build_id: Vec::new() };
        Declarations::new(Resolver::looking_in(Vec::new())).find(&module, places)
    }

    /// Begin and length of what the linker calls so.
    fn symbol(&self, name: &str) -> (u64, u64) {
        let file = object::File::parse(&self.bytes[..]).unwrap();
        let found = file.symbols().find(|s| s.name().is_ok_and(|n| n == name || n.starts_with(&format!("{name}."))));
        found.map(|s| (s.address(), s.size())).unwrap()
    }

    /// What is declared so many bytes behind a symbol, as a function asks that has `pc`.
    fn behind(&self, name: &str, bytes: u64, pc: Option<u64>) -> Declared {
        let address = self.symbol(name).0 + bytes;
        self.find(&[At::Mapped { address, pc }]).remove(0)
    }

    fn only(&self, name: &str, bytes: u64) -> Variable {
        let found = self.behind(name, bytes, None);
        assert!(!found.has_others && found.variables.len() == 1, "{name}: {found:?}");
        found.variables.into_iter().next().unwrap()
    }

    /// All variables in the frame of a function, seen from one of its places: name, bytes and type.
    fn frame(&self, function: &str, at: u64) -> Vec<Variable> {
        let (begin, size) = self.symbol(function);
        let pc = begin + size * at / 100;
        let places: Vec<At> = (-512..0).map(|address| At::Frame { address, pc, sp: -512, fp: -16 }).collect();
        let found = self.find(&places).into_iter().flat_map(|declared| declared.variables);
        found.filter(|variable| variable.offset == 0).collect()
    }
}

fn number(sort: Sort, bytes: u64) -> Layout {
    Layout::Number(sort, bytes)
}

#[test]
fn variables_of_a_module() {
    let Some(made) = Made::new("gcc", "some.c", C, &["-g", "-O0"]) else { return };
    let one = made.only("one", 0);
    assert_eq!((one.name.as_str(), one.type_name.as_str(), one.room, one.line), ("one", "int", 4, Some(6)));
    assert_eq!(
        (one.file.as_deref(), one.layout, one.is_sure, one.is_own),
        (Some("some.c"), number(Sort::Integer, 4), true, false)
    );
    let table = made.only("table", 40);
    assert_eq!((table.type_name.as_str(), table.offset, table.room), ("double[3][4]", 40, 96));
    assert_eq!(table.layout.leaf(40), Some(Leaf { at: 40, bytes: 8, sort: Some(Sort::Float) }));
    let pair = made.only("pair", 0);
    assert_eq!((pair.type_name.as_str(), pair.room), ("struct inner[2]", 64));
    let leaf = |at| pair.layout.leaf(at).map(|leaf| (leaf.at, leaf.bytes, leaf.sort));
    assert_eq!(leaf(1), Some((0, 2, Some(Sort::Integer))));
    assert_eq!((leaf(4), leaf(64)), (None, None));
    assert_eq!(leaf(32 + 17), Some((32 + 16, 8, Some(Sort::Float))));
    // The initialiser says how long it is.
    assert_eq!(made.only("tail", 4).room, 16);
    assert_eq!(made.only("whatever", 0).layout, Layout::Memory(8));
    assert_eq!(made.only("bits", 0).layout, Layout::Memory(8));
    let pointer = made.only("pointer", 0);
    assert_eq!((pointer.type_name.as_str(), pointer.layout), ("double *", number(Sort::Pointer, 8)));
    assert_eq!(made.only("z", 8).layout.leaf(8), Some(Leaf { at: 8, bytes: 8, sort: Some(Sort::Float) }));
    assert_eq!(made.only("colour", 0).layout, number(Sort::Integer, 4));
    // Behind the last byte of one.
    assert!(!made.behind("one", 4, None).variables.iter().any(|variable| variable.name == "one"));
    // Static ones are those of their function.
    let (work, size) = made.symbol("work");
    let kept = |pc| made.behind("kept", 4, Some(pc)).variables.remove(0);
    assert!(kept(work + size / 2).is_own && !kept(made.symbol("main").0 + 8).is_own);
    assert_eq!(made.find(&[At::Mapped { address: 0, pc: None }]), [Declared::default()]);
}

#[test]
fn variables_of_a_frame() {
    let Some(made) = Made::new("gcc", "some.c", C, &["-g", "-O0"]) else { return };
    let frame = made.frame("work", 90);
    let mut names: Vec<_> = frame.iter().map(|v| (v.name.as_str(), v.room, v.is_sure)).collect();
    names.sort();
    let known: Vec<_> =
        names.iter().filter(|(name, ..)| ["small", "row", "n", "hidden", "more"].contains(name)).collect();
    // Neither what has another scope nor what has no fixed place.
    assert_eq!(known, [&("n", 4, true), &("row", 64, true), &("small", 4, true)]);
    assert!(frame.iter().all(|v| v.is_own && !v.is_fortran));
    let Some(fast) = Made::new("gcc", "some.c", C, &["-g", "-O2"]) else { return };
    let fast = fast.frame("work", 50);
    assert!(fast.iter().any(|v| v.name == "row" && !v.is_sure), "{fast:?}");
}

#[test]
fn nothing_without_debug_information() {
    let Some(made) = Made::new("gcc", "some.c", C, &["-O0"]) else { return };
    assert_eq!(made.behind("one", 0, None), Declared::default());
    assert!(made.frame("work", 50).is_empty());
}

#[test]
fn variables_of_fortran() {
    let source = "\
program some
  implicit none
  integer :: x, e(4)
  real(8) :: w(4,0:5)
  real, allocatable :: free(:)
  real :: a(10), b(5), f(4)
  common /block/ a, b
  equivalence (e, f)
  x = 1; w = 2; e = 3; a = 4; b = 5
  allocate(free(4)); free = 1
  print *, x, w(1, 1), e, a(1), b(1), free(1), f(1)
end program
";
    let Some(made) = Made::new("gfortran", "some.f90", source, &["-g", "-O0"]) else { return };
    let a = made.only("block_", 8);
    assert_eq!((a.name.as_str(), a.type_name.as_str(), a.offset, a.room), ("a", "real(kind=4) (10)", 8, 60));
    assert!(a.is_fortran && !a.is_own);
    let frame = made.frame("MAIN__", 50);
    let of = |name: &str| frame.iter().find(|v| v.name == name);
    assert_eq!(of("w").map(|w| (w.type_name.clone(), w.room)), Some(("real(kind=8) (4,6)".into(), 192)));
    assert_eq!(of("x").map(|x| x.layout.clone()), Some(number(Sort::Integer, 4)));
    assert!(of("e").is_some() && of("f").is_some());
    assert!(of("free").is_none());
}

#[test]
fn members_of_classes() {
    let source = "\
#include <complex>
struct Base { virtual ~Base() {} int n = 1; static int count; };
int Base::count;
struct Made : Base { double x[2] = {}; std::complex<float> z; bool on = true; };
struct Virtual : virtual Base { double y = 0; };
Made made;
Virtual far;
int main() { return made.n + int(far.y); }
";
    let Some(found) = Made::new("g++", "some.cpp", source, &["-g", "-O0"]) else { return };
    let made = found.only("made", 0);
    assert_eq!(made.type_name, "struct Made");
    let leaf = |at| made.layout.leaf(at).map(|leaf| (leaf.at, leaf.bytes, leaf.sort));
    assert_eq!(leaf(0), Some((0, 8, Some(Sort::Pointer))));
    assert_eq!(leaf(8), Some((8, 4, Some(Sort::Integer))));
    assert_eq!(leaf(24), Some((24, 8, Some(Sort::Float))));
    assert_eq!(leaf(36), Some((36, 4, Some(Sort::Float))));
    assert_eq!(leaf(40), Some((40, 1, None)));
    let far = found.only("far", 0);
    assert_eq!(far.layout, Layout::Memory(far.room));
}
