//! What an assembler makes of a user's kernels, where there is one.

use super::source::SourceMap;
use crate::machine::toolkit;
use std::path::PathBuf;
use std::sync::Arc;
use warpwise_gpu::Gpu;
use warpwise_model::Assembler;
use warpwise_simt::Program;

/// A variable with the assembler to ask; if it is empty, none is.
const VARIABLE: &str = "WARPWISE_PTXAS";

/// Notes in the PTX what its kernels take in the machine code of a GPU, if there is an assembler that takes it for that.
pub(crate) fn ask(sources: &mut SourceMap, gpu: &Gpu) {
    let programs: Box<dyn Iterator<Item = PathBuf>> = match std::env::var_os(VARIABLE) {
        Some(named) => Box::new(Some(named).filter(|path| !path.is_empty()).map(PathBuf::from).into_iter()),
        None => Box::new(toolkit::programs("ptxas")),
    };
    let machine = machine(&sources.ptx, gpu);
    let noted = programs.map(Assembler::new).find_map(|assembler| assembler.noted(&sources.ptx, &machine).ok());
    if let Some(ptx) = noted
        && let Ok(program) = Program::load(&ptx)
    {
        (sources.ptx, sources.program) = (ptx, Arc::new(program));
    }
}

/// The machine code of a GPU. Code for features of one architecture asks for those.
fn machine(ptx: &str, gpu: &Gpu) -> String {
    let machine = format!("sm_{}{}", gpu.cc.0, gpu.cc.1);
    let own = format!("{machine}a");
    let target = ptx.lines().find_map(|line| line.trim().strip_prefix(".target")).unwrap_or_default();
    if target.split([',', ' ', '\t']).any(|word| word == own) { own } else { machine }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn machine_code_is_that_of_the_gpu() {
        let gpu = Gpu::named("h200").expect("known");
        assert_eq!(machine(".version 8.0\n.target sm_90a, debug\n", &gpu), "sm_90a");
        assert_eq!(machine(".version 8.0\n.target sm_75\n", &gpu), "sm_90");
    }
}
