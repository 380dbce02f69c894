//! A kernel's parameters, as far as PTX, mangled name and source reveal them.

use super::element::ElementType;
use super::program::KernelFile;
use warpwise_gpu::symbol::{Demangled, demangle};
use warpwise_simt::{Kernel, KernelParameter};

/// A kernel as its users know it.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::kernels) struct Signature {
    /// Its name in PTX.
    pub(in crate::kernels) symbol: String,
    /// Its name in the source, with namespaces and template arguments.
    pub(in crate::kernels) name: String,
    /// Its parameters.
    pub(in crate::kernels) parameters: Vec<Parameter>,
    /// The declaration in the source.
    declaration: Option<String>,
    /// The demangled name.
    pub(in crate::kernels) demangled: Option<Demangled>,
}

/// A parameter.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::kernels) struct Parameter {
    /// What PTX says.
    pub(in crate::kernels) ptx: KernelParameter,
    /// What it accepts.
    pub(in crate::kernels) kind: Kind,
    /// Its C++ type, if known.
    pub(in crate::kernels) cxx: Option<String>,
    /// Its name in the source, if known.
    pub(in crate::kernels) name: Option<String>,
}

/// What a parameter accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::kernels) enum Kind {
    /// A buffer; of these elements, if the type is plain.
    Pointer(Option<ElementType>),
    /// A scalar of this type.
    Scalar(ElementType),
    /// A struct by value.
    Struct,
    /// Eight bytes, perhaps a pointer.
    Word,
    /// Some other number of bytes, integer or floating-point.
    Bits,
}

impl Signature {
    /// What is known about a kernel.
    pub(in crate::kernels) fn of(kernel: &Kernel, file: &KernelFile) -> Self {
        let demangled = demangle(&kernel.name);
        let local = file.compiled.iter().flat_map(|c| &c.locals).find(|(symbol, _)| **symbol == *kernel.name);
        let name = match (&demangled, local) {
            (Some(d), _) => d.name.clone(),
            (None, Some((_, name))) => name.clone(),
            (None, None) => kernel.name.to_string(),
        };
        let base = demangled.as_ref().map_or(name.as_str(), |d| d.base.as_str());
        let mut declared = file.compiled.iter().flat_map(|c| &c.kernels).filter(|k| k.name == base);
        // An overloaded name does not say which declaration is meant.
        let declared = declared.next().filter(|_| declared.next().is_none());
        let types = match (&demangled, declared) {
            (Some(d), _) => Some(&d.parameters),
            (None, Some(k)) if !k.is_template => Some(&k.parameters),
            _ => None,
        };
        let types = types.filter(|t| t.len() == kernel.params.len());
        let names = declared.map_or_else(Vec::new, |k| parameter_names(&k.declaration));
        let names = Some(names).filter(|n| n.len() == kernel.params.len());
        let parameter = |(i, ptx): (usize, &KernelParameter)| {
            let cxx = types.map(|t| t[i].clone());
            // Compilers number parameters; people name them.
            let written = Some(ptx.name.to_string()).filter(|name| !name.ends_with(&format!("_param_{i}")));
            let name = names.as_ref().and_then(|n| n[i].clone()).or(written);
            Parameter { ptx: ptx.clone(), kind: kind(ptx, cxx.as_deref()), cxx, name }
        };
        let parameters = kernel.params.iter().enumerate().map(parameter).collect();
        let declaration = declared.filter(|k| !k.is_template).map(|k| k.declaration.clone());
        Self { symbol: kernel.name.to_string(), name, parameters, declaration, demangled }
    }

    /// The `--arg`s that would fit, with placeholders.
    pub(in crate::kernels) fn suggestion(&self) -> String {
        let argument = |p: &Parameter| match p.kind {
            Kind::Struct => format!("'{{MEMBER, ...}}' ({} bytes; or bytes=HEX)", p.ptx.size),
            Kind::Word => format!("{} (or u64=VALUE)", p.argument("FILL")),
            _ => p.argument("FILL"),
        };
        if self.parameters.is_empty() {
            return "\nIt takes no --arg.".to_owned();
        }
        let arguments: Vec<_> = self.parameters.iter().map(|p| format!("--arg {}", argument(p))).collect();
        format!("\nGive it {}", arguments.join(" "))
    }
}

impl Parameter {
    /// An argument that would fit, with placeholders and a fill for buffers.
    pub(in crate::kernels) fn argument(&self, fill: &str) -> String {
        match self.kind {
            Kind::Pointer(ty) => format!("'{}[LEN]:{fill}'", ty.map_or("TYPE", ElementType::name)),
            Kind::Scalar(ty) => format!("{}=VALUE", ty.name()),
            Kind::Struct => "'{MEMBER, ...}'".to_owned(),
            Kind::Word => format!("'TYPE[LEN]:{fill}'"),
            Kind::Bits => {
                let fits = ElementType::ALL.iter().filter(|t| t.bytes() == u64::from(self.ptx.size)).map(|t| t.name());
                format!("{}=VALUE", fits.collect::<Vec<_>>().join("|"))
            }
        }
    }
}

impl std::fmt::Display for Signature {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some(declaration) = &self.declaration {
            return f.write_str(declaration);
        }
        if let Some(demangled) = &self.demangled {
            return write!(f, "{demangled}");
        }
        let plain = |p: &Parameter| match p.kind {
            Kind::Struct => format!("{}[{}] {}", p.ptx.ty, p.ptx.size, p.ptx.name),
            _ => format!("{} {}", p.ptx.ty, p.ptx.name),
        };
        let parameters: Vec<_> = self.parameters.iter().map(plain).collect();
        write!(f, "{}({})", self.name, parameters.join(", "))
    }
}

/// The names in the parameter list of a declaration, which is its last parenthesis.
fn parameter_names(declaration: &str) -> Vec<Option<String>> {
    let text = declaration.trim_end();
    let mut depth = 0;
    let mut parts = vec![String::new()];
    for c in text.chars().rev().skip_while(|c| *c != ')') {
        match c {
            ')' | ']' | '>' => depth += 1,
            '(' | '[' | '<' => depth -= 1,
            _ => {}
        }
        match c {
            '(' if depth == 0 => break,
            ')' if depth == 1 && parts.len() == 1 && parts[0].is_empty() => {}
            ',' if depth == 1 => parts.push(String::new()),
            _ => parts.last_mut().expect("there is one").push(c),
        }
    }
    let forward = |part: &String| part.chars().rev().collect::<String>();
    let name = |part: String| {
        let before_default = part.split('=').next().unwrap_or("").to_owned();
        let before_array = before_default.split('[').next().unwrap_or("").trim().to_owned();
        let start = before_array.rfind(|c: char| !(c.is_alphanumeric() || c == '_')).map_or(0, |at| at + 1);
        // A single word is a type.
        Some(before_array[start..].to_owned()).filter(|name| start > 0 && !name.is_empty())
    };
    let names: Vec<_> = parts.iter().rev().map(forward).filter(|p| !p.trim().is_empty()).map(name).collect();
    names
}

/// What a parameter accepts, from its PTX type and, better, its C++ type.
fn kind(ptx: &KernelParameter, cxx: Option<&str>) -> Kind {
    let plain = |ty: ElementType| ty.bytes() == u64::from(ptx.size);
    if let Some(cxx) = cxx {
        let tidy = cxx.trim().trim_end_matches("const").trim_end();
        if let Some(pointee) = tidy.strip_suffix('*').or_else(|| tidy.strip_suffix('&')) {
            return Kind::Pointer(element_of(pointee));
        }
        if let Some(ty) = element_of(tidy).filter(|ty| plain(*ty)) {
            return Kind::Scalar(ty);
        }
    }
    let ty = ptx.ty;
    if ptx.size != ty.bytes() {
        return Kind::Struct;
    }
    let unsigned = match ptx.size {
        1 => ElementType::U8,
        2 => ElementType::U16,
        4 => ElementType::U32,
        _ => ElementType::U64,
    };
    match (ty.name(), ptx.size) {
        _ if ptx.is_pointer => Kind::Pointer(None),
        ("f16", _) => Kind::Scalar(ElementType::F16),
        ("bf16", _) => Kind::Scalar(ElementType::Bf16),
        ("f32", _) => Kind::Scalar(ElementType::F32),
        ("f64", _) => Kind::Scalar(ElementType::F64),
        (_, 8) => Kind::Word,
        // Compilers write `.u32` for `int` as well, so the sign is open; that it is an integer is not.
        (name, 1 | 2 | 4) if name.starts_with(['u', 's']) => Kind::Scalar(unsigned),
        (_, 1 | 2 | 4) => Kind::Bits,
        _ => Kind::Struct,
    }
}

/// The element type of a plain C++ type.
fn element_of(cxx: &str) -> Option<ElementType> {
    let mut words: Vec<&str> = cxx.split_whitespace().filter(|w| !matches!(*w, "const" | "volatile")).collect();
    let unsigned = words.contains(&"unsigned");
    words.retain(|w| !matches!(*w, "unsigned" | "signed"));
    let long = words.iter().filter(|w| **w == "long").count();
    let pick = |signed: ElementType, without: ElementType| Some(if unsigned { without } else { signed });
    match words.join(" ").as_str() {
        "float" => Some(ElementType::F32),
        "double" => Some(ElementType::F64),
        "half" | "__half" => Some(ElementType::F16),
        "__nv_bfloat16" => Some(ElementType::Bf16),
        "bool" | "uint8_t" | "unsigned char" => Some(ElementType::U8),
        "int8_t" => Some(ElementType::I8),
        "int16_t" => Some(ElementType::I16),
        "uint16_t" | "ushort" => Some(ElementType::U16),
        "int32_t" => Some(ElementType::I32),
        "uint32_t" | "uint" => Some(ElementType::U32),
        "int64_t" | "ptrdiff_t" => Some(ElementType::I64),
        "uint64_t" | "size_t" | "ulong" => Some(ElementType::U64),
        "char" => pick(ElementType::I8, ElementType::U8),
        "short" | "short int" => pick(ElementType::I16, ElementType::U16),
        "int" => pick(ElementType::I32, ElementType::U32),
        "" if unsigned => Some(ElementType::U32),
        _ if long > 0 && words.iter().all(|w| matches!(*w, "long" | "int")) => pick(ElementType::I64, ElementType::U64),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_have_names() {
        let names = |text: &str| {
            let names = parameter_names(text);
            names.into_iter().map(|n| n.unwrap_or_else(|| "-".into())).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(names("__global__ void f(const float *a, int n = g(1, 2), pair<int, 4> *p, float x[])"), "a n p x");
        assert_eq!(names("__global__ __launch_bounds__(256) void f(float*__restrict__ out, int)"), "out -");
        assert_eq!(names("__global__ void f()"), "");
        assert_eq!(names("broken"), "");
    }

    #[test]
    fn plain_types_are_known() {
        for (cxx, name) in [
            ("const float", "f32"),
            ("unsigned", "u32"),
            ("unsigned long long", "u64"),
            ("long int", "i64"),
            ("char", "i8"),
            ("size_t", "u64"),
            ("unsigned char", "u8"),
            ("signed char", "i8"),
            ("short", "i16"),
            ("bool", "u8"),
        ] {
            assert_eq!(element_of(cxx).map(ElementType::name), Some(name), "{cxx}");
        }
        for cxx in ["", "void", "float4", "T", "Matrix<float>", "float*", "long double"] {
            assert_eq!(element_of(cxx), None, "{cxx}");
        }
    }
}
