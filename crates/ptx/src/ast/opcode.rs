//! Opcodes: the first words of instructions.

use std::ops::Deref;

/// Declares [`Opcode`] and its spellings. The spellings stand in order, which [`Opcode::parse`] relies on.
macro_rules! opcodes {
    ($($variant:ident $name:literal)*) => {
        /// The first word of an instruction. It dereferences to its spelling.
        ///
        /// ```
        /// use warpwise_ptx::ast::Opcode;
        ///
        /// assert_eq!(Opcode::parse("ld"), Opcode::Ld);
        /// assert_eq!(&*Opcode::parse("frobnicate"), "frobnicate");
        /// ```
        #[derive(Clone, Debug, PartialEq, Eq, Hash)]
        #[allow(missing_docs, reason = "the names are the ISA's own")]
        pub enum Opcode {
            $($variant,)*
            /// A word that is not known here, perhaps an instruction of a later ISA.
            Unknown(Box<str>),
        }

        static NAMES: &[&str] = &[$($name),*];
        static KNOWN: &[Opcode] = &[$(Opcode::$variant),*];

        impl Deref for Opcode {
            type Target = str;

            fn deref(&self) -> &str {
                match self {
                    $(Self::$variant => $name,)*
                    Self::Unknown(name) => name,
                }
            }
        }
    };
}

opcodes! {
    Abs "abs" Activemask "activemask" Add "add" Addc "addc" And "and" Applypriority "applypriority" Atom "atom"
    Bar "bar" Barrier "barrier" Bfe "bfe" Bfi "bfi" Bfind "bfind" Bmsk "bmsk" Bra "bra" Brev "brev" Brkpt "brkpt"
    Brx "brx" Call "call" Clz "clz" Cnot "cnot" Copysign "copysign" Cos "cos" Cp "cp" Createpolicy "createpolicy"
    Cvt "cvt" Cvta "cvta" Discard "discard" Div "div" Dp2a "dp2a" Dp4a "dp4a" Elect "elect" Ex2 "ex2" Exit "exit"
    Fence "fence" Fma "fma" Fns "fns" Getctarank "getctarank" Griddepcontrol "griddepcontrol" Isspacep "isspacep" Ld "ld" Ldmatrix "ldmatrix"
    Ldu "ldu" Lg2 "lg2" Lop3 "lop3" Mad "mad" Mad24 "mad24" Madc "madc" Mapa "mapa" Match "match" Max "max"
    Mbarrier "mbarrier" Membar "membar" Min "min" Mma "mma" Mov "mov" Movmatrix "movmatrix" Mul "mul" Mul24 "mul24"
    Nanosleep "nanosleep" Neg "neg" Not "not" Or "or" Pmevent "pmevent" Popc "popc" Prefetch "prefetch"
    Prefetchu "prefetchu" Prmt "prmt" Rcp "rcp" Red "red" Redux "redux" Rem "rem" Ret "ret" Rsqrt "rsqrt" Sad "sad"
    Selp "selp" Set "set" Setmaxnreg "setmaxnreg" Setp "setp" Shf "shf" Shfl "shfl" Shl "shl" Shr "shr" Sin "sin"
    Slct "slct" Sqrt "sqrt" St "st" Stmatrix "stmatrix" Sub "sub" Subc "subc" Szext "szext" Tanh "tanh" Testp "testp"
    Trap "trap" Vabsdiff "vabsdiff" Vabsdiff2 "vabsdiff2" Vabsdiff4 "vabsdiff4" Vadd "vadd" Vadd2 "vadd2"
    Vadd4 "vadd4" Vavrg2 "vavrg2" Vavrg4 "vavrg4" Vmad "vmad" Vmax "vmax" Vmax2 "vmax2" Vmax4 "vmax4" Vmin "vmin"
    Vmin2 "vmin2" Vmin4 "vmin4" Vote "vote" Vset "vset" Vset2 "vset2" Vset4 "vset4" Vshl "vshl" Vshr "vshr"
    Vsub "vsub" Vsub2 "vsub2" Vsub4 "vsub4" Wgmma "wgmma" Wmma "wmma" Xor "xor"
}

impl Opcode {
    /// How many opcodes are known.
    pub(crate) const COUNT: usize = NAMES.len();

    /// Reads an opcode; a word that is not one is kept as it is.
    pub fn parse(text: &str) -> Self {
        match NAMES.binary_search(&text) {
            Ok(at) => KNOWN[at].clone(),
            Err(_) => Self::Unknown(text.into()),
        }
    }

    /// The number of a known opcode.
    pub(crate) fn index(&self) -> Option<usize> {
        match self {
            Self::Unknown(_) => None,
            known => NAMES.binary_search(&&**known).ok(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{NAMES, Opcode};

    #[test]
    fn every_spelling_is_found() {
        assert!(NAMES.is_sorted());
        for (at, name) in NAMES.iter().enumerate() {
            let opcode = Opcode::parse(name);
            assert_eq!(&*opcode, *name);
            assert_eq!(opcode.index(), Some(at));
        }
        assert_eq!(Opcode::parse("addx"), Opcode::Unknown("addx".into()));
        assert_eq!(Opcode::parse("addx").index(), None);
    }
}
