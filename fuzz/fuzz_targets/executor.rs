//! Any text at all, executed where it reads as PTX: every kernel with a small budget, without checks and with all of
//! them. It must end, well or in a fault, and touch nothing but its own memory.

#![no_main]

use std::sync::Arc;

use libfuzzer_sys::fuzz_target;
use warpwise_simt::{Gpu, Launch, Machine, Program, Watch};

/// Device memory a kernel may have.
const MEMORY: u64 = 16 << 20;

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    let Ok(program) = Program::load(&text) else { return };
    // Checks read the source that a module names: here, the text itself.
    let program = Arc::new(program.with_files(|_| Some(text.to_string())));
    let mut machine = Machine::with_memory_limit(Gpu::named("h200").expect("in the table"), MEMORY);
    let Ok(module) = machine.load(Arc::clone(&program)) else { return };
    let Ok(buffer) = machine.alloc(4096) else { return };
    for kernel in program.kernels().iter().take(4) {
        // Every parameter is the buffer's address, as far as it fits.
        let bytes: Vec<u8> = buffer.0.to_le_bytes().into_iter().cycle().take(kernel.param_bytes as usize).collect();
        let mut launch = Launch::new([2, 1, 1], [40, 1, 1], bytes);
        launch.shared_bytes = 256;
        launch.max_instructions = 4000;
        launch.workers = 1;
        for watch in [Watch::NOTHING, Watch::ALL] {
            launch.watch = watch;
            if let Err(fault) = machine.launch(module, &kernel.name, &launch) {
                assert!(!fault.to_string().is_empty());
            }
        }
    }
});
