//! Entries and device functions.

use super::{Instruction, Linkage, ScalarType, Span, Variable};

/// Kernel or device function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FunctionKind {
    /// `.entry`: a kernel.
    Entry,
    /// `.func`: a device function.
    Device,
}

/// A kernel or device function, declared or defined.
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    /// Its (mangled) name.
    pub name: Box<str>,
    /// Kernel or device function.
    pub kind: FunctionKind,
    /// Visibility.
    pub linkage: Linkage,
    /// Return parameters of a device function.
    pub returns: Vec<Parameter>,
    /// Parameters.
    pub params: Vec<Parameter>,
    /// `.maxntid` and the like.
    pub bounds: LaunchBounds,
    /// `.noreturn`.
    pub no_return: bool,
    /// The code; `None` for a declaration.
    pub body: Option<Body>,
    /// The header, up to the body.
    pub span: Span,
}

/// A parameter in `.param` space, or (return values and parameters of older code) a register.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// As a variable; its space is [`Space::Param`](super::Space::Param).
    pub variable: Variable,
    /// `.ptr` attributes of a kernel parameter: the state space it points to, if stated, and the alignment.
    pub pointer: Option<(Option<super::Space>, u32)>,
    /// The register that holds it, if it was declared with `.reg` instead of `.param`. Such registers are the first
    /// ones of the body, those of return parameters before the others.
    pub register: Option<RegisterId>,
}

/// Directives about the launches that a kernel supports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LaunchBounds {
    /// `.maxntid`.
    pub max_threads: Option<[u32; 3]>,
    /// `.reqntid`.
    pub required_threads: Option<[u32; 3]>,
    /// `.minnctapersm`.
    pub min_blocks: Option<u32>,
    /// `.maxnreg`.
    pub max_registers: Option<u32>,
    /// `.reqnctapercluster` or `.explicitcluster` dimensions.
    pub cluster: Option<[u32; 3]>,
}

/// The code of a function. Nested scopes are flattened; their declarations have indices of their own.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Body {
    /// Registers that the code uses, in order of first use.
    pub registers: Vec<Register>,
    /// `.local`, `.shared` and `.param` variables declared inside.
    pub variables: Vec<Variable>,
    /// Instructions in order.
    pub instructions: Vec<Instruction>,
    /// Labels, each before the instruction at its index (one past the end is possible).
    pub labels: Vec<Label>,
    /// `.callprototype` declarations.
    pub prototypes: Vec<Prototype>,
    /// `.branchtargets` tables.
    pub branch_targets: Vec<BranchTargets>,
}

/// Index into [`Body::registers`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RegisterId(pub u32);

/// A register.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Register {
    /// As written; a vector register's element carries its suffix (`%v.x`).
    pub name: Box<str>,
    /// Its type.
    pub ty: ScalarType,
}

/// Index into [`Body::labels`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LabelId(pub u32);

/// A label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// As written.
    pub name: Box<str>,
    /// Index of the instruction that follows it.
    pub target: u32,
}

/// The shape of an indirect call's target.
#[derive(Clone, Debug, PartialEq)]
pub struct Prototype {
    /// Its label.
    pub name: Box<str>,
    /// Return parameters.
    pub returns: Vec<Parameter>,
    /// Parameters.
    pub params: Vec<Parameter>,
}

/// A `.branchtargets` table for `brx.idx`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BranchTargets {
    /// Its label.
    pub name: Box<str>,
    /// The targets in order.
    pub labels: Vec<LabelId>,
}
