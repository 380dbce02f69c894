//! Machines in the host's own address space: device pointers are host pointers.

#[path = "host/adopted.rs"]
mod adopted;
#[path = "host/checks.rs"]
mod checks;
#[path = "host/modules.rs"]
mod modules;
#[path = "host/own.rs"]
mod own;
#[path = "host/rig.rs"]
mod rig;
