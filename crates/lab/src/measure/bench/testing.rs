//! Reports for tests.

use super::{Configuration, DeviceFacts, HostFacts, Report, Row, SCHEMA};

fn configuration(variant: &str, n: u64, device: &str) -> Configuration {
    Configuration {
        primitive: "reduce".into(),
        variant: variant.into(),
        device: device.into(),
        ty: "f32".into(),
        n: Some(n),
        input: "random".into(),
        op: Some("sum".into()),
        ..Configuration::default()
    }
}

/// A row of the CPU.
pub(crate) fn measured(variant: &str, n: u64, ms: f64) -> Row {
    Row {
        configuration: configuration(variant, n, "cpu"),
        ok: true,
        max_error: Some(0.0),
        samples: 10,
        stopped_by: Some("noise".into()),
        median_ms: Some(ms),
        noise_pct: Some(0.4),
        gb_per_s: Some(5.0),
        percent_of_copy: Some(25.0),
        ..Row::default()
    }
}

/// A row of the emulator.
pub(crate) fn emulated(variant: &str, n: u64, instructions: u64) -> Row {
    Row {
        configuration: configuration(variant, n, "emulator"),
        ok: true,
        max_error: Some(0.0),
        emulated: true,
        samples: 1,
        stopped_by: Some("emulated".into()),
        median_ms: Some(3.0),
        counters: [("warp_instructions".to_owned(), instructions.into())].into_iter().collect(),
        ..Row::default()
    }
}

/// A report of such rows.
pub(crate) fn report(results: Vec<Row>) -> Report {
    let device = DeviceFacts { name: "cpu".into(), copy_gb_per_s: Some(20.0), ..DeviceFacts::default() };
    let host = HostFacts::default();
    Report {
        schema: SCHEMA,
        host,
        device,
        devices: Vec::new(),
        interrupted: false,
        results,
        refused: Vec::new(),
        left_out: 0,
    }
}
