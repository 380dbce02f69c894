//! The conformance suite on the devices that every machine has.

use warpwise::Device;
use warpwise::conformance::{Plan, checks};

fn run(device: &Device) {
    let all = checks(device, &Plan::default()).expect("every primitive is known");
    assert!(!all.is_empty());
    let failures: Vec<String> = all
        .iter()
        .filter_map(|check| {
            let verdict = check.run(device);
            (!verdict.passed()).then(|| format!("{} {}, {}: {verdict}", check.primitive, check.variant, check.what))
        })
        .collect();
    let count = failures.len();
    assert!(count == 0, "{count} of {} checks failed:\n{}", all.len(), failures[..count.min(30)].join("\n"));
}

#[test]
fn the_cpu_conforms() {
    run(&Device::cpu());
}

#[test]
fn the_emulator_conforms() {
    run(&Device::emulator());
}
