//! The text of the kernels, for tools that show it.

/// The kernels of a primitive: CUDA C++ and the PTX that was made of it.
///
/// ```
/// let kernels = warpwise::kernels("reduce").expect("it has some");
/// assert!(kernels.sources[0].1.contains("Rung gpu-1-interleaved"));
/// assert!(kernels.ptx.contains(".entry reduce_1_interleaved_sum_f32"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KernelText {
    /// The primitive.
    pub primitive: &'static str,
    /// Path and text of the sources, as the PTX's line information names them: the kernels, then what they include.
    pub sources: [(&'static str, &'static str); 2],
    /// What devices load.
    pub ptx: &'static str,
}

/// The kernels of a primitive, by its name, or by that of the module that a launch names: `matmul` has a second one,
/// `matmul-hopper`.
///
/// ```
/// assert!(warpwise::kernels("scan").is_some());
/// assert!(warpwise::kernels("sort").is_none());
/// ```
pub fn kernels(primitive: &str) -> Option<KernelText> {
    macro_rules! text {
        ($($name:ident: $module:expr,)*) => {
            match primitive {
                $(stringify!($name) => Some(KernelText {
                    primitive: stringify!($name),
                    sources: [
                        (
                            concat!("crates/warpwise/src/", stringify!($name), "/kernels.cu"),
                            include_str!(concat!(stringify!($name), "/kernels.cu")),
                        ),
                        ("crates/warpwise/src/kernels.cuh", include_str!("kernels.cuh")),
                    ],
                    ptx: $module.ptx,
                }),)*
                "matmul-hopper" => Some(KernelText {
                    primitive: "matmul",
                    sources: [
                        ("crates/warpwise/src/matmul/hopper.cu", include_str!("matmul/hopper.cu")),
                        ("crates/warpwise/src/kernels.cuh", include_str!("kernels.cuh")),
                    ],
                    ptx: crate::matmul::hopper::KERNELS.ptx,
                }),
                _ => None,
            }
        };
    }
    text! {
        vecadd: crate::vecadd::gpu::KERNELS,
        reduce: crate::reduce::gpu::KERNELS,
        scan: crate::scan::gpu::KERNELS,
        histogram: crate::histogram::gpu::KERNELS,
        matmul: crate::matmul::gpu::KERNELS,
        convolve1d: crate::convolve1d::gpu::KERNELS,
        convolve2d: crate::convolve2d::gpu::KERNELS,
        heat: crate::heat::gpu::KERNELS,
        radiator: crate::radiator::gpu::KERNELS,
        hello: crate::hello::KERNELS,
    }
}

#[cfg(test)]
mod tests {
    use super::kernels;
    use crate::PRIMITIVES;

    #[test]
    fn every_primitive_has_its_text_and_the_ptx_names_it() {
        for primitive in PRIMITIVES {
            let text = kernels(primitive.name).unwrap_or_else(|| panic!("{} has no kernels", primitive.name));
            assert_eq!(text.primitive, primitive.name);
            assert!(text.ptx.contains(&format!("\"{}\"", text.sources[0].0)), "{}: .file", primitive.name);
        }
    }
}
