//! A GPU in another process.
//!
//! After a kernel has failed, the driver gives the process that launched it no new context: not after the old one is
//! destroyed, not even through a second copy of the driver's library. A context can be rebuilt only in a new process.
//! So a program that wants to continue says so at the start of `main`, with [`allow_rebuild`]: when a kernel fails, the
//! program is started again as a worker that only serves the GPU, and calls go there. Copies to and from a worker pass
//! through pipes and are slower; everything else stays the same.

mod client;
mod server;
mod wire;

pub(super) use client::RemoteDevice;

use std::path::PathBuf;
use std::sync::OnceLock;

/// Tells a process that it is a worker.
const ROLE: &str = "WARPWISE_GPU_WORKER";

static PROGRAM: OnceLock<PathBuf> = OnceLock::new();

/// Lets devices of this process live on in a worker after a kernel has failed. Call it at the start of `main`: in a
/// worker it does not return.
pub fn allow_rebuild() {
    if std::env::var_os(ROLE).is_some() {
        server::serve();
        std::process::exit(0);
    }
    if let Ok(path) = std::env::current_exe() {
        let _ = PROGRAM.set(path);
    }
}
