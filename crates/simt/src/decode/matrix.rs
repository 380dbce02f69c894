//! Matrix instructions: `mma`, `wmma`, `ldmatrix`, `stmatrix`, `movmatrix`.

use warpwise_ptx::ast::{Instruction, Operand, ScalarType};

use super::lowering::{Lowering, op};
use super::modifiers::Modifiers;
use crate::image::MatrixOp;
use crate::lanes::Op;
use crate::lanes::matrix::{ADDRESS_32, IN_SHARED, matrix};
use crate::mma::{MmaSpec, Wmma};

pub(super) fn decode(cx: &mut Lowering<'_>, i: &Instruction, m: &Modifiers<'_>) -> Option<Op> {
    match &*i.opcode {
        "mma" => {
            let spec = MmaSpec::parse(&i.opcode, m.words())?;
            let r = spec.registers();
            let width = if spec.is_f64() { 8 } else { 4 };
            let [d, a, b, c] = &i.operands[..] else { return None };
            let fragments = [(d, r.d), (a, r.a), (b, r.b), (c, r.c)];
            product(cx, MatrixOp::Mma(spec), &fragments, width)
        }
        "wmma" => match Wmma::parse(&i.opcode, m.words())? {
            Wmma::Mma(mma) => {
                let width = if mma.is_f64() { 8 } else { 4 };
                let [d, a, b, c] = &i.operands[..] else { return None };
                let registers = [mma.d.registers, mma.a.registers, mma.b.registers, mma.c.registers];
                let fragments = [(d, registers[0]), (a, registers[1]), (b, registers[2]), (c, registers[3])];
                product(cx, MatrixOp::WmmaMma(mma), &fragments, width)
            }
            transfer @ (Wmma::Load { fragment, .. } | Wmma::Store { fragment, .. }) => {
                let (registers, address, stride) = match (&i.operands[..], transfer) {
                    ([d, p, rest @ ..], Wmma::Load { .. }) => (d, p, rest.first()),
                    ([p, d, rest @ ..], _) => (d, p, rest.first()),
                    _ => return None,
                };
                let width = if fragment.element.bits() == 64 { 8 } else { 4 };
                let slots = registers_of(cx, registers, fragment.registers, width)?;
                let stride = match stride {
                    Some(stride) => cx.src(stride, ScalarType::U32)?,
                    None => 0,
                };
                with_address(cx, MatrixOp::wmma(transfer), address, &slots, stride, m)
            }
        },
        "ldmatrix" | "stmatrix" => {
            (m.has("m8n8") && m.has("b16")).then_some(())?;
            let count = match m.one_of(&["x1", "x2", "x4"])? {
                "x1" => 1,
                "x2" => 2,
                _ => 4,
            };
            let transposed = m.has("trans");
            let [first, second] = &i.operands[..] else { return None };
            let (kind, registers, address) = if &*i.opcode == "ldmatrix" {
                (MatrixOp::LoadMatrix { count, transposed }, first, second)
            } else {
                (MatrixOp::StoreMatrix { count, transposed }, second, first)
            };
            let slots = registers_of(cx, registers, count, 4)?;
            with_address(cx, kind, address, &slots, 0, m)
        }
        "movmatrix" => {
            let [d, a] = &i.operands[..] else { return None };
            let slots = [cx.dst(d, 4)?, cx.src(a, ScalarType::B32)?];
            Some(finish(cx, MatrixOp::Transpose, &slots))
        }
        _ => None,
    }
}

/// The registers of a fragment: a vector, or one register.
fn registers_of(cx: &mut Lowering<'_>, operand: &Operand, count: usize, width: u32) -> Option<Vec<u32>> {
    let ty = if width == 8 { ScalarType::B64 } else { ScalarType::B32 };
    let list = match operand {
        Operand::Vector(list) => &list[..],
        other => std::slice::from_ref(other),
    };
    (list.len() == count).then_some(())?;
    list.iter().map(|r| cx.src(r, ty)).collect()
}

fn product(cx: &mut Lowering<'_>, kind: MatrixOp, fragments: &[(&Operand, usize); 4], width: u32) -> Option<Op> {
    let mut slots = Vec::new();
    for (n, (operand, count)) in fragments.iter().enumerate() {
        let registers = registers_of(cx, operand, *count, width)?;
        // The destination must be registers: a constant cannot be written to.
        let writable = |o: &Operand| matches!(o, Operand::Register(_));
        let ok = n > 0 || matches!(operand, Operand::Vector(list) if list.iter().all(writable)) || writable(operand);
        ok.then_some(())?;
        slots.extend(registers);
    }
    Some(finish(cx, kind, &slots))
}

fn finish(cx: &mut Lowering<'_>, kind: MatrixOp, slots: &[u32]) -> Op {
    let b = cx.slot_list(slots);
    let aux = cx.parts.matrix_ops.len() as u32;
    cx.parts.matrix_ops.push(kind);
    Op { aux, b, ..op(matrix, 0, &[]) }
}

fn with_address(
    cx: &mut Lowering<'_>,
    kind: MatrixOp,
    address: &Operand,
    slots: &[u32],
    stride: u32,
    m: &Modifiers<'_>,
) -> Option<Op> {
    let place = cx.address(address)?;
    let (a, width, imm) = place.register()?;
    let shared = m.words().iter().any(|w| w.starts_with("shared"));
    let decoded = finish(cx, kind, slots);
    let d = if shared { IN_SHARED } else { 0 } | if width == 4 { ADDRESS_32 } else { 0 };
    Some(Op { a, imm, d, c: stride, ..decoded })
}
