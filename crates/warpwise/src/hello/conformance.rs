//! Checks of hello.

use crate::conformance::{Collector, equal};
use crate::hello;

/// One line from every thread, once.
pub(super) fn checks(c: &mut Collector<'_>) {
    for (grid, block) in [(1u32, 1u32), (2, 3), (3, 33), (1, 257)] {
        c.add(format!("{grid} blocks of {block} threads"), move |device, _| {
            let text = hello::greet(device, grid, block)?;
            let mut found: Vec<&str> = text.lines().collect();
            let expected: Vec<String> =
                (0..grid).flat_map(|b| (0..block).map(move |t| format!("Hello from block {b}, thread {t}"))).collect();
            let mut expected: Vec<&str> = expected.iter().map(String::as_str).collect();
            found.sort_unstable();
            expected.sort_unstable();
            Ok(equal(&found, &expected))
        });
    }
}
