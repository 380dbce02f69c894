//! What kernels use of a device beside instructions: grids and clusters that meet, the heap, launches, printing, timers.

#[path = "device/children.rs"]
mod children;
#[path = "device/clusters.rs"]
mod clusters;
#[path = "device/cooperative.rs"]
mod cooperative;
#[path = "device/cubes_and_levels.rs"]
mod cubes_and_levels;
#[path = "device/heap.rs"]
mod heap;
#[path = "device/output.rs"]
mod output;
#[path = "device/rig.rs"]
mod rig;
#[path = "device/textures.rs"]
mod textures;
#[path = "device/timers.rs"]
mod timers;
#[path = "device/vectors.rs"]
mod vectors;
