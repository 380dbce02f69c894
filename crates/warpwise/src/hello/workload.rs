//! Hello: enough blocks for as many threads as the problem has elements.

use super::greet;
use crate::Error;
use crate::conformance::equal;
use crate::primitive::{Case, Job, Problem, Runner, Step};

/// Threads of a block.
const BLOCK: u32 = 256;

struct Greetings {
    blocks: u32,
}

pub(super) fn case(problem: &Problem) -> Result<Box<dyn Case>, Error> {
    let blocks = problem.elements().div_ceil(BLOCK as usize);
    Ok(Box::new(Greetings { blocks: u32::try_from(blocks).unwrap_or(u32::MAX) }))
}

impl Case for Greetings {
    fn job(&self, runner: &Runner) -> Job<'_> {
        let (device, again) = (runner.device.clone(), runner.device.clone());
        let lines = u64::from(self.blocks) * u64::from(BLOCK);
        Job::new(
            move || greet(&device, self.blocks, BLOCK),
            move |text| Ok(equal(&[text.lines().count() as u64], &[lines])),
            Box::new(move |step| match step {
                Step::Prepare => Ok(()),
                Step::Call => greet(&again, self.blocks, BLOCK).map(drop),
            }),
        )
    }
}
