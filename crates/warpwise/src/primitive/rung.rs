//! Rungs as values of a type, so that a name that does not exist cannot be written.

use super::Primitive;
use crate::Error;

/// The enum `Rung` of a primitive. The build script makes the call of this macro from the lines of `VARIANTS`.
macro_rules! rungs {
    ($primitive:literal: $($rung:ident = $name:literal $idea:literal),* $(,)?) => {
        #[doc = concat!("A rung of the ladder of ", $primitive, ".")]
        ///
        /// ```
        #[doc = concat!("use warpwise::", $primitive, "::{Rung, VARIANTS};")]
        ///
        /// assert_eq!(Rung::ALL.len(), VARIANTS.len());
        /// assert_eq!("cpu-seq".parse::<Rung>()?, Rung::CpuSeq);
        /// assert!("gpu-99".parse::<Rung>().is_err());
        /// # Ok::<(), warpwise::Error>(())
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Rung {
            $(#[doc = concat!("`", $name, "`: ", $idea, ".")] $rung,)*
        }

        impl Rung {
            /// Every rung, in the order of the ladder.
            ///
            /// ```
            #[doc = concat!("use warpwise::", $primitive, "::{Rung, VARIANTS};")]
            ///
            /// assert!(Rung::ALL.iter().zip(VARIANTS).all(|(rung, variant)| rung.name() == variant.name));
            /// ```
            pub const ALL: &'static [Self] = &[$(Self::$rung),*];

            /// Its name, as the command line spells it.
            ///
            /// ```
            #[doc = concat!("assert_eq!(warpwise::", $primitive, "::Rung::CpuSeq.name(), \"cpu-seq\");")]
            /// ```
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$rung => $name,)*
                }
            }
        }

        impl std::str::FromStr for Rung {
            type Err = $crate::Error;

            fn from_str(name: &str) -> Result<Self, Self::Err> {
                $crate::primitive::position(&PRIMITIVE, name).map(|at| Self::ALL[at])
            }
        }

        impl std::fmt::Display for Rung {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        }
    };
}
pub(crate) use rungs;

/// Which of a primitive's variants has that name.
pub(crate) fn position(primitive: &Primitive, name: &str) -> Result<usize, Error> {
    let names = || primitive.variants.iter().map(|variant| variant.name);
    names().position(|known| known == name).ok_or_else(|| Error::UnknownRung {
        primitive: primitive.name,
        name: name.to_owned(),
        known: names().collect::<Vec<_>>().join(", "),
    })
}
