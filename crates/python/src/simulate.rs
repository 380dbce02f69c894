//! Heat on a cylinder, and the radiator. Ctrl-C is heard between steps.

use crate::calls::away;
use crate::error::exception;
use crate::host::{Kind, Plain, empty, unsupported};
use crate::place;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::time::{Duration, Instant};
use warpwise::heat::{self, Cylinder, Heat, Limits};
use warpwise::radiator::{self, Preset, Radiate, Radiator};
use warpwise::{Device, Error, Float};

/// How long steps go on before Ctrl-C is looked for.
const PATIENCE: Duration = Duration::from_millis(50);

fn device_of(name: Option<&str>) -> PyResult<Device> {
    name.map_or_else(|| Ok(Device::cpu()), place::named)
}

/// Writes the temperatures after all steps; returns how many there were, and the largest difference of the last one.
#[pyfunction]
#[allow(clippy::too_many_arguments, reason = "all of them are choices")]
pub(crate) fn heat_into(
    py: Python<'_>,
    temperature: &Bound<'_, PyAny>,
    conductivity: &Bound<'_, PyAny>,
    out: &Bound<'_, PyAny>,
    iterations: usize,
    threshold: f64,
    device: Option<&str>,
    variant: Option<&str>,
) -> PyResult<(usize, f64)> {
    let device = device_of(device)?;
    let rung = variant.map(str::parse::<heat::Rung>).transpose().map_err(exception)?;
    let how = Heat::new().variant(rung);
    let dense = |object| Plain::of(object).filter(|plain: &Plain<'_>| plain.in_c_order() && plain.shape().len() == 2);
    let (Some(start), Some(weights), Some(to)) = (dense(temperature), dense(conductivity), dense(out)) else {
        return Err(PyValueError::new_err("heat needs arrays of two axes"));
    };
    let &[rows, columns] = start.shape() else { return Err(PyValueError::new_err("heat needs two axes")) };
    if weights.shape() != start.shape() || to.shape() != start.shape() {
        return Err(PyValueError::new_err("heat: all arrays need the shape of the temperature"));
    }
    fn run<T: heat::Temperature>(
        py: Python<'_>,
        device: &Device,
        how: &Heat,
        cylinder: Cylinder<'_, T>,
        limits: Limits,
        out: &mut [T],
    ) -> PyResult<(usize, f64)> {
        let bytes = size_of_val(out);
        let mut simulation = away(py, device, bytes, || how.start(device, cylinder)).map_err(exception)?;
        let (mut done, mut difference, mut piece) = (0, 0.0, 1);
        while done < limits.iterations {
            let begun = Instant::now();
            let part = Limits { iterations: piece.min(limits.iterations - done), ..limits };
            let outcome = away(py, device, bytes, || simulation.run(part)).map_err(exception)?;
            done += outcome.iterations;
            difference = outcome.max_difference;
            if outcome.iterations < part.iterations || difference < limits.threshold {
                break;
            }
            py.check_signals()?;
            if begun.elapsed() < PATIENCE {
                piece *= 2;
            }
        }
        out.copy_from_slice(&simulation.temperatures().map_err(exception)?);
        Ok((done, difference))
    }
    macro_rules! simulated {
        ($t:ident) => {{
            // SAFETY: all are dense and of this type; the last one is promised to this call.
            let (start, weights, to) = unsafe { (start.slice::<$t>(), weights.slice(), to.slice_mut()) };
            let cylinder = Cylinder::new(rows, columns, start, weights).map_err(exception)?;
            run(py, &device, &how, cylinder, Limits { iterations, threshold }, to)
        }};
    }
    match (start.kind(), weights.kind(), to.kind()) {
        (Some(Kind::F32), Some(Kind::F32), Some(Kind::F32)) => simulated!(f32),
        (Some(Kind::F64), Some(Kind::F64), Some(Kind::F64)) => simulated!(f64),
        (Some(other), ..) => Err(unsupported("heat", other, "float32, float64, the same for all")),
        (None, ..) => Err(PyValueError::new_err("heat needs arrays of float32 or float64")),
    }
}

/// The radiator after some iterations: its values, and the averages of its rows.
#[pyfunction]
#[allow(clippy::too_many_arguments, reason = "all of them are choices")]
pub(crate) fn radiate<'py>(
    py: Python<'py>,
    rows: usize,
    columns: usize,
    iterations: usize,
    preset: &str,
    dtype: &str,
    device: Option<&str>,
    variant: Option<&str>,
) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
    let device = device_of(device)?;
    let rung = variant.map(str::parse::<radiator::Rung>).transpose().map_err(exception)?;
    let how = Radiate::new().variant(rung);
    let preset = Preset::ALL.into_iter().find(|known| known.name() == preset).ok_or_else(|| {
        let known: Vec<&str> = Preset::ALL.into_iter().map(Preset::name).collect();
        PyValueError::new_err(format!("preset: there is no preset {preset:?}: use one of {}", known.join(", ")))
    })?;
    let radiator = Radiator::new(preset, rows, columns).map_err(exception)?;
    fn run<T: radiator::Temperature>(
        py: Python<'_>,
        device: &Device,
        how: &Radiate,
        radiator: Radiator,
        iterations: usize,
    ) -> PyResult<(Vec<T>, Vec<T>)> {
        let mut simulation = py.detach(|| how.start::<T>(device, radiator)).map_err(exception)?;
        let (mut done, mut piece) = (0, 1);
        while done < iterations {
            let begun = Instant::now();
            let part = piece.min(iterations - done);
            py.detach(|| simulation.run(part)).map_err(exception)?;
            done += part;
            py.check_signals()?;
            if begun.elapsed() < PATIENCE {
                piece *= 2;
            }
        }
        let both = || -> Result<_, Error> { Ok((simulation.values()?, simulation.averages()?)) };
        both().map_err(exception)
    }
    fn shown<'py, T: Float + crate::host::Element>(
        py: Python<'py>,
        (values, averages): (Vec<T>, Vec<T>),
        shape: &[usize],
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let made = empty(py, T::KIND, shape)?;
        if let Some(to) = Plain::of(&made) {
            // SAFETY: new, dense and of this type.
            unsafe { to.slice_mut::<T>() }.copy_from_slice(&values);
        }
        Ok((made, crate::host::array(py, &averages)?))
    }
    match Kind::named(dtype) {
        Some(Kind::F32) => shown(py, run::<f32>(py, &device, &how, radiator, iterations)?, &[rows, columns]),
        Some(Kind::F64) => shown(py, run::<f64>(py, &device, &how, radiator, iterations)?, &[rows, columns]),
        _ => Err(PyValueError::new_err(format!("dtype: the radiator has no {dtype}: use float32 or float64"))),
    }
}
