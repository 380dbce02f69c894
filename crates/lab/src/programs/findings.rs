//! Findings of a trace as reports show them: with lines, their texts, and the same mistake only once.

use super::gather::kernel_name;
use super::host_lines::HostLines;
use super::texts::Texts;
use crate::kernels::finding::{Finding, allowed, kinds, sentence};
use std::collections::HashSet;
use warpwise_trace::{DevicePlace, HostKind, HostPlace, Launch, Unasked};

/// The findings so far.
#[derive(Default)]
pub(super) struct Gathered {
    findings: Vec<Finding>,
    lines: HostLines,
    texts: Texts,
    /// The symbols of all kernels.
    kernels: HashSet<String>,
}

impl Gathered {
    /// Learns the kernels of a module.
    pub(super) fn knows(&mut self, kernels: &[String]) {
        self.kernels.extend(kernels.iter().cloned());
    }

    /// Adds what was found in a launch.
    pub(super) fn launch(&mut self, launch: &Launch) {
        if launch.findings.is_empty() {
            return;
        }
        let mut own: Vec<Finding> = Vec::new();
        let (first, rest) = launch.findings.split_at(usize::from(launch.stopped));
        own.extend(rest.iter().map(|found| self.of_kernel(found, launch)));
        if let Some(stop) = first.first() {
            self.of_kernel(stop, launch).lead(&mut own);
        }
        own.into_iter().for_each(|finding| self.add(finding));
    }

    /// Adds a mistake of the host. That a library copies memory as it is given it is none.
    pub(super) fn host(&mut self, found: &warpwise_trace::Finding) {
        let is_pageable = found.kind == HostKind::PageableCopy.name();
        if is_pageable && found.host.as_ref().is_some_and(|place| self.lines.is_of_library(place)) {
            return;
        }
        let mut finding = self.plain(found);
        if let Some(place) = &found.place {
            self.place(&mut finding, place);
            self.launched_at(&mut finding, found.host.as_ref());
        } else {
            self.called_at(&mut finding, found.host.as_ref());
        }
        if let Some(line) = found.other_host.as_ref().and_then(|place| self.lines.line(place, &self.kernels)) {
            let line = self.texts.line(&line.file, line.line);
            finding.other_excerpt = self.texts.text(&line).map(str::to_owned);
            (finding.other_line, finding.other_file) = (Some(line.number), Some(line.file));
        }
        finding.kernel = found.kernel.as_deref().map(kernel_name);
        finding.launch = found.launch;
        finding.launches = found.launch.map(|_| 1);
        self.add(finding);
    }

    /// Adds an error that nobody asked about.
    pub(super) fn unasked(&mut self, unasked: &Unasked) {
        let Unasked { call, error, code, kernel, reason, host } = unasked;
        let reason = reason.as_ref().map_or(String::new(), |reason| format!(": {}", sentence(reason)));
        let message = format!("{call} returned {error} ({code}){reason}; the program never asked");
        let mut found = warpwise_trace::Finding::of_host(HostKind::UncheckedError, message, host.clone());
        found.kernel.clone_from(kernel);
        self.host(&found);
    }

    /// All of them. After a kernel was stopped nothing can be freed any more, so that leaks say nothing.
    pub(super) fn finish(mut self, stopped: bool) -> Vec<Finding> {
        self.findings.retain(|finding| !(stopped && finding.kind == HostKind::Leak.name()));
        self.findings
    }

    /// Adds a finding, or counts one that is known.
    fn add(&mut self, finding: Finding) {
        let at = |f: &Finding| (f.line, f.other_line, f.ptx_line, f.host_line.filter(|_| f.line.is_none()));
        let same = |known: &&mut Finding| {
            known.kind == finding.kind
                && known.kernel == finding.kernel
                && known.file == finding.file
                && at(known) == at(&finding)
                && (finding.line.is_some() || known.message == finding.message)
        };
        match self.findings.iter_mut().find(same) {
            Some(known) => {
                known.count += finding.count;
                known.at_least |= finding.at_least;
                known.launches = known.launches.map(|launches| launches + 1);
            }
            None => self.findings.push(finding),
        }
    }

    fn of_kernel(&mut self, found: &warpwise_trace::Finding, launch: &Launch) -> Finding {
        let mut finding = self.plain(found);
        if let Some(place) = &found.place {
            self.place(&mut finding, place);
        }
        if let Some(other) = &found.other {
            let (line, in_ptx) = self.line_of(other);
            finding.other_excerpt = self.texts.text(&line).filter(|_| !in_ptx).map(str::to_owned);
            (finding.other_line, finding.other_file) = (Some(line.number), Some(line.file));
            (finding.other_thread, finding.other_block) = (Some(other.thread), Some(other.block));
        }
        self.launched_at(&mut finding, launch.host.as_ref());
        finding.kernel = Some(kernel_name(&launch.kernel));
        (finding.launch, finding.launches) = (Some(launch.number), Some(1));
        finding
    }

    fn plain(&self, found: &warpwise_trace::Finding) -> Finding {
        let severity = if found.is_error { "error" } else { "warning" };
        let mut finding = Finding::new(kind(&found.kind), severity, sentence(&found.message), found.count.max(1));
        finding.advice = sentence(&found.advice);
        finding.at_least = found.more;
        finding.variable.clone_from(&found.object);
        let spaces = ["global", "shared", "local"];
        finding.space = spaces.into_iter().find(|space| found.space.as_deref() == Some(space));
        finding
    }

    fn place(&mut self, finding: &mut Finding, place: &DevicePlace) {
        let (line, in_ptx) = self.line_of(place);
        finding.excerpt = self.texts.text(&line).filter(|_| !in_ptx).map(str::to_owned);
        finding.suppressed = allowed(|line| self.texts.text(line), &line, finding.kind);
        finding.in_ptx = in_ptx;
        (finding.line, finding.file) = (Some(line.number), Some(line.file));
        (finding.thread, finding.block) = (Some(place.thread), Some(place.block));
        (finding.ptx_line, finding.instruction) = (Some(place.ptx_line), Some(place.instruction.clone()));
        if let Some(inner) = &place.inner {
            let inner = self.texts.line(&inner.file, inner.line);
            (finding.inner_line, finding.inner_file) = (Some(inner.number), Some(inner.file));
        }
    }

    /// The line of a place, and whether it is one of the PTX.
    fn line_of(&mut self, place: &DevicePlace) -> (crate::kernels::source::Line, bool) {
        match &place.source {
            Some(source) => (self.texts.line(&source.file, source.line), false),
            None => {
                let file = "the PTX of the program".to_owned();
                (crate::kernels::source::Line { file, number: place.ptx_line }, true)
            }
        }
    }

    /// The line of the host that made a call, as the place of a finding.
    fn called_at(&mut self, finding: &mut Finding, host: Option<&HostPlace>) {
        let Some(line) = host.and_then(|place| self.lines.line(place, &self.kernels)) else { return };
        let line = self.texts.line(&line.file, line.line);
        finding.excerpt = self.texts.text(&line).map(str::to_owned);
        finding.suppressed = allowed(|line| self.texts.text(line), &line, finding.kind);
        (finding.line, finding.file) = (Some(line.number), Some(line.file));
    }

    /// The line of the host that launched the kernel that a finding is in.
    fn launched_at(&mut self, finding: &mut Finding, host: Option<&HostPlace>) {
        let Some(line) = host.and_then(|place| self.lines.line(place, &self.kernels)) else { return };
        let line = self.texts.line(&line.file, line.line);
        finding.host_excerpt = self.texts.text(&line).map(str::to_owned);
        (finding.host_line, finding.host_file) = (Some(line.number), Some(line.file));
    }
}

/// The name of a kind, as one that lives on.
fn kind(name: &str) -> &'static str {
    kinds().into_iter().find(|known| *known == name).unwrap_or("other")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::testing::folder;
    use warpwise_trace::Line;

    fn race(file: &str, line: u32) -> warpwise_trace::Finding {
        let place = DevicePlace {
            function: "k".to_owned(),
            ptx_line: 40,
            instruction: "st.shared.f32 [%rd1], %f1;".to_owned(),
            source: Some(Line { file: file.to_owned(), line }),
            inner: None,
            block: [0, 0, 0],
            thread: [1, 0, 0],
        };
        warpwise_trace::Finding {
            kind: "race".to_owned(),
            is_error: true,
            message: "two writes.".to_owned(),
            count: 2,
            place: Some(place),
            ..Default::default()
        }
    }

    fn launch(number: u64, findings: Vec<warpwise_trace::Finding>) -> Launch {
        Launch { kernel: "_Z1kPf".to_owned(), number, findings, ..Launch::default() }
    }

    #[test]
    fn the_same_mistake_in_many_launches_is_one_finding() {
        let root = folder("gathered");
        let file = root.join("a.cu").display().to_string();
        std::fs::write(&file, "x\ny\nz // warpwise: allow race - known\n").expect("written");
        let mut gathered = Gathered::default();
        for number in 3..6 {
            gathered.launch(&launch(number, vec![race(&file, 2)]));
        }
        gathered.launch(&launch(9, vec![race(&file, 3)]));
        let findings = gathered.finish(false);
        assert_eq!(findings.len(), 2);
        let first = &findings[0];
        assert_eq!((first.count, first.launch, first.launches), (6, Some(3), Some(3)));
        assert_eq!((first.kernel.as_deref(), first.excerpt.as_deref()), (Some("k"), Some("y")));
        assert_eq!((first.message.as_str(), first.line), ("two writes", Some(2)));
        assert!(first.counts() && !findings[1].counts(), "a comment allows the second");
        std::fs::remove_dir_all(root).expect("removed");
    }

    #[test]
    fn what_stopped_a_launch_comes_first_and_once() {
        let fault =
            warpwise_trace::Finding { kind: "out_of_bounds".to_owned(), advice: String::new(), ..race("a.cu", 1) };
        let told = warpwise_trace::Finding { advice: "test it".to_owned(), ..fault.clone() };
        let mut gathered = Gathered::default();
        let findings = vec![fault, race("a.cu", 2), told];
        gathered.launch(&Launch { stopped: true, ..launch(1, findings) });
        let findings = gathered.finish(false);
        let kinds: Vec<&str> = findings.iter().map(|finding| finding.kind).collect();
        assert_eq!(kinds, ["out_of_bounds", "race"]);
        assert_eq!(findings[0].advice, "test it");
    }

    #[test]
    fn leaks_after_a_fault_are_not_told() {
        let leak = warpwise_trace::Finding::of_host(HostKind::Leak, "64 bytes", None);
        for (stopped, many) in [(false, 1), (true, 0)] {
            let mut gathered = Gathered::default();
            gathered.host(&leak);
            assert_eq!(gathered.finish(stopped).len(), many);
        }
    }

    #[test]
    fn places_without_source_are_in_the_ptx() {
        let mut found = race("a.cu", 1);
        found.place.as_mut().expect("it has one").source = None;
        let mut gathered = Gathered::default();
        gathered.launch(&launch(1, vec![found]));
        let finding = &gathered.finish(false)[0];
        assert!(finding.in_ptx && finding.line == Some(40));
        assert_eq!(kind("of another version"), "other");
    }
}
