//! Checks of reduce.

use crate::conformance::Placed;
use crate::conformance::large;
use crate::conformance::{Collector, SIZES, Verdict, combined, equal, picked, within};
use crate::reduce::{self, Extreme, Finish, Order, Reduce, Reducible, Summable};
use crate::{Element, Operator};

/// Every operator and type, at every size.
pub(super) fn checks(c: &mut Collector<'_>) {
    typed::<i32>(c, 0);
    typed::<u32>(c, 1);
    typed::<i64>(c, 2);
    typed::<u64>(c, 3);
    typed::<f32>(c, 4);
    typed::<f64>(c, 5);
    special::<f32>(c);
    special::<f64>(c);
    zeros::<f32>(c);
    zeros::<f64>(c);
    if ["cpu-par", "gpu-10-posted"].contains(&c.variant().name) {
        wide::<u8>(c);
        wide::<i32>(c);
        wide::<u32>(c);
        wide::<f32>(c);
        checked(c);
    }
    if c.variant().name == "gpu-11-fixed-tree" {
        bits::<f32>(c);
        bits::<f64>(c);
    }
}

fn how(c: &Collector<'_>) -> Reduce {
    Reduce::new().variant(c.rung::<reduce::Rung>())
}

fn typed<T: Reducible>(c: &mut Collector<'_>, column: usize) {
    let mut sizes = SIZES.to_vec();
    sizes.push(3000 + 977 * column);
    for (row, &n) in sizes.iter().enumerate() {
        for (k, operator) in Operator::ALL.into_iter().enumerate() {
            if c.takes(row + column + k) {
                values::<T>(c, operator, n);
            }
        }
        for (k, extreme) in Extreme::ALL.into_iter().enumerate() {
            if c.takes(row + column + k + 1) {
                places::<T>(c, extreme, n);
            }
        }
    }
    if c.variant().name.starts_with("gpu-") {
        for finish in [Finish::Recursive, Finish::Cpu] {
            let how = how(c).finish(finish);
            c.add(format!("sum {}, n = 5000, finished by {}", T::NAME, finish.name()), move |device, random| {
                let xs: Vec<T> = random.elements(5000);
                let found = how.run(device, &Placed::new(device, &xs, random)?)?;
                Ok(within(&[found], &[reduce::reference::reduce(Operator::Sum, &xs)?], 5000))
            });
        }
    }
}

fn values<T: Reducible>(c: &mut Collector<'_>, operator: Operator, n: usize) {
    let how = how(c);
    c.add(format!("{} {}, n = {n}", operator.name(), T::NAME), move |device, random| {
        // Products of many numbers below one underflow and test nothing: factors are -1, 1 or close to them.
        let mut xs: Vec<T> = random.elements(n);
        if operator == Operator::Product && T::IS_FLOAT {
            for x in &mut xs {
                *x = if x.to_f64() < 0.0 { T::from_random(0, -1.0) } else { T::ONE };
            }
        }
        let found = how.clone().operator(operator).run(device, &Placed::new(device, &xs, random)?);
        match reduce::reference::reduce(operator, &xs) {
            Ok(expected) => Ok(combined(operator, &[found?], &[expected], n)),
            Err(expected) => Ok(same_error(found.err(), &expected)),
        }
    });
}

fn places<T: Reducible>(c: &mut Collector<'_>, extreme: Extreme, n: usize) {
    let how = how(c);
    c.add(format!("{} {}, n = {n}", extreme.name(), T::NAME), move |device, random| {
        // Few different values, so that there are ties.
        let few: Vec<T> = random.elements(7);
        let xs: Vec<T> = (0..n).map(|_| few[random.below(7)]).collect();
        let found = how.place(device, extreme, &Placed::new(device, &xs, random)?);
        match reduce::reference::place(extreme, &xs) {
            Ok(expected) => Ok(equal(&[found?], &[expected])),
            Err(expected) => Ok(same_error(found.err(), &expected)),
        }
    });
}

/// NaN and infinities behave as documented.
fn special<T: Reducible>(c: &mut Collector<'_>) {
    let how = how(c);
    c.add(format!("NaN and infinities {}", T::NAME), move |device, random| {
        let nan = T::HIGHEST.plus(T::LOWEST);
        let mut xs: Vec<T> = random.elements(777);
        (xs[300], xs[500], xs[600]) = (T::HIGHEST, nan, nan);
        let mut found = Vec::new();
        let mut expected = Vec::new();
        for operator in [Operator::Sum, Operator::Min, Operator::Max] {
            found.push(how.clone().operator(operator).run(device, &xs)?);
            expected.push(reduce::reference::reduce(operator, &xs)?);
        }
        let verdict = within(&found, &expected, 777);
        if !verdict.passed() {
            return Ok(verdict);
        }
        let places = [Extreme::Min, Extreme::Max].map(|extreme| how.place(device, extreme, &xs));
        let [a, b] = places;
        Ok(equal(&[a?, b?], &[500, 500]))
    });
}

/// -0 is smaller than +0.
fn zeros<T: Reducible>(c: &mut Collector<'_>) {
    let how = how(c);
    c.add(format!("zeros of both signs {}", T::NAME), move |device, random| {
        let (mut found, mut expected) = (Vec::new(), Vec::new());
        for n in [1, 2, 33, 1000, 5000] {
            for (operator, often) in [Operator::Min, Operator::Max].into_iter().flat_map(|op| [(op, false), (op, true)])
            {
                let xs: Vec<T> = random.zeros(n, operator, often);
                found.push(how.clone().operator(operator).run(device, &Placed::new(device, &xs, random)?)?);
                expected.push(reduce::reference::reduce(operator, &xs)?);
            }
        }
        Ok(picked(&found, &expected))
    });
}

/// The reproducible order gives the bits of the CPU.
fn bits<T: Reducible>(c: &mut Collector<'_>) {
    for n in [1, 100, 4097, 8192, 30_011] {
        let how = how(c).order(Order::Reproducible);
        c.add(format!("bits of a sum and a product {}, n = {n}", T::NAME), move |device, random| {
            let sums: Vec<T> = random.elements(n);
            let factors: Vec<T> = sums.iter().map(|x| T::from_random(0, 1.0 + 0.001 * x.to_f64())).collect();
            let mut found = Vec::new();
            let mut expected = Vec::new();
            for (operator, xs) in [(Operator::Sum, &sums), (Operator::Product, &factors)] {
                let placed = Placed::new(device, xs, random)?;
                found.push(how.clone().operator(operator).run(device, &placed)?.to_f64().to_bits());
                expected.push(reduce::cpu::par(operator, xs)?.to_f64().to_bits());
            }
            Ok(equal(&found, &expected))
        });
    }
}

/// Sums in 64 bits, which have no variants: they belong to the best ones.
fn wide<T: Summable>(c: &mut Collector<'_>) {
    for n in SIZES {
        c.add(format!("wide sum {}, n = {n}", T::NAME), move |device, random| {
            let xs: Vec<T> = random.elements(n);
            let found = reduce::wide_sum(device, &Placed::new(device, &xs, random)?)?.to_f64();
            // So few numbers of 32 bits are added exactly in f64.
            let exact: f64 = xs.iter().map(|x| x.to_f64()).sum();
            Ok(if T::IS_FLOAT { within(&[found], &[exact], n) } else { equal(&[found], &[exact]) })
        });
    }
}

/// Sums that fit 64 bits, and sums that do not.
fn checked(c: &mut Collector<'_>) {
    for n in [1, 2, 1000, 30_011] {
        c.add(format!("checked sum i64, n = {n}"), move |device, random| {
            let xs: Vec<i64> = random.elements(n);
            let exact: i128 = xs.iter().map(|&x| i128::from(x)).sum();
            let found = match reduce::checked_sum(device, &Placed::new(device, &xs, random)?) {
                Ok(sum) => i128::from(sum),
                Err(crate::Error::Overflow { sum, .. }) if i64::try_from(sum).is_err() => sum,
                Err(other) => return Err(other),
            };
            Ok(equal(&[found.to_string()], &[exact.to_string()]))
        });
    }
}

fn same_error(found: Option<crate::Error>, expected: &crate::Error) -> Verdict {
    let found = found.map_or_else(|| "a value".to_owned(), |e| e.to_string());
    equal(&[found], &[expected.to_string()])
}

/// More elements than 31 bits can count.
pub(super) fn large(c: &mut Collector<'_>) {
    let how = how(c);
    c.add(large::label("sum, max and argmax i32"), move |device, _| {
        let xs = crate::Buffer::from_slice(device, large::words())?;
        let found = (
            how.run(device, &xs)?,
            how.clone().operator(Operator::Max).run(device, &xs)?,
            how.place(device, Extreme::Max, &xs)?,
        );
        Ok(large::same(&found, &(large::sum_of(large::N), large::PEAK, large::PEAK_AT)))
    });
}
