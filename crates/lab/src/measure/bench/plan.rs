//! From a request to the list of measurements: all mistakes are reported before anything runs.

use super::BenchError;
use super::station::{Station, Stations};
use crate::Place;
use crate::machine::memory;
use crate::measure::stats::{Allowance, Rule};
use warpwise::primitive::{Cost, Extent, Problem, Settings, Type};
use warpwise::{Geometry, PRIMITIVES, Primitive, Variant};

/// Which variants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Selection {
    /// All variants that run on the devices.
    All,
    /// The one that the library picks for each device.
    Best,
    /// These.
    Named(Vec<String>),
}

impl Selection {
    /// Reads `all`, `best`, or names separated by commas.
    ///
    /// ```
    /// use warpwise_lab::measure::bench::Selection;
    ///
    /// assert_eq!(Selection::parse("best"), Selection::Best);
    /// assert_eq!(Selection::parse("cpu-seq,cpu-par"), Selection::Named(vec!["cpu-seq".into(), "cpu-par".into()]));
    /// ```
    pub fn parse(text: &str) -> Self {
        match text {
            "all" => Self::All,
            "best" => Self::Best,
            names => Self::Named(names.split(',').map(|name| name.trim().to_owned()).collect()),
        }
    }
}

/// What to measure.
#[derive(Clone, Debug)]
pub struct Request {
    /// The primitive.
    pub primitive: String,
    /// Its variants.
    pub variants: Selection,
    /// Lengths or sides, `-n`.
    pub lengths: Vec<usize>,
    /// Rows and columns, `--size`.
    pub planes: Vec<(usize, usize)>,
    /// Element types; the first of the primitive if there are none, all for `all`.
    pub types: Vec<String>,
    /// Where.
    pub places: Vec<Place>,
    /// What operands are filled with; the primitive's usual data if it is omitted.
    pub input: Option<String>,
    /// Choices of some primitives.
    pub settings: Settings,
    /// Launches of GPU rungs.
    pub geometry: Geometry,
    /// The variant that others are compared with.
    pub baseline: Option<String>,
    /// When there are enough samples.
    pub rule: Rule,
    /// The GPU to estimate times for, where kernels are emulated.
    pub gpu: Option<String>,
    /// How long everything may take: if time is short, there are fewer samples, then only the first size.
    pub allowance: Allowance,
}

impl Request {
    /// The best variant of a primitive, with defaults for everything else.
    ///
    /// ```
    /// let request = warpwise_lab::measure::bench::Request::new("reduce");
    /// assert_eq!(request.variants, warpwise_lab::measure::bench::Selection::Best);
    /// ```
    pub fn new(primitive: &str) -> Self {
        Self {
            primitive: primitive.to_owned(),
            variants: Selection::Best,
            lengths: Vec::new(),
            planes: Vec::new(),
            types: Vec::new(),
            places: vec![Place::Auto],
            input: None,
            settings: Settings::default(),
            geometry: Geometry::default(),
            baseline: None,
            rule: Rule::default(),
            gpu: None,
            allowance: Allowance::default(),
        }
    }
}

impl Request {
    /// The problem of a type and size.
    fn problem(&self, primitive: &'static Primitive, ty: Type, extent: Extent, input: &'static str) -> Problem {
        Problem { primitive, ty, extent, input, settings: self.settings.clone() }
    }
}

/// A variant on a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// The device, by its index in the list of stations.
    pub(crate) station: usize,
    /// If `None`, the device's best.
    pub(crate) variant: Option<&'static Variant>,
}

/// A problem with all variants that compute it.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    pub(crate) problem: Problem,
    pub(crate) entries: Vec<Entry>,
}

/// Everything that is measured, in order.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) stations: Vec<Station>,
    pub(crate) groups: Vec<Group>,
}

impl Plan {
    /// Plans a request.
    pub(crate) fn new(request: &Request) -> Result<Self, BenchError> {
        let primitive = primitive(&request.primitive)?;
        let types = types(primitive, &request.types)?;
        let input = input(primitive, request.input.as_deref())?;
        for parameter in primitive.parameters {
            if let Some(setting) = request.settings.get(parameter.name) {
                parameter.check(setting).map_err(|why| BenchError::flag(&format!("--{}", parameter.name), why))?;
            }
        }
        // Devices are opened last: that takes time, and may print why there is no GPU.
        let given = given(request, primitive)?;
        for &ty in &types {
            for &extent in &given {
                check_memory(&request.problem(primitive, ty, extent, input), false)?;
            }
        }
        let mut stations = Stations::new(request.gpu.as_deref());
        let entries = entries(request, primitive, &mut stations)?;
        let stations = stations.into_vec();
        let mut groups = Vec::new();
        for ty in types {
            for (extent, entries) in extents(primitive, &given, &stations, &entries) {
                let problem = request.problem(primitive, ty, extent, input);
                let emulated = entries.iter().any(|entry| stations[entry.station].emulated);
                check_memory(&problem, emulated)?;
                groups.push(Group { problem, entries });
            }
        }
        Ok(Self { stations, groups })
    }

    /// Number of measurements.
    pub(crate) fn len(&self) -> usize {
        self.groups.iter().map(|group| group.entries.len()).sum()
    }
}

/// A primitive that is timed.
pub(crate) fn primitive(name: &str) -> Result<&'static Primitive, BenchError> {
    let timed = || PRIMITIVES.iter().copied().filter(|p| p.computes());
    timed().find(|p| p.name == name).ok_or_else(|| BenchError::Primitive {
        name: name.to_owned(),
        known: timed().map(|p| p.name).collect::<Vec<_>>().join(", "),
    })
}

/// Reads `NAME=VALUE`, a parameter of a primitive, and adds it to the settings.
///
/// ```
/// use warpwise_lab::measure::bench::parse_setting;
/// use warpwise::primitive::{Setting, Settings};
///
/// let settings = parse_setting("convolve1d", "mask=9", Settings::default()).unwrap();
/// assert_eq!(settings.get("mask"), Some(Setting::Number(9)));
/// let error = parse_setting("convolve1d", "bins=9", Settings::default()).unwrap_err();
/// assert_eq!(error.to_string(), "--set: convolve1d has no parameter bins: use one of mask");
/// ```
pub fn parse_setting(primitive: &str, text: &str, chosen: Settings) -> Result<Settings, BenchError> {
    let primitive = self::primitive(primitive)?;
    let wrong = |problem: String| BenchError::flag("--set", problem);
    let (name, value) = text.split_once('=').ok_or_else(|| wrong(format!("write NAME=VALUE, not {text}")))?;
    let parameter = primitive.parameter(name).ok_or_else(|| {
        let known: Vec<_> = primitive.parameters.iter().map(|p| p.name).collect();
        wrong(match known.as_slice() {
            [] => format!("{} has no parameters", primitive.name),
            known => format!("{} has no parameter {name}: use one of {}", primitive.name, known.join(", ")),
        })
    })?;
    Ok(chosen.with(parameter.name, parameter.parse(value).map_err(wrong)?))
}

/// The kind of data of that name.
fn input(primitive: &Primitive, name: Option<&str>) -> Result<&'static str, BenchError> {
    let Some(name) = name else { return Ok(primitive.inputs[0]) };
    primitive.inputs.iter().find(|input| **input == name).copied().ok_or_else(|| {
        BenchError::flag("--input", format!("there is no {name}: use one of {}", primitive.inputs.join(", ")))
    })
}

fn types(primitive: &'static Primitive, wanted: &[String]) -> Result<Vec<Type>, BenchError> {
    if wanted.is_empty() {
        return Ok(vec![primitive.types[0]]);
    }
    let mut all = Vec::new();
    for name in wanted {
        let known = || format!("{} works on {}", primitive.name, primitive.type_names().join(", "));
        match primitive.types.iter().find(|ty| ty.name() == name) {
            Some(ty) if all.contains(ty) => {}
            Some(ty) => all.push(*ty),
            None if name == "all" => all = primitive.types.to_vec(),
            None => return Err(BenchError::flag("--type", format!("no {name} here: {}", known()))),
        }
    }
    Ok(all)
}

fn entries(
    request: &Request,
    primitive: &'static Primitive,
    stations: &mut Stations,
) -> Result<Vec<Entry>, BenchError> {
    let named = match &request.variants {
        Selection::Named(names) => names.clone(),
        _ => Vec::new(),
    };
    for (flag, name) in
        named.iter().map(|name| ("--variant", name)).chain(request.baseline.iter().map(|name| ("--baseline", name)))
    {
        let here = |v: &&Variant| request.places.iter().any(|place| place.runs(v.runs_on));
        let known: Vec<_> = primitive.variants.iter().filter(here).map(|v| v.name).collect();
        if !known.contains(&name.as_str()) {
            let there = primitive.variants.iter().any(|v| v.name == name.as_str());
            let on = if there { " on this --device" } else { "" };
            let problem = format!("{} has no variant {name}{on}: use one of {}", primitive.name, known.join(", "));
            return Err(BenchError::flag(flag, problem));
        }
    }
    let is_baseline = |v: &Variant| request.baseline.as_deref() == Some(v.name);
    let wanted = |v: &Variant| match &request.variants {
        Selection::All => true,
        Selection::Best => false,
        Selection::Named(names) => names.iter().any(|name| name == v.name),
    };
    let mut all = Vec::new();
    for &place in &request.places {
        for variant in primitive.variants.iter().filter(|v| place.runs(v.runs_on) && (wanted(v) || is_baseline(v))) {
            all.push(Entry { station: stations.open(place, Some(variant.name))?, variant: Some(variant) });
        }
        if request.variants == Selection::Best {
            all.push(Entry { station: stations.open(place, None)?, variant: None });
        }
    }
    let mut kept: Vec<Entry> = Vec::new();
    for entry in all {
        if !kept.contains(&entry) {
            kept.push(entry);
        }
    }
    // The baseline comes first.
    kept.sort_by_key(|entry| !entry.variant.is_some_and(is_baseline));
    Ok(kept)
}

/// The sizes that a request names.
fn given(request: &Request, primitive: &Primitive) -> Result<Vec<Extent>, BenchError> {
    let extents = primitive.extents;
    if !request.planes.is_empty() && !extents.takes_planes() {
        let problem = format!("{} has no rows and columns to choose: use -n", primitive.name);
        return Err(BenchError::flag("--size", problem));
    }
    let lengths = request.lengths.iter().map(|&n| extents.of(n));
    let planes = request.planes.iter().map(|&(rows, cols)| Extent::Plane { rows, cols });
    Ok(lengths.chain(planes).collect())
}

/// The sizes of a primitive's problems, with the variants for each: the given sizes, or one that suits the device.
fn extents(
    primitive: &Primitive,
    given: &[Extent],
    stations: &[Station],
    entries: &[Entry],
) -> Vec<(Extent, Vec<Entry>)> {
    if !given.is_empty() {
        return given.iter().map(|&extent| (extent, entries.to_vec())).collect();
    }
    let mut all = Vec::new();
    for emulated in [false, true] {
        let here: Vec<Entry> = entries.iter().copied().filter(|e| stations[e.station].emulated == emulated).collect();
        if !here.is_empty() {
            all.push((primitive.extents.usual(emulated), here));
        }
    }
    all
}

fn check_memory(problem: &Problem, emulated: bool) -> Result<(), BenchError> {
    let wanted = Cost::host_memory(problem, emulated);
    let free = memory::free();
    if wanted <= u128::from(free) {
        return Ok(());
    }
    let flag = if matches!(problem.extent, Extent::Plane { .. }) { "--size" } else { "-n" };
    let text = format!(
        "{} needs {} of memory with its reference, but only {} are free: use a smaller size",
        problem.label(),
        memory::size(wanted),
        memory::size(free.into())
    );
    Err(BenchError::flag(flag, text))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(change: impl FnOnce(&mut Request)) -> Result<Vec<(String, Option<&'static str>)>, String> {
        let mut request = Request::new("reduce");
        change(&mut request);
        let plan = Plan::new(&request).map_err(|error| error.to_string())?;
        let named = |group: &Group, entry: &Entry| {
            let device = plan.stations[entry.station].device.name();
            (format!("{device} {}", group.problem.label()), entry.variant.map(|v| v.name))
        };
        Ok(plan.groups.iter().flat_map(|group| group.entries.iter().map(|entry| named(group, entry))).collect())
    }

    #[test]
    fn variants_go_where_they_run() {
        let names = Selection::Named(vec!["cpu-par".into(), "gpu-8-shuffle".into()]);
        let places = vec![Place::Cpu, Place::Emulator];
        let all = plan(|r| (r.variants, r.lengths, r.places) = (names, vec![32, 64], places)).unwrap();
        let expected = [
            ("cpu i32, n = 32", "cpu-par"),
            ("emulator i32, n = 32", "gpu-8-shuffle"),
            ("cpu i32, n = 64", "cpu-par"),
            ("emulator i32, n = 64", "gpu-8-shuffle"),
        ];
        assert_eq!(all, expected.map(|(at, name)| (at.to_owned(), Some(name))));
        let all = plan(|r| (r.variants, r.places, r.lengths) = (Selection::All, vec![Place::Cpu], vec![8])).unwrap();
        assert_eq!(all.len(), 2);
        let all = plan(|r| (r.places, r.types) = (vec![Place::Cpu, Place::Emulator], vec!["f32".into(), "u64".into()]));
        let expected = ["cpu f32, n = 2^24", "emulator f32, n = 2^16", "cpu u64, n = 2^24", "emulator u64, n = 2^16"];
        assert_eq!(all.unwrap(), expected.map(|at| (at.to_owned(), None)));
    }

    #[test]
    fn the_baseline_is_added_and_comes_first() {
        let all = plan(|r| {
            (r.variants, r.baseline) = (Selection::Named(vec!["cpu-par".into()]), Some("cpu-seq".into()));
            r.lengths = vec![8];
        });
        let expected = ["cpu-seq", "cpu-par"].map(|name| ("cpu i32, n = 8".to_owned(), Some(name)));
        assert_eq!(all.unwrap(), expected);
    }

    #[test]
    fn mistakes_are_said_with_the_flag() {
        let named = |name: &str| Selection::Named(vec![name.into()]);
        let cases: [(Result<_, String>, &str); 7] = [
            (
                plan(|r| r.primitive = "redcue".into()),
                "there is no primitive redcue to time: use one of vecadd, reduce",
            ),
            (plan(|r| r.primitive = "hello".into()), "there is no primitive hello to time"),
            (
                plan(|r| r.variants = named("gpu-10")),
                "--variant: reduce has no variant gpu-10: use one of cpu-seq, cpu",
            ),
            (
                plan(|r| (r.variants, r.places) = (named("gpu-8-shuffle"), vec![Place::Cpu])),
                "--variant: reduce has no variant gpu-8-shuffle on this --device: use one of cpu-seq, cpu-par",
            ),
            (plan(|r| r.types = vec!["u8".into()]), "--type: no u8 here: reduce works on i32, u32"),
            (plan(|r| r.planes = vec![(3, 4)]), "--size: reduce has no rows and columns to choose: use -n"),
            (plan(|r| r.baseline = Some("x".into())), "--baseline: reduce has no variant x"),
        ];
        for (found, expected) in cases {
            let error = found.unwrap_err();
            assert!(error.starts_with(expected), "{error}");
        }
    }

    #[test]
    fn sizes_beyond_memory_are_refused_by_name() {
        let error = plan(|r| r.lengths = vec![8, 1 << 50]).unwrap_err();
        assert!(error.starts_with("-n: i32, n = 2^50 needs 4.0 PiB of memory"), "{error}");
        let error = plan(|r| (r.primitive, r.planes) = ("heat".into(), vec![(1 << 30, 1 << 30)])).unwrap_err();
        assert!(error.starts_with("--size: f64, 1073741824x1073741824 needs"), "{error}");
    }
}
