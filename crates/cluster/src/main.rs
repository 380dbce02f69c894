//! The `warpwise-cluster` command: `mpirun -n 8 warpwise-cluster reduce data.npy`.

use std::process::ExitCode;

fn main() -> ExitCode {
    warpwise_cluster::program::main()
}
