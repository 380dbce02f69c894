//! Textures and surfaces: `tex`, `tld4`, `suld`, `sust`, `txq`, `suq`.

use warpwise_ptx::ast::{Instruction, Operand, ScalarType};

use super::lowering::{Lowering, op};
use super::modifiers::Modifiers;
use crate::image::{LevelSlots, Outside, TextureOp, TextureVerb};
use crate::lanes::{Op, texture};
use crate::texture::ImageKind;

pub(super) fn decode(cx: &mut Lowering<'_>, i: &Instruction, m: &Modifiers<'_>) -> Option<Op> {
    let decoded = match &*i.opcode {
        "tex" => sample(cx, i, m)?,
        "tld4" => gather(cx, i, m)?,
        "suld" => load(cx, i, m)?,
        "sust" => store(cx, i, m)?,
        "txq" | "suq" => query(cx, i, m)?,
        _ => return None,
    };
    let aux = cx.parts.textures.len() as u32;
    cx.parts.textures.push(decoded);
    Some(Op { aux, ..op(texture::texture, 0, &[]) })
}

/// The dimensions that an instruction is for.
fn kind(m: &Modifiers<'_>) -> Option<ImageKind> {
    Some(match m.one_of(&["1d", "2d", "3d", "a1d", "a2d", "cube", "acube"])? {
        "1d" => ImageKind::Line,
        "2d" => ImageKind::Plane,
        "3d" => ImageKind::Volume,
        "a1d" => ImageKind::Lines,
        "a2d" => ImageKind::Planes,
        "cube" => ImageKind::Cube,
        _ => ImageKind::Cubes,
    })
}

/// Coordinates that an instruction takes, beside the number of a layer.
fn axes(kind: ImageKind) -> usize {
    match kind {
        ImageKind::Line | ImageKind::Lines => 1,
        ImageKind::Plane | ImageKind::Planes => 2,
        ImageKind::Volume | ImageKind::Cube | ImageKind::Cubes => 3,
    }
}

/// What all of them have: `[handle, coordinates]`, where the number of a layer is the first coordinate.
fn place(cx: &mut Lowering<'_>, operand: &Operand, kind: ImageKind, ty: ScalarType) -> Option<TextureOp> {
    let Operand::Bracket(parts) = operand else { return None };
    let [handle, coordinates] = &parts[..] else { return None };
    let handle = cx.src(handle, ScalarType::U64)?;
    let mut list = match coordinates {
        Operand::Vector(list) => &list[..],
        single => std::slice::from_ref(single),
    };
    let mut layer = None;
    if matches!(kind, ImageKind::Lines | ImageKind::Planes | ImageKind::Cubes) {
        let (first, rest) = list.split_first()?;
        layer = Some(cx.src(first, ScalarType::U32)?);
        list = rest;
    }
    let coordinates = list.get(..axes(kind))?.iter().map(|c| cx.src(c, ty)).collect::<Option<Vec<_>>>()?;
    Some(TextureOp {
        verb: TextureVerb::Sample,
        kind: Some(kind),
        handle,
        layer,
        level: LevelSlots::Base,
        coordinates,
        whole: ty != ScalarType::F32,
        values: Vec::new(),
        float: false,
        signed: false,
        element: 4,
        outside: Outside::Trap,
    })
}

/// The four 32-bit results of a texture instruction.
fn results(cx: &mut Lowering<'_>, operand: &Operand, ty: ScalarType) -> Option<Vec<(u32, u32)>> {
    let Operand::Vector(list) = operand else { return None };
    let known = matches!(ty, ScalarType::F32 | ScalarType::S32 | ScalarType::U32);
    (list.len() == 4 && known).then_some(())?;
    list.iter().map(|d| Some((cx.dst(d, 4)?, 4))).collect()
}

/// `tex{.level|.grad}.KIND.v4.TYPE.COORDINATES {d}, [handle, {c}] {, level | slopes}`.
fn sample(cx: &mut Lowering<'_>, i: &Instruction, m: &Modifiers<'_>) -> Option<TextureOp> {
    let more = usize::from(m.has("level")) + 2 * usize::from(m.has("grad"));
    (i.operands.len() == 2 + more).then_some(())?;
    let (result, coordinate) = (m.type_at(0)?, m.type_at(1)?);
    matches!(coordinate, ScalarType::F32 | ScalarType::S32).then_some(())?;
    let kind = kind(m)?;
    let place = place(cx, i.operands.get(1)?, kind, coordinate)?;
    let values = results(cx, i.operands.first()?, result)?;
    let level = match &i.operands[2..] {
        // The level has the type of the coordinates.
        [level] => LevelSlots::Number(cx.src(level, coordinate)?),
        [x, y] => LevelSlots::Slopes([slopes(cx, x, kind)?, slopes(cx, y, kind)?]),
        _ => LevelSlots::Base,
    };
    Some(TextureOp { values, float: result == ScalarType::F32, level, ..place })
}

/// By how much each coordinate changes; what fills up the vector is left out.
fn slopes(cx: &mut Lowering<'_>, operand: &Operand, kind: ImageKind) -> Option<Vec<u32>> {
    let list = match operand {
        Operand::Vector(list) => &list[..],
        single => std::slice::from_ref(single),
    };
    list.get(..axes(kind))?.iter().map(|slope| cx.src(slope, ScalarType::F32)).collect()
}

/// `tld4.CHANNEL.2d.v4.TYPE.f32 {d}, [handle, {x, y}]`.
fn gather(cx: &mut Lowering<'_>, i: &Instruction, m: &Modifiers<'_>) -> Option<TextureOp> {
    let [d, at] = &i.operands[..] else { return None };
    let channel = ["r", "g", "b", "a"].iter().position(|name| m.has(name))?;
    let (result, kind) = (m.type_at(0)?, kind(m).filter(|kind| *kind == ImageKind::Plane)?);
    let place = place(cx, at, kind, ScalarType::F32)?;
    let values = results(cx, d, result)?;
    Some(TextureOp { verb: TextureVerb::Gather(channel), values, float: result == ScalarType::F32, ..place })
}

fn outside(m: &Modifiers<'_>) -> Outside {
    match m.one_of(&["clamp", "zero"]) {
        Some("clamp") => Outside::Clamp,
        Some(_) => Outside::Zero,
        None => Outside::Trap,
    }
}

/// Slots and widths of registers, one or several.
fn registers(cx: &mut Lowering<'_>, operand: &Operand, count: usize) -> Option<Vec<(u32, u32)>> {
    let list = match operand {
        Operand::Vector(list) => &list[..],
        single => std::slice::from_ref(single),
    };
    (list.len() == count).then_some(())?;
    let register = |operand: &Operand| match operand {
        Operand::Register(id) => {
            let ty = cx.register_type(*id).filter(|ty| *ty != ScalarType::Pred)?;
            Some((cx.register(*id)?, ty.bytes()))
        }
        _ => None,
    };
    list.iter().map(register).collect()
}

/// `suld.b.KIND{.vN}.bM.OUTSIDE {d}, [handle, {x, ...}]`: x counts bytes.
fn load(cx: &mut Lowering<'_>, i: &Instruction, m: &Modifiers<'_>) -> Option<TextureOp> {
    let [d, at] = &i.operands[..] else { return None };
    let element = m.ty()?.bytes();
    m.has("b").then_some(())?;
    let place = place(cx, at, kind(m)?, ScalarType::S32)?;
    let values = registers(cx, d, m.vector())?;
    values.iter().all(|(_, width)| *width >= element).then_some(())?;
    Some(TextureOp { verb: TextureVerb::Load, values, element, outside: outside(m), ..place })
}

/// `sust.b` as `suld.b`; `sust.p.KIND{.vN}.TYPE.OUTSIDE [handle, {x, ...}], {values}`: x counts texels.
fn store(cx: &mut Lowering<'_>, i: &Instruction, m: &Modifiers<'_>) -> Option<TextureOp> {
    let [at, from] = &i.operands[..] else { return None };
    let ty = m.ty()?;
    let verb = if m.has("p") { TextureVerb::StoreFormatted } else { TextureVerb::Store };
    let place = place(cx, at, kind(m)?, ScalarType::S32)?;
    let values = registers(cx, from, m.vector())?;
    let least = if verb == TextureVerb::Store { ty.bytes() } else { 4 };
    values.iter().all(|(_, width)| *width >= least).then_some(())?;
    let (float, signed) = (ty == ScalarType::F32, ty == ScalarType::S32);
    Some(TextureOp { verb, values, float, signed, element: ty.bytes(), outside: outside(m), ..place })
}

/// `txq.WHAT.b32 d, [handle]`.
fn query(cx: &mut Lowering<'_>, i: &Instruction, m: &Modifiers<'_>) -> Option<TextureOp> {
    let [d, handle] = &i.operands[..] else { return None };
    let axis = ["width", "height", "depth"].iter().position(|name| m.has(name))?;
    let (handle, width, offset) = cx.address(handle)?.register()?;
    (width == 8 && offset == 0).then_some(())?;
    let values = vec![(cx.dst(d, 4)?, 4)];
    Some(TextureOp {
        verb: TextureVerb::Query(axis),
        kind: None,
        handle,
        layer: None,
        level: LevelSlots::Base,
        coordinates: Vec::new(),
        whole: true,
        values,
        float: false,
        signed: false,
        element: 4,
        outside: Outside::Trap,
    })
}
