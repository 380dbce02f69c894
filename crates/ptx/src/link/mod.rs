//! Several texts become one, as a device linker does it with objects.
//!
//! Linking works on the tokens of the texts: what is kept is copied as it is written, but for names and numbers of files
//! that must change.

mod error;
mod input;
mod rename;
mod resolve;
mod results;
mod statement;
mod write;

pub use error::{LinkError, Undefined};

use input::Input;
use rename::Renames;
use resolve::Resolution;

/// Links PTX modules into one.
///
/// - What one text declares `.extern` another one defines. Left undefined may be only functions that the driver provides
///   (`vprintf`, `malloc` and the like) and those of the device runtime, whose names start with `cuda` or `__cudaCDP2`;
///   and dynamic shared memory, which is one piece under all its names.
/// - Of definitions that are `.weak` or `.common` one is kept: a strong one if there is any, else the first of the weak,
///   else the largest of the common ones.
/// - Functions are joined by name. One that is declared with a result and defined without has a result that nothing
///   writes; one that is declared without and defined with a result is called for nothing.
/// - Names that no other text can see get new ones where they would meet another.
/// - `.version` and `.target` are the highest of all.
/// - Files are numbered anew, and lines follow. Of debug sections only the strings are kept, which lines refer to; and
///   so the target no longer says `debug`.
///
/// A text by itself comes back as it is, if all is defined that it needs.
///
/// ```
/// let one = ".version 8.0 .target sm_80 .address_size 64
///     .extern .func (.param .b32 r) next(.param .b32 x);
///     .visible .entry k() { ret; }";
/// let two = ".version 8.4 .target sm_80 .address_size 64
///     .visible .func (.param .b32 r) next(.param .b32 x) { ret; }";
/// let linked = warpwise_ptx::link(&[one, two])?;
/// let module = warpwise_ptx::parse(&linked)?;
/// assert_eq!(module.version, (8, 4));
/// assert!(module.function("next").is_some_and(|next| next.body.is_some()));
///
/// let error = warpwise_ptx::link(&[one]).unwrap_err();
/// assert_eq!(error.to_string(), "undefined reference to 'next' in input 1");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// A text is no PTX, a name is defined nowhere or twice, or the texts do not go together.
pub fn link(texts: &[&str]) -> Result<String, LinkError> {
    let inputs = texts.iter().enumerate().map(|(index, text)| Input::read(index, text));
    let inputs = inputs.collect::<Result<Vec<_>, _>>()?;
    let Some(first) = inputs.first() else { return Err(LinkError::Nothing) };
    if let Some(other) = inputs.iter().find(|other| other.address_size != first.address_size) {
        return Err(LinkError::AddressSize { first: 0, second: other.index });
    }
    let resolution = Resolution::of(&inputs)?;
    if let [_] = inputs[..] {
        return Ok(texts[0].to_owned());
    }
    let renames = Renames::of(&inputs, &resolution);
    Ok(write::write(&inputs, &resolution, &renames))
}
