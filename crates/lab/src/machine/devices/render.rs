//! The devices as tables: a column for each GPU of this machine, a row for each of the emulator's.

use super::{DevicesReport, EmulatedEntry, GpuEntry};
use crate::output::{Align, Report, Style, Table, View};
use serde::Serialize;

impl Report for DevicesReport {
    const VIEWS: &'static [View<Self>] = &[View::Records(records), View::Tables(tables)];

    fn text(&self, _: Style) -> String {
        if !self.described.is_empty() {
            return described(self).text();
        }
        let mut out = match (&self.problem, self.devices.is_empty()) {
            (Some(problem), _) => format!("no GPU in use: {problem}\n"),
            (None, true) => "no GPU in use: the driver lists none\n".to_owned(),
            (None, false) => gpus(self).text(),
        };
        out.push_str("\nThe emulator has the limits of any of these (--gpu NAME):\n\n");
        out.push_str(&emulated(self).text());
        out
    }
}

/// Those of this machine and the emulator's, one row per GPU.
fn records(report: &DevicesReport) -> Table {
    #[derive(Serialize)]
    #[serde(untagged)]
    enum Facts<'a> {
        Here(&'a GpuEntry),
        Emulated(&'a EmulatedEntry),
    }
    #[derive(Serialize)]
    struct Record<'a> {
        device: &'static str,
        #[serde(flatten)]
        facts: Facts<'a>,
    }
    let here = report.devices.iter().map(|gpu| Record { device: "cuda", facts: Facts::Here(gpu) });
    let emulated = report.emulated.iter().map(|gpu| Record { device: "emulator", facts: Facts::Emulated(gpu) });
    Table::records("devices", here.chain(emulated))
}

fn tables(report: &DevicesReport) -> Vec<Table> {
    let here = (!report.devices.is_empty()).then(|| gpus(report));
    let described = (!report.described.is_empty()).then(|| described(report));
    here.into_iter().chain(described).chain([emulated(report)]).collect()
}

/// What a row shows for an emulated GPU.
type EmulatedFact = fn(&EmulatedEntry) -> String;

/// Everything about some of the emulator's, a column for each.
fn described(report: &DevicesReport) -> Table {
    const FACTS: [(&str, EmulatedFact); 20] = [
        ("compute capability", |g| g.compute_capability.clone()),
        ("multiprocessors", |g| g.multiprocessors.to_string()),
        ("CUDA cores", |g| g.cuda_cores.to_string()),
        ("clock", |g| format!("{} MHz", g.clock_mhz)),
        ("memory bandwidth", |g| format!("{} GB/s", g.bandwidth_gb_per_s)),
        ("L2 cache", |g| size(g.l2)),
        ("constant memory", |g| size(g.constant_memory)),
        ("shared memory per block", |g| size(g.shared_per_block)),
        ("  with opt-in", |g| size(g.shared_per_block_optin)),
        ("shared memory per SM", |g| size(g.shared_per_multiprocessor)),
        ("registers per block", |g| g.registers_per_block.to_string()),
        ("registers per SM", |g| g.registers_per_multiprocessor.to_string()),
        ("warp size", |g| g.warp_size.to_string()),
        ("warp schedulers per SM", |g| g.schedulers_per_multiprocessor.to_string()),
        ("f64 lanes per SM", |g| g.fp64_lanes_per_multiprocessor.to_string()),
        ("threads per SM", |g| g.threads_per_multiprocessor.to_string()),
        ("blocks per SM", |g| g.blocks_per_multiprocessor.to_string()),
        ("threads per block", |g| g.threads_per_block.to_string()),
        ("largest block", |g| shape(g.max_block)),
        ("largest grid", |g| shape(g.max_grid)),
    ];
    let chosen: Vec<&EmulatedEntry> = report.emulated.iter().filter(|g| report.described.contains(&g.name)).collect();
    let mut headings = vec![("", Align::Left)];
    headings.extend(chosen.iter().map(|g| (g.name.as_str(), Align::Right)));
    let row = |(name, fact): &(&str, EmulatedFact)| {
        std::iter::once((*name).to_owned()).chain(chosen.iter().map(|g| fact(g))).collect()
    };
    Table::new("emulated devices in full", &headings, FACTS.iter().map(row))
}

fn emulated(report: &DevicesReport) -> Table {
    let headings = ["GPU", "CC", "SMs", "clock", "memory", "L2", "shared/block", "shared/SM", "regs/SM", "threads/SM"]
        .map(|name| (name, if name == "GPU" { Align::Left } else { Align::Right }));
    let rows = report.emulated.iter().map(|gpu| {
        vec![
            gpu.name.clone(),
            gpu.compute_capability.clone(),
            gpu.multiprocessors.to_string(),
            format!("{} MHz", gpu.clock_mhz),
            format!("{} GB/s", gpu.bandwidth_gb_per_s),
            size(gpu.l2),
            size(gpu.shared_per_block_optin),
            size(gpu.shared_per_multiprocessor),
            gpu.registers_per_multiprocessor.to_string(),
            gpu.threads_per_multiprocessor.to_string(),
        ]
    });
    Table::new("emulated devices", &headings, rows)
}

/// What a row shows for a GPU.
type Fact = fn(&GpuEntry) -> String;

fn gpus(report: &DevicesReport) -> Table {
    const FACTS: [(&str, Fact); 21] = [
        ("compute capability", |g| g.compute_capability.clone()),
        ("memory", |g| size(g.memory)),
        ("multiprocessors", |g| g.multiprocessors.to_string()),
        ("clock", |g| format!("{} MHz", g.clock_mhz)),
        ("memory clock", |g| format!("{} MHz", g.memory_clock_mhz)),
        ("memory bus", |g| format!("{} bits", g.memory_bus_bits)),
        ("memory bandwidth from these", |g| format!("{:.0} GB/s", g.bandwidth_gb_per_s)),
        ("L2 cache", |g| size(g.l2)),
        ("constant memory", |g| size(g.constant_memory)),
        ("shared memory per block", |g| size(g.shared_per_block)),
        ("  with opt-in", |g| size(g.shared_per_block_optin)),
        ("shared memory per SM", |g| size(g.shared_per_multiprocessor)),
        ("registers per block", |g| g.registers_per_block.to_string()),
        ("registers per SM", |g| g.registers_per_multiprocessor.to_string()),
        ("warp size", |g| g.warp_size.to_string()),
        ("threads per SM", |g| g.threads_per_multiprocessor.to_string()),
        ("blocks per SM", |g| g.blocks_per_multiprocessor.to_string()),
        ("threads per block", |g| g.threads_per_block.to_string()),
        ("largest block", |g| shape(g.max_block)),
        ("largest grid", |g| shape(g.max_grid)),
        ("copy engines", |g| g.copy_engines.to_string()),
    ];
    const MEASURED: [(&str, Fact); 3] = [
        ("host to device, measured", |g| rate(g.measured.map(|m| m.upload_gb_per_s))),
        ("device to host, measured", |g| rate(g.measured.map(|m| m.download_gb_per_s))),
        ("device copy, measured", |g| rate(g.measured.map(|m| m.device_gb_per_s))),
    ];
    let names: Vec<String> = report.devices.iter().map(|g| format!("{}: {}", g.ordinal, g.name)).collect();
    let mut headings = vec![("", Align::Left)];
    headings.extend(names.iter().map(|name| (name.as_str(), Align::Right)));
    let measured = report.devices.iter().any(|g| g.measured.is_some());
    let facts = FACTS.iter().chain(MEASURED.iter().filter(|_| measured));
    let driver = report.driver_cuda.iter().map(|version| {
        let mut row = vec!["CUDA version of the driver".to_owned()];
        row.resize(report.devices.len() + 1, version.clone());
        row
    });
    let row = |(name, fact): &(&str, Fact)| {
        std::iter::once((*name).to_owned()).chain(report.devices.iter().map(fact)).collect()
    };
    Table::new("devices", &headings, facts.map(row).chain(driver))
}

fn rate(value: Option<f64>) -> String {
    value.map_or_else(String::new, |rate| format!("{rate:.1} GB/s"))
}

fn shape([x, y, z]: [u32; 3]) -> String {
    format!("{x} x {y} x {z}")
}

/// Bytes in the unit that fits.
fn size(bytes: u64) -> String {
    match bytes {
        b if b >= 1 << 30 => format!("{:.1} GiB", b as f64 / f64::from(1 << 30)),
        b if b >= 1 << 20 => format!("{:.1} MiB", b as f64 / f64::from(1 << 20)),
        b => format!("{} KiB", b >> 10),
    }
}
