//! What is in a file, as text.

use super::{ImageInfo, InspectReport, KernelInfo, ParameterInfo, VariableInfo};
use crate::output::{Align, Report, Style, Table, View, clean};
use std::fmt::Write;

impl Report for InspectReport {
    const VIEWS: &'static [View<Self>] = &[View::Records(parameters)];

    fn text(&self, style: Style) -> String {
        render(self, style)
    }
}

/// Every parameter of every kernel.
fn parameters(report: &InspectReport) -> Table {
    let headings = [
        ("kernel", Align::Left),
        ("parameter", Align::Left),
        ("type", Align::Left),
        ("bytes", Align::Right),
        ("arg", Align::Left),
    ];
    let row = |kernel: &KernelInfo, p: &ParameterInfo| {
        let name = p.name.clone().unwrap_or_default();
        vec![kernel.name.clone(), name, p.ty.clone(), p.bytes.to_string(), p.arg.clone()]
    };
    let rows = report.kernels.iter().flat_map(|kernel| kernel.parameters.iter().map(move |p| row(kernel, p)));
    Table::new("inspect", &headings, rows)
}

fn render(report: &InspectReport, style: Style) -> String {
    let mut out = String::new();
    let lines = if report.line_info { "with line information" } else { "without line information" };
    let compiled = report.compiler.as_ref().map_or(String::new(), |c| format!("CUDA C++ by {c}: "));
    let (version, target, bits) = (&report.ptx_version, clean(&report.target), report.address_size);
    let about = format!("{compiled}PTX {version} for {target}, {bits}-bit addresses, {lines}");
    let mut row = |name: &str, value: &str| {
        let _ = writeln!(out, "{}  {value}", style.paint("2", &format!("{name:<8}")));
    };
    match report.container {
        None => row("file", &about),
        Some(container) => {
            row("file", container);
            for image in &report.images {
                row("image", &described(image));
            }
            if !version.is_empty() {
                row("code", &about);
            }
        }
    }
    for kernel in &report.kernels {
        out.push('\n');
        describe(&mut out, kernel, style);
    }
    for template in &report.templates {
        let _ = writeln!(out, "\n{}  {}", style.paint("2", "template"), clean(template));
        let _ = writeln!(out, "          give --entry 'NAME<...>' for an instance");
    }
    if !report.variables.is_empty() {
        out.push('\n');
        variables(&mut out, &report.variables, style);
    }
    out
}

/// An image in one line.
fn described(image: &ImageInfo) -> String {
    let mut out = format!("{} for {}, {} bytes", image.kind, image.target, image.bytes);
    if image.storage != "plain" {
        let _ = write!(out, " packed with {}, {} unpacked", image.storage, image.unpacked_bytes);
    }
    if image.kind == "machine code" && image.has_ptx {
        out.push_str(", with its PTX beside it");
    }
    if let Some(source) = &image.source {
        let _ = write!(out, ", of {}", clean(source));
    }
    if image.is_listed {
        out.push_str(": listed here");
    }
    out
}

fn describe(out: &mut String, kernel: &KernelInfo, style: Style) {
    let mut row = |name: &str, value: String| {
        let _ = writeln!(out, "{}  {value}", style.paint("2", &format!("{name:<8}")));
    };
    row("kernel", style.paint("1", &clean(&kernel.signature)));
    if kernel.symbol != kernel.name {
        row("symbol", clean(&kernel.symbol));
    }
    let arguments: Vec<String> = kernel.parameters.iter().map(|p| format!("--arg {}", quoted(&p.arg))).collect();
    row("give", if arguments.is_empty() { "no --arg".to_owned() } else { clean(&arguments.join(" ")) });
    match (kernel.required_threads, kernel.max_threads) {
        (Some(block), _) => row("block", format!("exactly {}", shape(block))),
        (_, Some(block)) => row("block", format!("at most {} threads", block.iter().product::<u32>())),
        _ => {}
    }
    let dynamic = if kernel.dynamic_shared { ", and dynamic: give --shared BYTES" } else { "" };
    row("shared", format!("{} bytes{dynamic}", kernel.static_shared));
    if !kernel.variables.is_empty() {
        row("uses", clean(&kernel.variables.join(", ")));
    }
}

/// What a shell would otherwise read is put in quotes.
fn quoted(argument: &str) -> String {
    if argument.contains(['[', '{', '|', ' ']) { format!("'{argument}'") } else { argument.to_owned() }
}

fn variables(out: &mut String, all: &[VariableInfo], style: Style) {
    let names: Vec<String> = all.iter().map(|v| clean(&v.name)).collect();
    let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
    for (variable, name) in all.iter().zip(names) {
        let size = match variable.bytes {
            0 => "dynamic".to_owned(),
            1 => "1 byte".to_owned(),
            bytes => format!("{bytes} bytes"),
        };
        let of = variable.function.as_ref().map_or(String::new(), |function| format!(" of {}", clean(function)));
        let set = match &variable.argument {
            Some(_) if variable.initialized => ", initialised".to_owned(),
            Some(argument) => format!(", zeros: set it with --symbol {}", quoted(&clean(argument))),
            None => String::new(),
        };
        let head = style.paint("2", "variable");
        let (keyword, ty) = (variable.keyword(), clean(&variable.ty));
        let _ = writeln!(out, "{head}  {name:<width$}  {keyword:<12}  {ty}, {size}{of}{set}");
    }
}

fn shape([x, y, z]: [u32; 3]) -> String {
    format!("{x} x {y} x {z} threads")
}
