//! What is in a file: its kernels and what they take, its variables, its target.

mod images;
mod render;

pub use images::ImageInfo;

use crate::kernels::run::RunError;
use crate::kernels::run::program::{self, KernelFile, Options};
use crate::kernels::run::signature::{Parameter, Signature};
use crate::kernels::run::symbols::{keyword, source_name, variables};
use crate::kernels::run::unset::{names, reached, reads, suggestion};
use serde::Serialize;
use std::collections::BTreeSet;
use std::path::PathBuf;
use warpwise_gpu::Gpu;
use warpwise_ptx::ast::{Function, Instruction, Module, Space, Variable};
use warpwise_simt::Kernel;

/// What to look at.
#[derive(Clone, Debug)]
pub struct Request {
    /// A `.ptx` or `.cu` file, or one that holds compiled code: a fatbinary, cubin, object, library or program.
    pub file: PathBuf,
    /// A template instance to compile too.
    pub entry: Option<String>,
    /// The GPU that CUDA C++ is compiled for, and that the PTX of several is chosen for.
    pub gpu: String,
    /// Whether CUDA C++ is compiled without optimisation.
    pub debug: bool,
    /// Macros for the compiler.
    pub defines: Vec<String>,
    /// Folders with headers for the compiler.
    pub includes: Vec<PathBuf>,
}

/// What is in a file: its fields are the JSON, in order.
#[derive(Clone, Debug, Serialize)]
pub struct InspectReport {
    /// Version of this format.
    pub schema: u32,
    /// The file, as given.
    pub file: String,
    /// `PTX` or `CUDA C++`.
    pub language: &'static str,
    /// What compiled the CUDA C++.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compiler: Option<String>,
    /// What the file is if it holds compiled code: `program`, `fatbinary`, `cubin` or `archive`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub container: Option<&'static str>,
    /// The images of such a file.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub images: Vec<ImageInfo>,
    /// Version of PTX: `8.4`. Empty, as is the target, for a file of machine code with no PTX.
    pub ptx_version: String,
    /// The architecture that the PTX is for: `sm_90`.
    pub target: String,
    /// Bits of an address.
    pub address_size: u32,
    /// Whether instructions know their source lines.
    pub line_info: bool,
    /// The kernels.
    pub kernels: Vec<KernelInfo>,
    /// Kernel templates of the source, by their declarations; an instance exists when it is asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub templates: Vec<String>,
    /// `__constant__`, `__device__` and `__shared__` variables.
    pub variables: Vec<VariableInfo>,
    /// Remarks for the user.
    #[serde(skip)]
    pub notes: Vec<String>,
}

/// A kernel.
#[derive(Clone, Debug, Serialize)]
pub struct KernelInfo {
    /// Its name in the source.
    pub name: String,
    /// Its name in PTX.
    pub symbol: String,
    /// Its declaration, as far as it is known.
    pub signature: String,
    /// Its parameters.
    pub parameters: Vec<ParameterInfo>,
    /// Bytes of shared memory that it declares.
    pub static_shared: u32,
    /// Whether it uses dynamic shared memory, whose size the launch says.
    pub dynamic_shared: bool,
    /// The largest block, if it declares one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_threads: Option<[u32; 3]>,
    /// The only block that it takes, if it declares one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub required_threads: Option<[u32; 3]>,
    /// Whether it may print.
    pub prints: bool,
    /// The `__constant__` and `__device__` variables that it uses.
    pub variables: Vec<String>,
}

/// A parameter of a kernel.
#[derive(Clone, Debug, Serialize)]
pub struct ParameterInfo {
    /// Its name, if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its C++ type if it is known, else that of PTX.
    #[serde(rename = "type")]
    pub ty: String,
    /// Its type in PTX.
    pub ptx_type: String,
    /// Its size.
    pub bytes: u32,
    /// Its offset in the parameter block.
    pub offset: u32,
    /// What `--arg` takes for it: LEN, VALUE, TYPE and MEMBER are to be replaced.
    pub arg: String,
}

/// A variable.
#[derive(Clone, Debug, Serialize)]
pub struct VariableInfo {
    /// Its name in the source.
    pub name: String,
    /// Its name in PTX.
    pub symbol: String,
    /// `constant`, `global` or `shared`.
    pub space: &'static str,
    /// Its type in PTX: `.f32`, `.b8[36]`.
    #[serde(rename = "type")]
    pub ty: String,
    /// Its size; 0 for dynamic shared memory.
    pub bytes: u64,
    /// Its alignment.
    pub align: u32,
    /// Whether it has contents other than zeros from the start.
    pub initialized: bool,
    /// What `--symbol` takes for it, if it can be set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub argument: Option<String>,
    /// The kernel or function that declares it, if it is not one of the whole module.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub function: Option<String>,
}

/// Reads a file and lists what is in it.
pub fn inspect(request: &Request) -> Result<InspectReport, RunError> {
    let gpu = Gpu::named(&request.gpu)
        .ok_or_else(|| RunError::Gpu { name: request.gpu.clone(), known: Gpu::names().join(", ") })?;
    if let Some(opened) = images::open(&request.file, &gpu)? {
        let report = describe(request, &opened.files);
        let ignored = request.debug.then(|| "--debug has no effect on code that is already compiled".to_owned());
        let notes = ignored.into_iter().chain(opened.notes).collect();
        return Ok(InspectReport { container: Some(opened.container), images: opened.images, notes, ..report });
    }
    let options = Options { defines: &request.defines, includes: &request.includes, debug: request.debug };
    let file = program::load(&request.file, request.entry.as_deref(), &gpu, options)?;
    let report = describe(request, std::slice::from_ref(&file));
    let templates = file.compiled.iter().flat_map(|c| &c.kernels).filter(|k| k.is_template);
    Ok(InspectReport {
        language: if file.compiled.is_some() { "CUDA C++" } else { "PTX" },
        compiler: file.compiled.as_ref().map(|compiled| compiled.compiler.clone()),
        templates: templates.map(|k| k.declaration.clone()).collect(),
        notes: file.notes.clone(),
        ..report
    })
}

/// What is in PTX modules. What there can be only one of is that of the first.
fn describe(request: &Request, files: &[KernelFile]) -> InspectReport {
    let modules = || files.iter().map(|file| file.sources.program.module());
    let bodies = modules().flat_map(|module| &module.functions).filter_map(|f| f.body.as_ref());
    let kernels = files
        .iter()
        .flat_map(|file| file.sources.program.kernels().iter().map(move |kernel| kernel_info(kernel, file)));
    InspectReport {
        schema: 1,
        file: request.file.display().to_string(),
        language: "PTX",
        compiler: None,
        container: None,
        images: Vec::new(),
        ptx_version: modules().next().map_or(String::new(), |m| format!("{}.{}", m.version.0, m.version.1)),
        target: modules().next().map_or(String::new(), |m| m.target.arch.to_string()),
        address_size: modules().next().map_or(64, |m| m.address_size),
        line_info: bodies.flat_map(|body| &body.instructions).any(|i| i.line.is_some()),
        kernels: kernels.collect(),
        templates: Vec::new(),
        variables: modules().flat_map(all_variables).collect(),
        notes: Vec::new(),
    }
}

fn kernel_info(kernel: &Kernel, file: &KernelFile) -> KernelInfo {
    let signature = Signature::of(kernel, file);
    let module = file.sources.program.module();
    let functions = reached(module, &kernel.name);
    let used: BTreeSet<&str> = functions.iter().flat_map(|f| names(f)).collect();
    let is_used = |v: &&Variable| used.contains(&*v.name);
    let dynamic = |v: &Variable| v.space == Space::Shared && v.size == 0;
    let bounds = module.function(&kernel.name).map(|f| f.bounds).unwrap_or_default();
    KernelInfo {
        name: signature.name.clone(),
        symbol: kernel.name.to_string(),
        signature: signature.to_string(),
        parameters: signature.parameters.iter().map(parameter_info).collect(),
        static_shared: kernel.static_shared,
        dynamic_shared: module.variables.iter().filter(is_used).any(dynamic),
        max_threads: bounds.max_threads,
        required_threads: bounds.required_threads,
        prints: kernel.prints(),
        variables: variables(module).filter(is_used).map(|v| source_name(&v.name)).collect(),
    }
}

fn parameter_info(parameter: &Parameter) -> ParameterInfo {
    let ptx = &parameter.ptx;
    let ptx_type = if ptx.size == ptx.ty.bytes() {
        ptx.ty.to_string()
    } else {
        format!("{}[{}]", ptx.ty, ptx.size / ptx.ty.bytes())
    };
    ParameterInfo {
        name: parameter.name.clone(),
        ty: parameter.cxx.clone().unwrap_or_else(|| ptx_type.clone()),
        ptx_type,
        bytes: ptx.size,
        offset: ptx.offset,
        arg: parameter.argument("zeros").trim_matches('\'').to_owned(),
    }
}

/// The variables of the module, and the shared ones of its functions.
fn all_variables(module: &Module) -> Vec<VariableInfo> {
    let shared = module.variables.iter().filter(|v| v.space == Space::Shared);
    let functions: Vec<&Function> = module.functions.iter().filter(|f| f.body.is_some()).collect();
    let load = |v: &Variable| reads(&functions, v).and_then(|found| found.first().map(|(_, load)| *load));
    let settable = variables(module).map(|v| variable_info(v, load(v), None));
    let of_module = settable.chain(shared.map(|v| variable_info(v, None, None)));
    let of_functions = module.functions.iter().flat_map(|function| {
        let own = function.body.iter().flat_map(|body| &body.variables).filter(|v| v.space == Space::Shared);
        own.map(|v| variable_info(v, None, Some(source_name(&function.name))))
    });
    of_module.chain(of_functions).collect()
}

/// A variable; an instruction that loads from it tells its element type.
fn variable_info(variable: &Variable, load: Option<&Instruction>, function: Option<String>) -> VariableInfo {
    let each = u64::from(variable.ty.bytes());
    let ty = match variable.size {
        0 => format!("{}[]", variable.ty),
        size if size == each => variable.ty.to_string(),
        size => format!("{}[{}]", variable.ty, size / each.max(1)),
    };
    let is_shared = variable.space == Space::Shared;
    VariableInfo {
        name: source_name(&variable.name),
        symbol: variable.name.to_string(),
        space: match variable.space {
            Space::Const => "constant",
            Space::Shared => "shared",
            _ => "global",
        },
        ty,
        bytes: variable.size,
        align: variable.align,
        initialized: !variable.init.is_empty(),
        argument: (!is_shared).then(|| suggestion(variable, load).trim_matches('\'').to_owned()),
        function,
    }
}

impl VariableInfo {
    /// The keyword that declares it.
    fn keyword(&self) -> &'static str {
        keyword(match self.space {
            "constant" => Space::Const,
            "shared" => Space::Shared,
            _ => Space::Global,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::testing::folder;
    use crate::output::{Report, Style};

    const MODULE: &str = ".version 7.1
.target sm_80
.address_size 64
.file 1 \"k.cu\"
.const .align 4 .b8 taps[36];
.global .u32 count = 3;
.extern .shared .align 16 .b8 room[];
.func helper()
{
    .reg .b32 %r<2>;
    mov.u32 %r1, room;
    st.shared.u32 [%r1], 0;
    ret;
}
.visible .entry _Z4blurPKfPfi(.param .u64 a, .param .u64 b, .param .u32 n)
.maxntid 256, 1, 1
{
    .shared .align 4 .b8 _ZZ4blurPKfPfiE4tile[128];
    .reg .f32 %f<2>;
    .loc 1 3 5
    ld.const.f32 %f1, [taps];
    call helper;
    ret;
}
.visible .entry plain(.param .s64 x, .param .align 8 .b8 pair[16], .param .f32 y)
{
    ret;
}
";

    fn report(name: &str, text: &str) -> Result<InspectReport, RunError> {
        let file = folder(name).join("k.ptx");
        std::fs::write(&file, text).unwrap();
        let gpu = "h200".to_owned();
        inspect(&Request { file, entry: None, gpu, debug: false, defines: Vec::new(), includes: Vec::new() })
    }

    #[test]
    fn kernels_and_variables_are_listed() {
        let report = report("inspect-valid", MODULE).unwrap();
        assert_eq!((report.ptx_version.as_str(), report.target.as_str(), report.line_info), ("7.1", "sm_80", true));
        let [blur, plain] = report.kernels.as_slice() else { panic!("{:?}", report.kernels) };
        assert_eq!((blur.name.as_str(), blur.static_shared, blur.dynamic_shared), ("blur", 128, true));
        assert_eq!((blur.max_threads, &blur.variables[..]), (Some([256, 1, 1]), &["taps".to_owned()][..]));
        let args = |kernel: &KernelInfo| kernel.parameters.iter().map(|p| p.arg.clone()).collect::<Vec<_>>();
        assert_eq!(args(blur), ["f32[LEN]:zeros", "f32[LEN]:zeros", "i32=VALUE"]);
        assert_eq!(args(plain), ["TYPE[LEN]:zeros", "{MEMBER, ...}", "f32=VALUE"]);
        assert_eq!((plain.parameters[1].ptx_type.as_str(), plain.dynamic_shared), (".b8[16]", false));
        let told: Vec<_> =
            report.variables.iter().map(|v| (v.name.as_str(), v.space, v.bytes, v.initialized)).collect();
        let expected = [
            ("taps", "constant", 36, false),
            ("count", "global", 4, true),
            ("room", "shared", 0, false),
            ("tile", "shared", 128, false),
        ];
        assert_eq!(told, expected);
        assert_eq!(report.variables[0].argument.as_deref(), Some("taps=f32[9]:FILL"), "a load tells the type");
        assert_eq!(report.variables[1].argument.as_deref(), Some("count=u32=VALUE"));
        assert_eq!(report.variables[3].function.as_deref(), Some("blur"));
        let text = report.text(Style::default());
        assert!(text.contains("--arg 'f32[LEN]:zeros' --arg 'f32[LEN]:zeros' --arg i32=VALUE"), "{text}");
        assert!(text.contains("128 bytes, and dynamic: give --shared BYTES"), "{text}");
        assert!(report.to_json().starts_with(r#"{"schema":1,"file":"#));
    }

    #[test]
    fn what_is_not_valid_is_placed() {
        let wrong = report("inspect-wrong", &MODULE.replace("call helper;", "call helper")).unwrap_err().to_string();
        assert!(wrong.contains("line 23, column"), "{wrong}");
    }
}
