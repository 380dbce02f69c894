//! What comes out of a scan: a vector for each field.

use super::lanes;
use crate::device::Allocation;
use crate::expression::gpu;
use crate::expression::kind::Kind;
use crate::expression::mapped::{Parts, kind_of};
use crate::expression::ptx::Fold;
use crate::simd::Level;
use crate::{Buffer, Device, Element, Error, scan};

/// What came out of a [scan](super::Fold::scan): a vector for each field, on the device.
///
/// ```
/// use warpwise::Device;
/// use warpwise::expression::{Fold, Operand};
/// use warpwise::scan::Kind;
///
/// let product = Fold::associative().field("value", "x", "a.value * b.value", 1);
/// let mut found = product.scan(&Device::emulator(), Kind::Exclusive, vec![Operand::new(&[3, 1, 4])])?;
/// assert!(found.take::<f32>("value").unwrap_err().to_string().contains("i32"));
/// assert_eq!(found.take::<i32>("value")?.to_vec()?, [1, 3, 3]);
/// # Ok::<(), warpwise::Error>(())
/// ```
#[derive(Debug)]
pub struct Scanned {
    device: Device,
    length: usize,
    fields: Vec<Field>,
}

#[derive(Debug)]
struct Field {
    name: String,
    kind: Kind,
    /// Until it is taken.
    values: Option<Values>,
}

#[derive(Debug)]
enum Values {
    Host(Vec<u64>),
    Device(Allocation),
}

impl Scanned {
    pub(super) fn new(
        device: &Device,
        way: scan::Kind,
        parts: &Parts<'_>,
        fold: &Fold,
        fields: Vec<(String, Kind)>,
    ) -> Result<Self, Error> {
        let n = parts.length;
        let values: Vec<Values> = match device.session() {
            Some(session) => {
                let room = |kind: Kind| session.allocate((n * kind.bytes()) as u64);
                let outs: Vec<Allocation> = fold.item.kinds().map(room).collect::<Result<_, _>>()?;
                if n > 0 {
                    let arguments: Vec<_> = outs.iter().map(Allocation::argument).collect();
                    gpu::scan_fold(parts, session, fold, way, &arguments)?;
                }
                outs.into_iter().map(Values::Device).collect()
            }
            None => lanes::scan(Level::current(), parts, fold, way)?.into_iter().map(Values::Host).collect(),
        };
        let field = |((name, kind), values)| Field { name, kind, values: Some(values) };
        Ok(Self { device: device.clone(), length: n, fields: fields.into_iter().zip(values).map(field).collect() })
    }

    /// Takes a field, which stays on the device.
    ///
    /// # Errors
    ///
    /// [`Error::Expression`] if there is none of that name and type, or if it was taken before.
    ///
    /// ```
    /// use warpwise::expression::{Fold, Operand};
    /// use warpwise::scan::Kind;
    /// use warpwise::{Device, reduce};
    ///
    /// let device = Device::emulator();
    /// let sum = Fold::associative().field("sum", "x", "a.sum + b.sum", 0);
    /// let mut sums = sum.scan(&device, Kind::Inclusive, vec![Operand::new(&[1, 2, -5])])?;
    /// assert_eq!(reduce::max(&device, &sums.take::<i32>("sum")?)?, 3);
    /// assert!(sums.take::<i32>("sum").unwrap_err().to_string().contains("taken before"));
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn take<T: Element>(&mut self, name: &str) -> Result<Buffer<T>, Error> {
        let refuse = |why: String| Err(Error::expression(0, why));
        let Some(field) = self.fields.iter_mut().find(|field| field.name == name) else {
            return refuse(format!("there is no field {name}: use one of those that were given"));
        };
        if Some(field.kind) != kind_of::<T>() {
            return refuse(format!("{name} is {}, not {}: ask for that", field.kind.name(), T::NAME));
        }
        match field.values.take() {
            None => refuse(format!("{name} was taken before: keep what was returned then")),
            Some(Values::Device(memory)) => Ok(Buffer::from_allocation(&self.device, memory, self.length)),
            Some(Values::Host(words)) => {
                let values: &[T] = bytemuck::cast_slice(&words);
                Ok(Buffer::from_vec(values[..self.length].to_vec()))
            }
        }
    }
}
