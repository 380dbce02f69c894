//! Sort on a device.

use super::gpu::{self, Job};
use super::order::{self, Key, Value};
use super::{PRIMITIVE, Sort, cpu};
use crate::device::{Landing, Session, Staged};
use crate::{Device, Error, Input, Output};

/// Keys only.
pub(super) fn keys<K: Key>(
    device: &Device,
    how: &Sort,
    keys: &dyn Input<K>,
    out: &mut dyn Output<K>,
) -> Result<(), Error> {
    Error::check_length("the output", out.room(), keys.length())?;
    keys.check(device)?;
    let target = out.as_target();
    target.check(device)?;
    let Some(session) = device.session() else {
        let how = on_cpu(device, how)?;
        K::sort_on_host(how, &keys.for_cpu()?, Some(target.for_cpu()?), cpu::Along::Nothing);
        return Ok(());
    };
    let job = job::<K>(device, session, how, keys.length())?;
    if keys.length() == 0 {
        return Ok(());
    }
    let (keys, out) = (Staged::new(session, keys)?, Landing::new(session, target)?);
    job.run(keys.argument(), out.argument(), None)?;
    out.finish()
}

/// Keys and values.
pub(super) fn pairs<K: Key, V: Value>(
    device: &Device,
    how: &Sort,
    keys: &dyn Input<K>,
    values: &dyn Input<V>,
    out: &mut dyn Output<K>,
    along: &mut dyn Output<V>,
) -> Result<(), Error> {
    let n = keys.length();
    Error::check_length("the values", values.length(), n)?;
    Error::check_length("the output of keys", out.room(), n)?;
    Error::check_length("the output of values", along.room(), n)?;
    keys.check(device)?;
    values.check(device)?;
    let (target, along) = (out.as_target(), along.as_target());
    target.check(device)?;
    along.check(device)?;
    let Some(session) = device.session() else {
        let (how, keys, values) = (on_cpu(device, how)?, keys.for_cpu()?, values.for_cpu()?);
        let (out, along) = (target.for_cpu()?, along.for_cpu()?);
        let along = match size_of::<V>() {
            4 => cpu::Along::Words(bytemuck::cast_slice(&values), bytemuck::cast_slice_mut(along)),
            _ => cpu::Along::Longs(bytemuck::cast_slice(&values), bytemuck::cast_slice_mut(along)),
        };
        K::sort_on_host(how, &keys, Some(out), along);
        return Ok(());
    };
    let job = job::<K>(device, session, how, n)?;
    if n == 0 {
        return Ok(());
    }
    let (keys, values) = (Staged::new(session, keys)?, Staged::new(session, values)?);
    let (out, along) = (Landing::new(session, target)?, Landing::new(session, along)?);
    let bytes = size_of::<V>() as u64;
    let moved = gpu::Along { from: values.argument(), to: along.argument(), bytes };
    job.run(keys.argument(), out.argument(), Some(moved))?;
    out.finish()?;
    along.finish()
}

/// The numbers of keys.
pub(super) fn numbers<K: Key>(
    device: &Device,
    how: &Sort,
    keys: &dyn Input<K>,
    out: &mut dyn Output<u32>,
) -> Result<(), Error> {
    let n = keys.length();
    Error::check_length("the output", out.room(), n)?;
    if n as u64 > 1 << 32 {
        return Err(Error::TooLarge { rows: n, columns: 1 });
    }
    keys.check(device)?;
    let target = out.as_target();
    target.check(device)?;
    let Some(session) = device.session() else {
        let how = on_cpu(device, how)?;
        K::sort_on_host(how, &keys.for_cpu()?, None, cpu::Along::Numbers(target.for_cpu()?));
        return Ok(());
    };
    let job = job::<K>(device, session, how, n)?;
    if n == 0 {
        return Ok(());
    }
    let (keys, out) = (Staged::new(session, keys)?, Landing::new(session, target)?);
    let sorted = session.allocate((n * size_of::<K>()) as u64)?;
    let numbers = gpu::Along { from: crate::device::Argument::NULL, to: out.argument(), bytes: 4 };
    job.run(keys.argument(), sorted.argument(), Some(numbers))?;
    out.finish()
}

fn on_cpu(device: &Device, how: &Sort) -> Result<cpu::How, Error> {
    let chosen = PRIMITIVE.choose(device, how.name(), "cpu-par")?;
    Ok(cpu::How { descending: how.descending, in_parallel: chosen.name != "cpu-seq" })
}

fn job<'a, K: Key>(device: &'a Device, session: &'a Session, how: &Sort, n: usize) -> Result<Job<'a>, Error> {
    let chosen = PRIMITIVE.choose(device, how.name(), gpu::best(session, n))?;
    let geometry = PRIMITIVE.geometry(session, how.geometry, chosen.name, K::NAME);
    let order = K::KIND + if how.descending { order::DESCENDING } else { 0 };
    let bytes = size_of::<K>() as u64;
    Ok(Job { bytes, order, n: n as u64, ..Job::new(device, session, chosen.name, geometry) })
}
