//! The names of things in findings.

use warpwise_ptx::ast::Space;

use crate::memory;
use crate::program::{Kernel, Program};
use crate::warp::Context;

/// The plain name of a variable: `tile` for `_ZZ6kernelPfE4tile`.
///
/// ```
/// assert_eq!(warpwise_simt::plain_name("_ZZ6kernelPfE4tile"), "tile");
/// ```
pub fn plain_name(symbol: &str) -> String {
    let Some(mangled) = symbol.strip_prefix("_Z") else { return symbol.to_owned() };
    let mangled = mangled.strip_suffix('E').unwrap_or(mangled);
    // The variable comes last: its length, its name, and for all but the first of that name a number.
    let bytes = mangled.as_bytes();
    for at in (0..bytes.len()).rev().filter(|&at| bytes[at].is_ascii_digit()) {
        if at > 0 && bytes[at - 1].is_ascii_digit() {
            continue;
        }
        let digits = mangled[at..].bytes().take_while(u8::is_ascii_digit).count();
        let Ok(len) = mangled[at..at + digits].parse::<usize>() else { continue };
        let start = at + digits;
        let Some(name) = mangled.get(start..start.saturating_add(len)).filter(|_| len > 0) else { continue };
        let rest = &mangled[start + len..];
        let again = rest.strip_prefix('_').is_some_and(|n| n.bytes().all(|b| b.is_ascii_digit() || b == b'_'));
        if (rest.is_empty() || again) && !name.as_bytes()[0].is_ascii_digit() {
            return name.to_owned();
        }
    }
    symbol.to_owned()
}

/// A variable of a block's shared memory.
#[derive(Clone, Debug)]
pub(super) struct SharedVariable {
    /// Its key among the kernel's shared variables.
    pub(super) key: Box<str>,
    pub(super) name: String,
    pub(super) start: u64,
    pub(super) end: u64,
    /// `extern __shared__`: as large as the launch says.
    pub(super) dynamic: bool,
}

/// The shared variables of a kernel, by address; the dynamic array ends where shared memory does.
pub(super) fn shared_variables(program: &Program, kernel: &Kernel, shared_bytes: u32) -> Vec<SharedVariable> {
    let module = program.module();
    let mut variables: Vec<SharedVariable> = kernel
        .shared
        .iter()
        .filter_map(|(key, &offset)| {
            let mut parts = key.split('/');
            let (first, second, number) = (parts.next()?, parts.next(), parts.next());
            let variable = match (second, number) {
                (Some(_), Some(number)) => {
                    let body = module.function(first)?.body.as_ref()?;
                    body.variables.get(number.parse::<usize>().ok()?)?
                }
                _ => module.variable(first).filter(|v| v.space == Space::Shared)?,
            };
            let start = u64::from(offset);
            let dynamic = variable.size == 0;
            let end = if dynamic { u64::from(shared_bytes) } else { start + variable.size };
            Some(SharedVariable { key: key.clone(), name: plain_name(&variable.name), start, end, dynamic })
        })
        .collect();
    variables.sort_by(|a, b| (a.start, &a.key).cmp(&(b.start, &b.key)));
    variables
}

/// The names of a launch's allocations, in the order of its views.
pub(super) fn views(launch: &Context<'_>, kernel: &Kernel) -> Vec<Option<String>> {
    let params = launch.views.iter().find(|v| v.base == memory::PARAM);
    let argument = |base: u64, end: u64| {
        let params = params?;
        kernel.params.iter().position(|p| {
            let inside = p.size == 8 && u64::from(p.offset) + 8 <= params.end - params.base;
            inside && {
                // SAFETY: the parameter block is as long as the view says, and nobody writes to it.
                let value = unsafe { params.host.add(p.offset as usize).cast::<u64>().read_unaligned() };
                (base..end).contains(&value)
            }
        })
    };
    launch
        .views
        .iter()
        .map(|view| {
            let given = launch.memory.allocation(view.base).filter(|a| a.base == view.base);
            let given = given.and_then(|a| a.name.as_deref()).map(str::to_owned);
            given.or_else(|| argument(view.base, view.end).map(|n| format!("argument {n}")))
        })
        .collect()
}

/// `(x, y, z)` with no more axes than the shape has.
pub(super) fn index([x, y, z]: [u32; 3], shape: [u32; 3]) -> String {
    match shape {
        [_, 1, 1] => x.to_string(),
        [_, _, 1] => format!("({x}, {y})"),
        _ => format!("({x}, {y}, {z})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_names() {
        for (symbol, name) in [
            ("tile", "tile"),
            ("_ZZ6reduceE1s", "s"),
            ("_ZZ6kernelPfE4tile", "tile"),
            ("_ZZ4pipePKjPjE4tile_0", "tile"),
            ("_ZL5table", "table"),
            ("_ZN3lab5tableE", "table"),
            ("_ZZN5block3sumIfEET_S1_E4room", "room"),
            ("_Z", "_Z"),
            ("_ZZ99999999999999999999E", "_ZZ99999999999999999999E"),
            ("__shared_17", "__shared_17"),
        ] {
            assert_eq!(plain_name(symbol), name);
        }
    }

    #[test]
    fn indices_have_the_axes_of_their_shape() {
        assert_eq!(index([5, 0, 0], [32, 1, 1]), "5");
        assert_eq!(index([5, 2, 0], [16, 16, 1]), "(5, 2)");
        assert_eq!(index([5, 2, 1], [4, 4, 4]), "(5, 2, 1)");
    }
}
