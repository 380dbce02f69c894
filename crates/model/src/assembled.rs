//! What the assembler makes of a kernel, where its PTX says so: the library's own kernels have a note as the last line of
//! their bodies, `// sm_90: 28 registers, 0 bytes of stack`.

use warpwise_arch::Recording;

/// What a thread of a kernel takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Assembled {
    pub(crate) registers: u32,
    /// Bytes of local memory; none if the arrays of a thread lie in registers.
    pub(crate) stack: u32,
}

impl Assembled {
    /// The note of the kernel that was recorded, if there is one.
    pub(crate) fn of(recording: &Recording, ptx: &str) -> Option<Self> {
        let mut names: Vec<&str> = recording.places.iter().map(|place| &*place.function).collect();
        names.dedup();
        names.into_iter().find_map(|name| Self::noted(ptx, name))
    }

    fn noted(ptx: &str, name: &str) -> Option<Self> {
        let begin = ptx.find(&format!(".entry {name}("))?;
        let body = &ptx[begin..];
        let body = &body[..body.find("\n}")?];
        let (_, note) = body.rsplit_once('\n')?.1.trim().strip_prefix("// sm_")?.split_once(": ")?;
        let (registers, rest) = note.split_once(" registers, ")?;
        let stack = rest.strip_suffix(" bytes of stack")?;
        Some(Self { registers: registers.parse().ok()?, stack: stack.parse().ok()? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_are_those_of_the_kernel() {
        let ptx = ".visible .entry one(\n)\n{\n\tret;\n}\n\
                   .visible .entry two(\n)\n{\n\tret;\n\t// sm_90: 28 registers, 16 bytes of stack\n}\n\
                   .visible .entry three()\n{\n\tret;\n\t// sm_90a: 255 registers, 0 bytes of stack\n}\n";
        assert_eq!(Assembled::noted(ptx, "one"), None);
        assert_eq!(Assembled::noted(ptx, "two"), Some(Assembled { registers: 28, stack: 16 }));
        assert_eq!(Assembled::noted(ptx, "three"), Some(Assembled { registers: 255, stack: 0 }));
        assert_eq!(Assembled::noted(ptx, "four"), None);
    }
}
