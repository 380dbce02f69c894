//! The choices that the builders of all primitives offer.

/// The setters `variant` and `geometry` of a builder with the fields `rung` and `geometry`.
macro_rules! choices {
    ($module:literal, $new:literal, [$($generics:tt)*] $builder:ty) => {
        $crate::primitive::choices!($module, "", $new, [$($generics)*] $builder);
    };
    // With a line that makes what the builder of the examples borrows.
    ($module:literal, $before:literal, $new:literal, [$($generics:tt)*] $builder:ty) => {
        impl<$($generics)*> $builder {
            /// The rung; with `None`, the best one.
            ///
            /// ```
            #[doc = concat!("use warpwise::", $module, "::*;")]
            ///
            #[doc = concat!($before, "let how = ", $new, ".variant(Rung::CpuSeq);")]
            /// assert!(format!("{how:?}").contains("CpuSeq"));
            /// # Ok::<(), warpwise::Error>(())
            /// ```
            pub fn variant(self, rung: impl Into<Option<Rung>>) -> Self {
                Self { rung: rung.into(), ..self }
            }

            /// Launch geometry of the GPU rungs that take one; the ladder says which.
            ///
            /// ```
            /// use warpwise::Geometry;
            #[doc = concat!("use warpwise::", $module, "::*;")]
            ///
            #[doc = concat!($before, "let how = ", $new, ".geometry(Geometry { block: Some(64), ..Geometry::default() });")]
            /// assert!(format!("{how:?}").contains("64"));
            /// # Ok::<(), warpwise::Error>(())
            /// ```
            pub fn geometry(self, geometry: $crate::Geometry) -> Self {
                Self { geometry, ..self }
            }

            /// The name of the rung, if one was chosen.
            #[allow(dead_code, reason = "not every primitive asks by name")]
            pub(super) fn name(&self) -> Option<&'static str> {
                self.rung.map(Rung::name)
            }
        }
    };
}
pub(crate) use choices;
