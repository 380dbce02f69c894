//! What goes through the pipes: numbers, bytes and text, and the calls and answers made of them.

use crate::cuda::MemoryPolicy;
use crate::{DeviceError, DevicePtr, Fault, FaultKind};
use std::io::{self, Read, Write};

/// The calls of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Call {
    Open,
    Allocate,
    Free,
    Upload,
    Download,
    Fill,
    Copy,
    Load,
    Prepare,
    Launch,
    Variable,
    Synchronize,
    Mark,
    Elapsed,
    ClearMarks,
    Held,
}

impl Call {
    const ALL: [Self; 16] = [
        Self::Open,
        Self::Allocate,
        Self::Free,
        Self::Upload,
        Self::Download,
        Self::Fill,
        Self::Copy,
        Self::Load,
        Self::Prepare,
        Self::Launch,
        Self::Variable,
        Self::Synchronize,
        Self::Mark,
        Self::Elapsed,
        Self::ClearMarks,
        Self::Held,
    ];

    fn of(byte: u8) -> Option<Self> {
        Self::ALL.get(usize::from(byte)).copied()
    }
}

/// A message: words and bytes, in the order in which they are read.
#[derive(Debug, Default)]
pub(super) struct Message(Vec<u8>);

impl Message {
    pub(super) fn call(call: Call) -> Self {
        Self(vec![call as u8])
    }

    pub(super) fn word(mut self, word: u64) -> Self {
        self.0.extend(word.to_le_bytes());
        self
    }

    pub(super) fn bytes(mut self, bytes: &[u8]) -> Self {
        self = self.word(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
        self
    }

    /// Sends it.
    pub(super) fn send(&self, to: &mut impl Write) -> io::Result<()> {
        to.write_all(&(self.0.len() as u64).to_le_bytes())?;
        to.write_all(&self.0)?;
        to.flush()
    }
}

/// A received message.
#[derive(Debug)]
pub(super) struct Parcel {
    bytes: Vec<u8>,
    at: usize,
}

impl Parcel {
    /// Waits for one; `None` if the other side is gone.
    pub(super) fn receive(from: &mut impl Read) -> Option<Self> {
        let mut length = [0; 8];
        from.read_exact(&mut length).ok()?;
        let mut bytes = vec![0; usize::try_from(u64::from_le_bytes(length)).ok()?];
        from.read_exact(&mut bytes).ok()?;
        Some(Self { bytes, at: 0 })
    }

    fn take(&mut self, count: usize) -> Option<&[u8]> {
        let part = self.bytes.get(self.at..self.at.checked_add(count)?)?;
        self.at += count;
        Some(part)
    }

    pub(super) fn call(&mut self) -> Option<Call> {
        Call::of(self.take(1)?[0])
    }

    pub(super) fn word(&mut self) -> Option<u64> {
        Some(u64::from_le_bytes(self.take(8)?.try_into().ok()?))
    }

    pub(super) fn pointer(&mut self) -> Option<DevicePtr> {
        self.word().map(DevicePtr)
    }

    pub(super) fn small(&mut self) -> Option<u32> {
        u32::try_from(self.word()?).ok()
    }

    pub(super) fn shape(&mut self) -> Option<[u32; 3]> {
        Some([self.small()?, self.small()?, self.small()?])
    }

    pub(super) fn bytes(&mut self) -> Option<&[u8]> {
        let count = usize::try_from(self.word()?).ok()?;
        self.take(count)
    }

    pub(super) fn text(&mut self) -> Option<String> {
        self.bytes().map(|bytes| String::from_utf8_lossy(bytes).into_owned())
    }

    pub(super) fn policy(&mut self) -> Option<MemoryPolicy> {
        let (poison, no_reuse) = (self.word()?, self.word()? != 0);
        Some(MemoryPolicy { poison: u8::try_from(poison).ok(), no_reuse, shared: false })
    }

    /// The answer to a call: what follows a zero, or the error.
    pub(super) fn answer(mut self) -> Result<Self, DeviceError> {
        let broken = || DeviceError::Worker("it answers nonsense".into());
        match self.word().ok_or_else(broken)? {
            0 => Ok(self),
            1 => {
                let (wanted, free) = (self.word().ok_or_else(broken)?, self.word().ok_or_else(broken)?);
                Err(DeviceError::OutOfMemory { wanted, free })
            }
            2 => {
                let kind = self.word().and_then(|k| FaultKind::ALL.get(k as usize).copied()).ok_or_else(broken)?;
                let message = self.text().ok_or_else(broken)?;
                let printed = self.text().ok_or_else(broken)?;
                Err(DeviceError::Fault(Box::new(Fault { printed, ..Fault::new(kind, message) })))
            }
            _ => Err(DeviceError::Worker(self.text().ok_or_else(broken)?)),
        }
    }
}

/// The words of a policy.
pub(super) fn policy_words(policy: MemoryPolicy) -> [u64; 2] {
    [policy.poison.map_or(u64::MAX, u64::from), u64::from(policy.no_reuse)]
}

/// A successful answer, to be filled in.
pub(super) fn good() -> Message {
    Message::default().word(0)
}

/// A failed answer.
pub(super) fn bad(error: &DeviceError) -> Message {
    match error {
        DeviceError::OutOfMemory { wanted, free } => Message::default().word(1).word(*wanted).word(*free),
        DeviceError::Fault(fault) => {
            // By its number among all kinds.
            let kind = FaultKind::ALL.iter().position(|&kind| kind == fault.kind).unwrap_or(0) as u64;
            Message::default().word(2).word(kind).bytes(fault.message.as_bytes()).bytes(fault.printed.as_bytes())
        }
        other => Message::default().word(3).bytes(other.to_string().as_bytes()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arrives(message: &Message) -> Parcel {
        let mut pipe = Vec::new();
        message.send(&mut pipe).expect("a vector takes everything");
        Parcel::receive(&mut pipe.as_slice()).expect("it is whole")
    }

    #[test]
    fn what_is_sent_arrives() {
        for call in Call::ALL {
            let mut parcel = arrives(&Message::call(call).word(7).bytes(b"abc").word(9));
            assert_eq!(parcel.call(), Some(call));
            assert_eq!((parcel.word(), parcel.text().as_deref(), parcel.small()), (Some(7), Some("abc"), Some(9)));
            assert_eq!(parcel.word(), None);
        }
    }

    #[test]
    fn errors_arrive_as_they_were() {
        let lost = arrives(&bad(&DeviceError::OutOfMemory { wanted: 5, free: 3 })).answer();
        assert!(matches!(lost, Err(DeviceError::OutOfMemory { wanted: 5, free: 3 })), "{lost:?}");
        for kind in FaultKind::ALL {
            let fault = Fault { printed: "p".into(), ..Fault::new(kind, "m".into()) };
            match arrives(&bad(&DeviceError::Fault(Box::new(fault.clone())))).answer() {
                Err(DeviceError::Fault(arrived)) => assert_eq!(*arrived, fault),
                other => panic!("{other:?}"),
            }
        }
        assert!(arrives(&good().word(1)).answer().is_ok());
    }

    #[test]
    fn half_a_message_is_none() {
        let mut pipe = Vec::new();
        Message::call(Call::Mark).word(1).send(&mut pipe).expect("a vector takes everything");
        assert!(Parcel::receive(&mut &pipe[..pipe.len() - 1]).is_none());
        assert!(Parcel::receive(&mut &pipe[..3]).is_none());
    }
}
