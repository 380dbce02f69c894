//! What can be wrong with an image.

use std::fmt;

/// Why no PTX could be had from an image.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ImageError {
    /// None of the formats that can hold GPU code.
    #[error("this is not GPU code: it is neither PTX, nor a fatbinary, nor an ELF file, nor an archive of these")]
    Unknown,
    /// The image ends too early, or its sizes contradict each other.
    #[error("the image is damaged: {0}")]
    Damaged(&'static str),
    /// The image says that it unpacks to more than any text has.
    #[error("the image says that it unpacks to {bytes} bytes, which is more than can be right")]
    TooLarge {
        /// As the image says.
        bytes: u64,
    },
    /// The image is packed in a way that is not known here.
    #[error("the image is compressed in a way that is not known here (flags {flags:#x})")]
    Packing {
        /// The flags of its entry.
        flags: u64,
    },
    /// There is machine code, and no PTX beside it.
    #[error("{}", MachineCode(.architectures))]
    MachineCodeOnly {
        /// What the machine code is for: 90 for `sm_90`.
        architectures: Vec<u32>,
    },
    /// An ELF file or an archive without any GPU code.
    #[error("there is no GPU code in it")]
    NoCode,
}

/// The sentence on machine code.
struct MachineCode<'a>(&'a [u32]);

impl fmt::Display for MachineCode<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("there is only machine code")?;
        for (i, sm) in self.0.iter().enumerate() {
            f.write_str(match i {
                0 => " for ",
                _ if i + 1 == self.0.len() => " and ",
                _ => ", ",
            })?;
            write!(f, "sm_{sm}")?;
        }
        let sm = self.0.first().copied().filter(|&sm| sm > 0).unwrap_or(90);
        write!(
            f,
            " and no PTX, which is what runs here: build with '-gencode arch=compute_{sm},code=compute_{sm}' (or with \
             -lineinfo, which keeps the PTX beside the machine code)"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::ImageError;

    #[test]
    fn machine_code_is_told_how_to_be_built() {
        let told = |architectures: &[u32]| {
            let text = ImageError::MachineCodeOnly { architectures: architectures.to_vec() }.to_string();
            text.split(" and no PTX").next().map(str::to_owned).filter(|_| text.contains("-lineinfo"))
        };
        assert_eq!(told(&[80]).as_deref(), Some("there is only machine code for sm_80"));
        assert_eq!(told(&[75, 80, 90]).as_deref(), Some("there is only machine code for sm_75, sm_80 and sm_90"));
        let text = ImageError::MachineCodeOnly { architectures: vec![86, 90] }.to_string();
        assert!(text.contains("'-gencode arch=compute_86,code=compute_86'"), "{text}");
    }
}
