//! Runs CUDA kernels, compiled by an old and a new NVRTC for several architectures, on the emulator.
//!
//! The sources are `kernels/*.cu`, the PTX is `kernels/ptx/COMPILER/ARCHITECTURE/NAME.ptx` (`kernels/compile.py` makes
//! it). Every test runs on every build of its file.

#[path = "kernels/faults.rs"]
mod faults;
#[path = "kernels/language.rs"]
mod language;
#[path = "kernels/numeric.rs"]
mod numeric;
#[path = "kernels/primitives.rs"]
mod primitives;
#[path = "kernels/rig.rs"]
mod rig;
#[path = "kernels/waiting.rs"]
mod waiting;
