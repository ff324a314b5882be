use iced_x86::code_asm::*;

use super::*;

const MEMORY: Range<u64> = 0x7000..0x7040;
const AT: u64 = 0x1000;
/// A function of another object, and one that ends what is looked for.
const OTHER: u64 = 0x9000;
const END: u64 = 0x9100;
/// rbx is nothing, r13 points into the memory.
const SAVED: Option<[u64; 5]> = Some([0, 1, MEMORY.start + 16, 3, 4]);

/// What comes after a call, with a stack at 0x1f00 and a frame at 0x2000.
fn all(write: impl Fn(&mut CodeAssembler)) -> Vec<Ahead> {
    let mut code = CodeAssembler::new(64).unwrap();
    write(&mut code);
    code.ret().unwrap();
    let bytes = code.assemble(AT).unwrap();
    // A variable at rbp - 24 points to the memory, one at rbp - 4 is 3, with something else behind it.
    let read = |at: u64, bytes: &mut [u8]| {
        let mut put = |address: u64, value: u64| {
            for (i, byte) in value.to_le_bytes().into_iter().enumerate() {
                if let Some(place) = (address + i as u64).checked_sub(at).and_then(|i| bytes.get_mut(i as usize)) {
                    *place = byte;
                }
            }
        };
        put(0x1fe8, MEMORY.start);
        put(0x1ffc, 3 | 7 << 32);
        (0x1000..0x3000).contains(&at)
    };
    let elsewhere = |at: u64| if at == END { Elsewhere::Ends } else { Elsewhere::Returns(None) };
    touches_ahead(
        Start { at: AT, stack: 0x1f00, frame: 0x2000, saved: SAVED },
        (AT, &bytes),
        &[MEMORY],
        read,
        elsewhere,
    )
}

fn ahead(write: impl Fn(&mut CodeAssembler)) -> Vec<u64> {
    all(write).iter().map(|a| a.address).collect()
}

#[test]
fn elements_behind_a_pointer_on_the_stack() {
    let element = |code: &mut CodeAssembler| {
        code.mov(rax, qword_ptr(rbp - 24)).unwrap();
        code.add(rax, 20).unwrap();
        code.mov(eax, dword_ptr(rax)).unwrap();
    };
    assert_eq!(ahead(element), [0x7014]);
    let direct = |code: &mut CodeAssembler| {
        code.mov(rdx, qword_ptr(rbp - 24)).unwrap();
        code.mov(dword_ptr(rdx + 8), 99).unwrap();
        code.add(dword_ptr(rdx + 8), 98).unwrap();
        code.mov(eax, dword_ptr(rdx)).unwrap();
    };
    let does: Vec<_> = all(direct).iter().map(|a| (a.address, a.loads, a.stores)).collect();
    assert_eq!(does, [(0x7008, true, true), (0x7000, true, false)]);
}

#[test]
fn an_element_by_its_index() {
    let plain = |code: &mut CodeAssembler| {
        code.mov(eax, dword_ptr(rbp - 4)).unwrap();
        code.cdqe().unwrap();
        code.lea(rdx, qword_ptr(rax * 4)).unwrap();
        code.mov(rax, qword_ptr(rbp - 24)).unwrap();
        code.add(rax, rdx).unwrap();
        code.mov(eax, dword_ptr(rax)).unwrap();
    };
    assert_eq!(ahead(plain), [0x700c]);
    let short = |code: &mut CodeAssembler| {
        code.movsxd(rax, dword_ptr(rbp - 4)).unwrap();
        code.mov(rdx, qword_ptr(rbp - 24)).unwrap();
        code.shl(rax, 3).unwrap();
        code.mov(qword_ptr(rdx + rax), rcx).unwrap();
        code.xor(eax, eax).unwrap();
        code.mov(qword_ptr(rdx + rax * 8), rcx).unwrap();
    };
    assert_eq!(ahead(short), [0x7018, 0x7000]);
}

#[test]
fn what_is_stored_comes_back() {
    let variable = |code: &mut CodeAssembler| {
        // int i = 0; i += 1 + 4; half of it over a word's end
        code.mov(dword_ptr(rbp - 10), 1).unwrap();
        code.add(dword_ptr(rbp - 10), 4).unwrap();
        code.movsxd(rax, dword_ptr(rbp - 10)).unwrap();
        code.mov(rdx, qword_ptr(rbp - 24)).unwrap();
        code.movss(xmm0, dword_ptr(rdx + rax * 4)).unwrap();
        // A byte in the middle of it becomes unknown, and with it the index.
        code.mov(byte_ptr(rbp - 9), sil).unwrap();
        code.movsxd(rax, dword_ptr(rbp - 10)).unwrap();
        code.movss(xmm0, dword_ptr(rdx + rax * 4)).unwrap();
    };
    assert_eq!(ahead(variable), [0x7014]);
}

#[test]
fn loops_go_round() {
    // for (i = 2; i < 11; i += 4) s += mem[i];
    let round = |code: &mut CodeAssembler| {
        let (mut top, mut test) = (code.create_label(), code.create_label());
        code.mov(dword_ptr(rbp - 8), 2).unwrap();
        code.jmp(test).unwrap();
        code.set_label(&mut top).unwrap();
        code.mov(eax, dword_ptr(rbp - 8)).unwrap();
        code.cdqe().unwrap();
        code.mov(rdx, qword_ptr(rbp - 24)).unwrap();
        code.mov(eax, dword_ptr(rdx + rax * 4)).unwrap();
        code.add(dword_ptr(rbp - 12), eax).unwrap();
        code.add(dword_ptr(rbp - 8), 4).unwrap();
        code.set_label(&mut test).unwrap();
        code.cmp(dword_ptr(rbp - 8), 10).unwrap();
        code.jle(top).unwrap();
        code.mov(eax, dword_ptr(rdx)).unwrap();
    };
    assert_eq!(ahead(round), [0x7008, 0x7018, 0x7028, 0x7000]);
    // A long one before it, and one without end.
    let long = |code: &mut CodeAssembler| {
        let (mut top, mut again) = (code.create_label(), code.create_label());
        code.mov(ecx, 1_000_000).unwrap();
        code.set_label(&mut top).unwrap();
        code.sub(ecx, 1).unwrap();
        code.jne(top).unwrap();
        code.mov(rdx, qword_ptr(rbp - 24)).unwrap();
        code.mov(eax, dword_ptr(rdx + 4)).unwrap();
        code.set_label(&mut again).unwrap();
        code.jmp(again).unwrap();
    };
    assert_eq!(ahead(long), [0x7004]);
}

#[test]
fn behind_a_loop() {
    let then = |code: &mut CodeAssembler| {
        let mut top = code.create_label();
        code.mov(rdx, qword_ptr(rbp - 24)).unwrap();
        code.xor(ecx, ecx).unwrap();
        code.set_label(&mut top).unwrap();
        code.mov(eax, dword_ptr(rdx + rcx * 4)).unwrap();
        code.inc(ecx).unwrap();
        code.cmp(ecx, 12).unwrap();
        code.jl(top).unwrap();
        code.mov(dword_ptr(rdx + 60), eax).unwrap();
    };
    let found: Vec<_> = all(then).iter().map(|a| (a.address - MEMORY.start, a.round)).collect();
    assert_eq!(found[..2], [(0, 0), (4, 1)]);
    assert_eq!(found[7..], [(28, 7), (60, 0)]);
}

#[test]
fn both_ways_where_nobody_knows() {
    let either = |code: &mut CodeAssembler| {
        let mut other = code.create_label();
        code.mov(rdx, qword_ptr(rbp - 24)).unwrap();
        code.comisd(xmm0, xmm1).unwrap();
        code.ja(other).unwrap();
        code.mov(eax, dword_ptr(rdx + 8)).unwrap();
        code.ret().unwrap();
        code.set_label(&mut other).unwrap();
        code.mov(eax, dword_ptr(rdx + 12)).unwrap();
    };
    assert_eq!(ahead(either), [0x7008, 0x700c]);
    // The result of the call is MPI_SUCCESS.
    let failed = |code: &mut CodeAssembler| {
        let mut right = code.create_label();
        code.mov(rdx, qword_ptr(rbp - 24)).unwrap();
        code.test(eax, eax).unwrap();
        code.je(right).unwrap();
        code.mov(eax, dword_ptr(rdx + 8)).unwrap();
        code.set_label(&mut right).unwrap();
        code.mov(eax, dword_ptr(rdx + 12)).unwrap();
    };
    assert_eq!(ahead(failed), [0x700c]);
}

#[test]
fn functions_of_the_program_and_of_others() {
    let function = |code: &mut CodeAssembler| {
        let (mut use_it, mut out) = (code.create_label(), code.create_label());
        code.mov(rdi, qword_ptr(rbp - 24)).unwrap();
        code.call(use_it).unwrap();
        code.jmp(out).unwrap();
        code.set_label(&mut use_it).unwrap();
        code.push(rbp).unwrap();
        code.mov(rbp, rsp).unwrap();
        code.mov(qword_ptr(rbp - 8), rdi).unwrap();
        code.mov(rax, qword_ptr(rbp - 8)).unwrap();
        code.mov(eax, dword_ptr(rax + 32)).unwrap();
        code.leave().unwrap();
        code.ret().unwrap();
        code.set_label(&mut out).unwrap();
        code.call(OTHER).unwrap();
        // The frame is that of the caller again, rdi what somebody else has left.
        code.mov(eax, dword_ptr(rdi)).unwrap();
        code.mov(rdx, qword_ptr(rbp - 24)).unwrap();
        code.mov(dword_ptr(rdx + 4), eax).unwrap();
        code.call(END).unwrap();
        code.mov(dword_ptr(rdx + 4), eax).unwrap();
        code.mov(rdx, qword_ptr(rbp - 24)).unwrap();
        code.mov(eax, dword_ptr(rdx + 36)).unwrap();
    };
    let found: Vec<_> = all(function).iter().map(|a| (a.address, a.later)).collect();
    // The load behind a pointer that is not known is a guess.
    assert_eq!(found, [(0x7020, false), (0x7004, false), (0x7024, true), (0x7000, false)]);
}

#[test]
fn functions_that_are_not_linked_yet() {
    let first = |code: &mut CodeAssembler| {
        let (mut stub, mut linker, mut out) = (code.create_label(), code.create_label(), code.create_label());
        code.sub(rsp, 8).unwrap();
        code.push(rcx).unwrap();
        code.call(stub).unwrap();
        code.add(rsp, 16).unwrap();
        code.mov(rdx, qword_ptr(rsp + 0x100 - 24)).unwrap();
        code.mov(eax, dword_ptr(rdx + 12)).unwrap();
        code.jmp(out).unwrap();
        code.set_label(&mut stub).unwrap();
        code.push(5).unwrap();
        code.jmp(linker).unwrap();
        code.set_label(&mut linker).unwrap();
        code.push(qword_ptr(0x1800)).unwrap();
        code.mov(rax, OTHER).unwrap();
        code.jmp(rax).unwrap();
        code.set_label(&mut out).unwrap();
    };
    assert_eq!(ahead(first), [0x700c]);
}

#[test]
fn registers_that_calls_leave() {
    let optimised = |code: &mut CodeAssembler| {
        code.mov(eax, dword_ptr(r13 + r12 * 4)).unwrap();
        code.call(OTHER).unwrap();
        code.mov(eax, dword_ptr(r13)).unwrap();
    };
    assert_eq!(ahead(optimised), [0x7014, 0x7010]);
}

#[test]
fn blocks_that_are_copied() {
    let copy = |code: &mut CodeAssembler| {
        code.mov(rsi, qword_ptr(rbp - 24)).unwrap();
        code.add(rsi, 8).unwrap();
        code.lea(rdi, qword_ptr(rbp - 200)).unwrap();
        code.mov(ecx, 3).unwrap();
        code.rep().movsq().unwrap();
    };
    assert_eq!(all(copy), [Ahead { address: 0x7008, bytes: 8, loads: true, stores: false, round: 0, later: false }]);
    let fill = |code: &mut CodeAssembler| {
        code.mov(rdi, qword_ptr(rbp - 24)).unwrap();
        code.sub(rdi, 8).unwrap();
        code.mov(ecx, 3).unwrap();
        code.rep().stosq().unwrap();
    };
    assert_eq!(all(fill), [Ahead { address: 0x7000, bytes: 8, loads: false, stores: true, round: 0, later: false }]);
}

#[test]
fn arguments_on_the_stack() {
    let pushes = |code: &mut CodeAssembler| {
        code.push(rcx).unwrap();
        code.push(qword_ptr(rsp + 8)).unwrap();
        code.call(OTHER).unwrap();
        // The frame pointer's variable, from the stack: two words further away.
        code.mov(rdx, qword_ptr(rsp + 0x100 - 24 + 16)).unwrap();
        code.mov(dword_ptr(rdx + 12), eax).unwrap();
        code.add(rsp, 16).unwrap();
        code.mov(rdx, qword_ptr(rsp + 0x100 - 24)).unwrap();
        code.mov(eax, dword_ptr(rdx)).unwrap();
    };
    assert_eq!(ahead(pushes), [0x700c, 0x7000]);
}

#[test]
fn divisions_and_conditional_values() {
    let ring = |code: &mut CodeAssembler| {
        // mem[(3 + 1) % 3], then mem[3 > 2 ? 6 : 3]
        code.mov(eax, dword_ptr(rbp - 4)).unwrap();
        code.add(eax, 1).unwrap();
        code.cdq().unwrap();
        code.mov(ecx, 3).unwrap();
        code.idiv(ecx).unwrap();
        code.movsxd(rdx, edx).unwrap();
        code.mov(rsi, qword_ptr(rbp - 24)).unwrap();
        code.mov(eax, dword_ptr(rsi + rdx * 4)).unwrap();
        code.mov(eax, 6).unwrap();
        code.cmp(ecx, 2).unwrap();
        code.cmovle(eax, ecx).unwrap();
        code.mov(eax, dword_ptr(rsi + rax * 4)).unwrap();
    };
    assert_eq!(ahead(ring), [0x7004, 0x7018]);
}

#[test]
fn what_is_not_known() {
    // A register that a call has changed; an index; the address alone.
    let unknown = |code: &mut CodeAssembler| {
        code.mov(rax, qword_ptr(rbp - 24)).unwrap();
        code.lea(rcx, qword_ptr(rax + 4)).unwrap();
        code.call(OTHER).unwrap();
        code.mov(edx, dword_ptr(rcx + rdx * 4)).unwrap();
    };
    assert!(ahead(unknown).is_empty());
    // A pointer that may be the memory's comes last.
    let perhaps = |code: &mut CodeAssembler| {
        code.mov(ecx, dword_ptr(rdi + 12)).unwrap();
        code.mov(rax, qword_ptr(rbp - 24)).unwrap();
        code.mov(eax, dword_ptr(rax + 4)).unwrap();
        code.mov(eax, dword_ptr(rdi + 4096)).unwrap();
    };
    assert_eq!(ahead(perhaps), [0x7004, 0x700c]);
    let nowhere = |code: &mut CodeAssembler| {
        // Of another segment, of no memory, through a table nobody knows.
        code.mov(rax, qword_ptr(0x100_0000)).unwrap();
        code.mov(eax, dword_ptr(rax)).unwrap();
        code.jmp(rsi).unwrap();
    };
    assert_eq!(ahead(nowhere), [0x7000]);
}

#[test]
fn code_ends() {
    let none = |code: &[u8]| {
        let start = Start { at: AT, stack: 0, frame: 0, saved: None };
        touches_ahead(start, (AT, code), &[MEMORY], |_, _| false, |_| Elsewhere::Returns(None))
    };
    assert!(none(&[]).is_empty() && none(&[0x8b]).is_empty() && none(&[0x0f, 0x0b]).is_empty());
}
