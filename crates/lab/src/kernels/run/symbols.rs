//! Variables of a module, set before the launch: `--symbol NAME=ARG`, what `cudaMemcpyToSymbol` does in a program.

use super::error::RunError;
use super::structure::Struct;
use std::fmt::Write;
use warpwise_gpu::symbol::demangle;
use warpwise_gpu::{Device, Module};
use warpwise_ptx::ast::{self, Space, Variable};
use warpwise_simt::plain_name;

/// A variable and its contents, as `--symbol` gives them.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Setting {
    name: String,
    value: Struct,
    /// Whether the value is an array, which may be shorter than its variable.
    is_array: bool,
}

impl Setting {
    /// Reads `NAME=ARG`.
    pub(super) fn parse(text: &str) -> Result<Self, RunError> {
        let failed = |problem: String| RunError::Symbol {
            problem: format!(
                "--symbol {text}: {problem}.\nWrite NAME=ARG with ARG as for --arg: scale=f32=0.5, taps=f32[9]:ones, \
                 taps=f32[]:file:taps.npy, limits={{i32=0, i32=255}}"
            ),
        };
        let (name, value) = text.split_once('=').ok_or_else(|| failed("there is no `=`".into()))?;
        let (name, value) = (name.trim(), value.trim());
        if name.is_empty() {
            return Err(failed("the name of the variable is missing".into()));
        }
        let contents = Struct::single(value).map_err(failed)?;
        if !contents.pointers.is_empty() {
            return Err(failed("a pointer to a buffer can only be passed as an argument of the kernel".into()));
        }
        let is_array = !value.starts_with('{') && value.find('[').is_some_and(|at| !value[..at].contains('='));
        Ok(Self { name: name.to_owned(), value: contents, is_array })
    }

    /// The variable that is meant: by its name in PTX, its name in the source, or the last part of that.
    fn variable<'m>(&self, module: &'m ast::Module) -> Result<&'m Variable, RunError> {
        let all: Vec<&Variable> = variables(module).collect();
        let readings: [fn(&Variable) -> String; 3] = [
            |v| v.name.to_string(),
            |v| source_name(&v.name),
            |v| source_name(&v.name).rsplit("::").next().unwrap_or_default().to_owned(),
        ];
        for reading in readings {
            let fitting: Vec<_> = all.iter().filter(|v| reading(v) == self.name).collect();
            match fitting.as_slice() {
                [] => {}
                [only] => return Ok(only),
                _ => {
                    let problem = format!("--symbol {}: {} variables have that name", self.name, fitting.len());
                    return Err(RunError::Symbol { problem: problem + &list(&all) });
                }
            }
        }
        let problem = format!("--symbol {}: the file has no such __constant__ or __device__ variable", self.name);
        Err(RunError::Symbol { problem: problem + &list(&all) })
    }

    /// Why the contents do not fit the variable.
    fn misfit(&self, variable: &Variable) -> Option<String> {
        let (given, size) = (self.value.bytes.len() as u64, variable.size);
        let fits = if self.is_array { given <= size } else { given == size };
        (!fits).then(|| format!("--symbol {}: the variable has {size} bytes, {given} given", self.name))
    }
}

/// Finds the variables and checks that their contents fit; returns their names in PTX, in the order of the settings.
pub(super) fn resolve(settings: &[Setting], module: &ast::Module) -> Result<Vec<String>, RunError> {
    let one = |setting: &Setting| {
        let variable = setting.variable(module)?;
        match setting.misfit(variable) {
            Some(problem) => Err(RunError::Symbol { problem: problem + &list(&[variable]) }),
            None => Ok(variable.name.to_string()),
        }
    };
    settings.iter().map(one).collect()
}

/// Copies the contents to the device.
pub(super) fn upload(
    device: &mut dyn Device,
    module: Module,
    settings: &[Setting],
    names: &[String],
) -> Result<(), RunError> {
    for (setting, name) in settings.iter().zip(names) {
        let missing =
            || RunError::Symbol { problem: format!("--symbol {}: the device has no such variable", setting.name) };
        let (at, _) = device.variable(module, name).ok_or_else(missing)?;
        if !setting.value.bytes.is_empty() {
            device.upload(at, &setting.value.bytes)?;
        }
    }
    Ok(())
}

/// The variables of a module that a program can set. Those that the compiler made for itself have a `$` in their names,
/// and those of the standard library are constants of its types.
pub(in crate::kernels) fn variables(module: &ast::Module) -> impl Iterator<Item = &Variable> {
    let spaces = |v: &&Variable| matches!(v.space, Space::Global | Space::Const);
    let foreign = ["__unnamed", "_ZSt", "_ZNSt", "_ZNKSt"];
    let own = move |v: &&Variable| !v.name.contains('$') && !foreign.iter().any(|prefix| v.name.starts_with(prefix));
    module.variables.iter().filter(spaces).filter(own)
}

/// The name of a variable in the source.
pub(in crate::kernels) fn source_name(symbol: &str) -> String {
    let name = demangle(symbol).map_or_else(|| plain_name(symbol), |demangled| demangled.name);
    name.trim_start_matches("::").to_owned()
}

/// The keyword that declares a variable in its space.
pub(in crate::kernels) fn keyword(space: Space) -> &'static str {
    match space {
        Space::Const => "__constant__",
        Space::Shared => "__shared__",
        _ => "__device__",
    }
}

fn list(all: &[&Variable]) -> String {
    if all.is_empty() {
        return ". It has no variables that can be set".to_owned();
    }
    let mut text = String::from(". The variables are:");
    for variable in all {
        let (name, keyword, size) = (source_name(&variable.name), keyword(variable.space), variable.size);
        let _ = write!(text, "\n  {name} ({keyword}, {size} bytes)");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn module() -> ast::Module {
        let text = ".version 7.0\n.target sm_70\n.address_size 64\n.const .align 4 .b8 taps[36];\n\
            .global .u32 count = 3;\n.global .align 1 .b8 $str[4];\n.global .align 4 .u32 _ZN5outer5limitE;\n\
            .const .align 4 .u32 _ZN5other5limitE;\n";
        warpwise_ptx::parse(text).expect("it is PTX")
    }

    fn resolved(texts: &[&str]) -> Result<Vec<String>, String> {
        let settings: Result<Vec<Setting>, _> = texts.iter().map(|text| Setting::parse(text)).collect();
        settings.and_then(|settings| resolve(&settings, &module())).map_err(|error| error.to_string())
    }

    #[test]
    fn variables_are_found_by_their_names() {
        assert_eq!(resolved(&["taps=f32[9]:ones", "count=u32=7"]).unwrap(), ["taps", "count"]);
        assert_eq!(resolved(&["outer::limit=i32=7"]).unwrap(), ["_ZN5outer5limitE"]);
        assert_eq!(resolved(&["taps=f32[4]:ones"]).unwrap(), ["taps"], "an array may be shorter");
        assert_eq!(resolved(&["taps={f32[8]:ones, u32=1}"]).unwrap(), ["taps"]);
    }

    #[test]
    fn mistakes_list_the_variables() {
        for (text, problem) in [
            (
                "tap=f32[9]:ones",
                "no such __constant__ or __device__ variable. The variables are:\n  taps (__constant__, 36",
            ),
            ("taps=f32[10]:ones", "has 36 bytes, 40 given"),
            ("count=u64=7", "has 4 bytes, 8 given"),
            ("taps={f32=1}", "has 36 bytes, 4 given"),
            ("limit=u32=1", "2 variables have that name"),
            ("taps", "there is no `=`"),
            ("=u32=1", "the name of the variable is missing"),
            ("taps=f32", "neither a scalar nor a buffer"),
            ("taps=ptr:f32[4]:ones", "only be passed as an argument"),
            ("$str=u32=1", "no such"),
        ] {
            let error = resolved(&[text]).unwrap_err();
            assert!(error.contains(problem) && error.starts_with("--symbol "), "{text}: {error}");
        }
    }
}
