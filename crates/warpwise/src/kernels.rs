//! The text of the kernels, for tools that show it.

/// A module of kernels: CUDA C++ and the PTX that was made of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KernelText {
    /// The primitive whose kernels they are.
    pub primitive: &'static str,
    /// The module, as launches name it: the primitive's name, with a second one after it where it has several.
    pub module: &'static str,
    /// Path and text of the sources, as the PTX's line information names them: the kernels, then what they include.
    pub sources: &'static [(&'static str, &'static str)],
    /// What devices load.
    pub ptx: &'static str,
}

/// Every module, with the folder and the files that it is made of.
macro_rules! modules {
    ($($kernels:path: $folder:literal, $($file:literal)*;)*) => {
        const MODULES: &[KernelText] = &[$(KernelText {
            primitive: $folder,
            module: $kernels.name,
            sources: &[
                $((
                    concat!("crates/warpwise/src/", $folder, "/", $file),
                    include_str!(concat!($folder, "/", $file)),
                ),)*
                ("crates/warpwise/src/kernels.cuh", include_str!("kernels.cuh")),
            ],
            ptx: $kernels.ptx,
        },)*];
    };
}
modules! {
    crate::vecadd::gpu::KERNELS: "vecadd", "kernels.cu";
    crate::reduce::gpu::KERNELS: "reduce", "kernels.cu" "items.cuh";
    crate::reduce::gpu::POSTED: "reduce", "posted.cu" "items.cuh";
    crate::scan::gpu::KERNELS: "scan", "kernels.cu" "instances.cuh";
    crate::scan::gpu::GATHER: "scan", "gather.cu" "instances.cuh";
    crate::scan::gpu::ALONE: "scan", "alone.cu" "instances.cuh";
    crate::histogram::gpu::KERNELS: "histogram", "kernels.cu";
    crate::matmul::gpu::KERNELS: "matmul", "gpu/kernels.cu" "gpu/wide.cuh";
    crate::matmul::gpu::hopper::KERNELS: "matmul", "gpu/hopper.cu" "gpu/double.cuh" "gpu/packing.cuh";
    crate::convolve1d::gpu::KERNELS: "convolve1d", "kernels.cu";
    crate::convolve2d::gpu::KERNELS: "convolve2d", "kernels.cu";
    crate::heat::gpu::KERNELS: "heat", "gpu/kernels.cu" "gpu/cell.cuh";
    crate::heat::gpu::resident::KERNELS: "heat", "gpu/resident.cu" "gpu/cell.cuh";
    crate::radiator::gpu::KERNELS: "radiator", "kernels.cu";
    crate::hello::KERNELS: "hello", "kernels.cu";
}

/// The kernels of a primitive, module by module; none if there is no such primitive.
///
/// ```
/// let mut scan = warpwise::kernels("scan");
/// let ladder = scan.next().expect("it has kernels");
/// assert!(ladder.sources[0].1.contains("Rung gpu-1-hillis-steele"));
/// assert!(ladder.ptx.contains(".entry scan_1_hillis_steele_inclusive_sum_f32"));
/// assert_eq!(scan.next().expect("it has more").module, "scan-gather");
/// ```
pub fn kernels(primitive: &str) -> impl Iterator<Item = KernelText> {
    MODULES.iter().copied().filter(move |text| text.primitive == primitive)
}

/// The module that a launch names.
///
/// ```
/// assert!(warpwise::kernel_module("matmul-hopper").is_some());
/// assert!(warpwise::kernel_module("sort").is_none());
/// ```
pub fn kernel_module(name: &str) -> Option<KernelText> {
    MODULES.iter().copied().find(|text| text.module == name)
}

#[cfg(test)]
mod tests {
    use super::{MODULES, kernel_module, kernels};
    use crate::PRIMITIVES;

    #[test]
    fn every_primitive_has_its_text_and_the_ptx_names_it() {
        for primitive in PRIMITIVES {
            assert_eq!(kernels(primitive.name).next().map(|text| text.module), Some(primitive.name));
        }
        for text in MODULES {
            assert!(text.ptx.contains(&format!("\"{}\"", text.sources[0].0)), "{}: .file", text.module);
            assert_eq!(kernel_module(text.module), Some(*text));
        }
    }
}
