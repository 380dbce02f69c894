//! An answer at work.

use super::answers::answer;
use super::check::defaults;
use super::error::CourseError;
use super::lesson::Lesson;
use super::start::Workplace;
use crate::kernels::explain::Request as Target;
use crate::kernels::launches;
use crate::kernels::watch::{Choice, Record, watch as follow};
use std::path::Path;

/// The last warp that is followed: a page with eight is small, and shows what more would show again.
const LAST_WARP: u32 = 7;

/// Follows blocks of the first launch of an exercise with an answer, for a page that one steps through; if none are
/// named, those where something is found. A folder means the answer in it.
pub fn watch(lesson: &Lesson, path: &Path, blocks: Vec<[u32; 3]>) -> Result<Record, CourseError> {
    // The arguments of a launch may be files there.
    let place = Workplace::new(lesson)?;
    let mut requests = launches::requests(&place.launch_file(), &defaults())?;
    let mut first = requests.swap_remove(0);
    first.file = answer(lesson, path)?;
    Ok(follow(&Target::File(Box::new(first)), &Choice::new(blocks, Some((0, LAST_WARP)), None, None))?)
}
