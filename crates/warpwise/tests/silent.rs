//! No false alarms: every rung of every primitive, with every check of the emulator on.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use warpwise::Device;
use warpwise::conformance::{Plan, checks};
use warpwise::trace::Watch;

/// Every n-th check of the short grid: with all checks on, the emulator is several times slower.
const STEP: usize = 4;

#[test]
fn every_rung_is_silent_under_all_checks() {
    let all = checks(&Device::emulator(), &Plan::default()).expect("the plan names no primitive");
    let next = AtomicUsize::new(0);
    let alarms = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, std::num::NonZero::get) {
            scope.spawn(|| {
                let device = Device::emulator_watching("h200", Watch::ALL).expect("it is in the table");
                while let Some(check) = all.get(next.fetch_add(STEP, Ordering::Relaxed)) {
                    if check.primitive == "device" {
                        continue;
                    }
                    device.start_trace();
                    let verdict = check.run(&device);
                    assert!(verdict.passed(), "{check:?}: {verdict}");
                    for launch in device.take_trace().expect("the emulator does not fail").launches {
                        for finding in launch.findings {
                            let place = finding.place.as_ref().and_then(|place| place.source);
                            let text = format!("{check:?}, {}: {} at {place:?}", launch.kernel, finding.message);
                            alarms.lock().expect("no holder panics").push(text);
                        }
                    }
                }
            });
        }
    });
    let alarms = alarms.into_inner().expect("no holder panics");
    assert!(
        alarms.is_empty(),
        "{} alarms, the first of them:\n{}",
        alarms.len(),
        alarms[..alarms.len().min(10)].join("\n")
    );
}
