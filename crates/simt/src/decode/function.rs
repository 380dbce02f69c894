//! Decoding a whole function.

use warpwise_ptx::ast::{Function, Space, Variable};

use super::lookup::Lookup;
use super::lowering::{Lowering, guard, nothing, op, param_bytes};
use super::{event, flow, headers, instruction};
use crate::image::event::Event;
use crate::lanes::{Level, Op, control};
use crate::program::{FunctionCode, Home, LoadError, Origin, Parts};

/// Local memory that a function may declare: as much as hardware gives a thread.
const MAX_LOCAL: u64 = 512 << 10;
/// Registers and constants of a function, in bytes of a warp's frame.
const MAX_FRAME: u64 = 64 << 20;

/// Decodes the function of that number and appends it to the program.
pub(super) fn decode(lookup: &Lookup<'_>, index: usize, level: Level, parts: &mut Parts) -> Result<(), LoadError> {
    let function = &lookup.module.functions[index];
    let start = parts.code.len() as u32;
    let Some(body) = &function.body else {
        parts.functions.push(FunctionCode {
            name: function.name.clone(),
            start: None,
            end: 0,
            frame_bytes: 64,
            local_bytes: 0,
            param_bytes: 0,
            registers: Vec::new(),
            params: Vec::new(),
            returns: Vec::new(),
            locals: Vec::new(),
            specials: Vec::new(),
            constants: Vec::new(),
        });
        return Ok(());
    };
    let mut cx = Lowering::new(lookup, function, body, level, parts);
    place_variables(&mut cx, function)?;
    let meets = flow::reconvergence(body, cx.is_kernel());
    let mut code = Vec::with_capacity(body.instructions.len() + 1);
    let mut events = Vec::with_capacity(body.instructions.len() + 1);
    for (at, i) in body.instructions.iter().enumerate() {
        let decoded = guard(&cx, i.guard).and_then(|(slot, flip)| {
            let op = instruction(&mut cx, i)?;
            Some(Op { guard: slot, flip, ..op })
        });
        events.push(decoded.as_ref().map(|op| event::event(&mut cx, i, op)).unwrap_or_default());
        let mut decoded = decoded.unwrap_or(Op { run: control::unsupported, ..nothing() });
        decoded.rpc = match meets[at] {
            flow::Meet::Instruction(target) => start + target,
            flow::Meet::Return => crate::warp::RETURN,
        };
        code.push(decoded);
    }
    code.push(op(control::ret, 0, &[]));
    events.push(Event::Return);
    let function_code = FunctionCode {
        name: function.name.clone(),
        start: Some(start),
        end: start + body.instructions.len() as u32,
        frame_bytes: cx.frame_bytes(),
        local_bytes: cx.local_bytes,
        param_bytes: if cx.is_kernel() { param_bytes(function).min(u32::MAX.into()) as u32 } else { 0 },
        registers: cx.registers(),
        params: std::mem::take(&mut cx.params),
        returns: std::mem::take(&mut cx.returns),
        locals: locals(&cx),
        specials: cx.specials(),
        constants: cx.constants(),
    };
    if u64::from(function_code.frame_bytes) > MAX_FRAME {
        let what = format!("the registers of {}", function.name);
        return Err(LoadError::TooLarge { what, size: function_code.frame_bytes.into(), limit: MAX_FRAME });
    }
    let function_index = parts.functions.len() as u32;
    let origin = |span, (line, inner)| Origin { function: function_index, span, line, inner };
    parts.origins.extend(body.instructions.iter().map(|i| origin(i.span, headers::shown(lookup, i))));
    parts.origins.push(origin(function.span, (None, None)));
    parts.code.extend(code);
    parts.events.extend(events);
    parts.functions.push(function_code);
    Ok(())
}

/// The `.local` variables of the body: number, offset and size.
fn locals(cx: &Lowering<'_>) -> Vec<(u32, u32, u32)> {
    let variables = cx.body.variables.iter().zip(&cx.variables).enumerate();
    variables
        .filter_map(|(number, (variable, home))| match home {
            Some(Home::Local { offset, size }) if variable.space == Space::Local => {
                Some((number as u32, *offset, *size))
            }
            _ => None,
        })
        .collect()
}

/// Places parameters, return values and the body's variables in local memory.
fn place_variables(cx: &mut Lowering<'_>, function: &Function) -> Result<(), LoadError> {
    let mut next = 0u64;
    let mut place = |variable: &Variable| -> Result<Home, LoadError> {
        let offset = next.next_multiple_of(u64::from(variable.align.clamp(1, 4096)));
        next = offset.saturating_add(variable.size);
        if next > MAX_LOCAL {
            let what = format!("the local memory of {}", function.name);
            return Err(LoadError::TooLarge { what, size: next, limit: MAX_LOCAL });
        }
        Ok(Home::Local { offset: offset as u32, size: variable.size as u32 })
    };
    let kernel = cx.is_kernel();
    let (mut params, mut returns, mut variables) = (Vec::new(), Vec::new(), Vec::new());
    for (list, homes) in [(&function.params, &mut params), (&function.returns, &mut returns)] {
        for parameter in list.iter().filter(|_| !kernel) {
            let home = match parameter.register {
                Some(id) => super::call::register_home(cx, id),
                None => None,
            };
            homes.push(match home {
                Some(home) => home,
                None => place(&parameter.variable)?,
            });
        }
    }
    for variable in &cx.body.variables {
        variables.push(match variable.space {
            Space::Local | Space::Param => Some(place(variable)?),
            _ => None,
        });
    }
    (cx.params, cx.returns, cx.variables) = (params, returns, variables);
    cx.local_bytes = next.next_multiple_of(16) as u32;
    Ok(())
}
