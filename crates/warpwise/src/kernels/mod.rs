//! The kernels of the library: CUDA C++ and the PTX that was made of it, each text once and packed.

#[cfg(not(feature = "gpu"))]
mod absent;
#[cfg(feature = "gpu")]
mod module;
#[cfg(feature = "gpu")]
mod packed;
#[cfg(feature = "gpu")]
mod source;
#[cfg(test)]
mod split;
#[cfg(all(test, feature = "gpu"))]
mod tests;

#[cfg(not(feature = "gpu"))]
pub(crate) use absent::KernelModule;
#[cfg(feature = "gpu")]
pub use module::KernelModule;
#[cfg(feature = "gpu")]
pub use source::Source;

#[cfg(feature = "gpu")]
use module::{Kind, Piece, Text};
#[cfg(feature = "gpu")]
use packed::Packed;

// What the build script makes: a static for each module, `MODULES` and `SOURCES`.
include!(concat!(env!("OUT_DIR"), "/kernels.rs"));

/// The kernels of a primitive, module by module; none if there is no such primitive.
///
/// ```
/// let mut scan = warpwise::kernels("scan");
/// let ladder = scan.next().expect("it has kernels");
/// assert!(ladder.sources()[0].text().contains("Rung gpu-1-hillis-steele"));
/// assert!(ladder.entries().any(|entry| entry == "scan_1_hillis_steele_inclusive_sum_f32"));
/// assert_eq!(scan.next().expect("it has more").name(), "scan-alone");
/// ```
#[cfg(feature = "gpu")]
pub fn kernels(primitive: &str) -> impl Iterator<Item = &'static KernelModule> {
    MODULES.into_iter().filter(move |module| module.primitive() == primitive)
}

/// The module that a launch names.
///
/// ```
/// assert!(warpwise::kernel_module("matmul-hopper").is_some());
/// assert!(warpwise::kernel_module("sort").is_none());
/// ```
#[cfg(feature = "gpu")]
pub fn kernel_module(name: &str) -> Option<&'static KernelModule> {
    MODULES.into_iter().find(|module| module.name() == name)
}
