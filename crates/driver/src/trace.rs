//! What a run writes down: launches, copies, and mistakes of the host.

use std::collections::HashSet;

use warpwise_trace::{Direction, Finding, HostKind, HostPlace, Launch, Module, Record, Settings, Unasked, Writer};

/// The trace of this process.
pub(crate) struct Trace {
    writer: Writer,
    host_checks: bool,
    /// Mistakes are told once for each place.
    told: HashSet<(HostKind, HostPlace)>,
}

impl Trace {
    /// Begins the trace that the settings ask for.
    pub(crate) fn open(settings: &Settings) -> Self {
        let writer = Writer::open(settings).unwrap_or_else(|error| {
            eprintln!("warpwise: no trace can be written: {error}");
            let quiet = Settings { folder: None, ..settings.clone() };
            Writer::open(&quiet).expect("nothing is opened without a folder")
        });
        Self { writer, host_checks: settings.host_checks, told: HashSet::new() }
    }

    /// Where launches are summed.
    pub(crate) fn writer(&mut self) -> &mut Writer {
        &mut self.writer
    }

    /// Notes a copy.
    pub(crate) fn copied(&mut self, direction: Direction, bytes: u64) {
        self.writer.copied(direction, bytes);
    }

    /// Notes a fill.
    pub(crate) fn filled(&mut self, bytes: u64) {
        self.writer.copied(Direction::Set, bytes);
    }

    /// Notes a launch that was checked or counted, or that failed.
    pub(crate) fn launch(&mut self, launch: impl FnOnce() -> Launch) {
        if self.writer.is_on() {
            self.writer.record(&Record::Launch(launch()));
        }
    }

    /// Notes a module, with its text.
    pub(crate) fn module(&mut self, ptx: &str, module: impl FnOnce() -> Module) {
        if self.writer.is_on() {
            let kept = self.writer.keep(ptx);
            self.writer.record(&Record::Module(Module { ptx: kept, host: Some(HostPlace::here()), ..module() }));
        }
    }

    /// Notes a mistake of the host, if it is not known already.
    pub(crate) fn mistake(&mut self, kind: HostKind, message: impl FnOnce() -> String) {
        if !self.host_checks || !self.writer.is_on() {
            return;
        }
        let place = HostPlace::here();
        if self.told.insert((kind, place.clone())) {
            self.writer.record(&Record::Finding(Finding::of_host(kind, message(), Some(place))));
        }
    }

    /// Notes a mistake with the place of an earlier call.
    pub(crate) fn mistake_at(&mut self, kind: HostKind, message: String, place: Option<HostPlace>) {
        if self.host_checks && self.writer.is_on() {
            self.writer.record(&Record::Finding(Finding::of_host(kind, message, place)));
        }
    }

    /// Notes a finding.
    pub(crate) fn finding(&mut self, finding: Finding) {
        self.writer.record(&Record::Finding(finding));
    }

    /// Notes an error that nobody asked about.
    pub(crate) fn unasked(&mut self, unasked: Unasked) {
        self.writer.record(&Record::Unasked(unasked));
    }

    /// Whether places of allocations are to be remembered.
    pub(crate) fn wants_places(&self) -> bool {
        self.host_checks && self.writer.is_on()
    }

    /// The process ends by itself.
    pub(crate) fn finish(&mut self) {
        self.writer.finish();
    }
}
