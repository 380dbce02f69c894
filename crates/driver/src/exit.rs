//! The end of the process: what kernels printed is written, and the trace gets its end.

use warpwise_trace::HostKind;

use crate::memory::Kind;
use crate::state;

/// Called when the process ends by itself, after the exit handlers of the program and of libraries that use this one:
/// they may still free memory.
#[used]
#[unsafe(link_section = ".fini_array")]
static LEAVE: extern "C" fn() = leave;

extern "C" fn leave() {
    // A panic must not leave through C.
    let _ = std::panic::catch_unwind(|| {
        // A kernel that another thread still runs does not keep the process from ending.
        let Some(mut state) = state::try_lock() else { return };
        state.output.flush();
        state.hear_host();
        crate::guard::open();
        state.tell_unasked();
        let kept = state.memory.allocations().filter(|(_, allocation)| allocation.is_leak());
        let leaks: Vec<_> = kept.map(|(base, a)| (base, a.bytes, a.kind, a.place.clone())).collect();
        for (base, bytes, kind, place) in leaks {
            let what = match kind {
                Kind::Pinned => "pinned host memory",
                Kind::Managed => "managed memory",
                Kind::Registered => "registered host memory",
                _ => "device memory",
            };
            state.trace.mistake_at(
                HostKind::Leak,
                format!("{bytes} bytes of {what} at {base:#x} are never freed"),
                place,
            );
        }
        state.trace.finish();
    });
}
