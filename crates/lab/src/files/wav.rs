//! Sound: WAV files with whole numbers of 8, 16, 24 or 32 bits, or floats of 32.

/// How the samples of a file are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sound {
    /// Samples per second.
    pub rate: u32,
    /// Bits of a sample.
    pub bits: u16,
    /// Whether samples are floats.
    pub float: bool,
    /// Channels.
    pub channels: usize,
}

const PCM: u16 = 1;
const FLOAT: u16 = 3;
const EXTENSIBLE: u16 = 0xfffe;

/// Reads a file: channel after channel, from -1 to 1.
pub(super) fn parse(bytes: &[u8]) -> Result<(Sound, Vec<f32>), String> {
    if bytes.len() < 12 || &bytes[..4] != b"RIFF" || &bytes[8..12] != b"WAVE" {
        return Err("this is not a WAV file".into());
    }
    let number = |at: usize| bytes.get(at..at + 2).map_or(0, |b| u16::from_le_bytes([b[0], b[1]]));
    let (mut at, mut sound) = (12, None);
    while let Some(head) = bytes.get(at..at + 8) {
        let length = u32::from_le_bytes([head[4], head[5], head[6], head[7]]) as usize;
        let start = at + 8;
        match &head[..4] {
            b"fmt " if length >= 16 && start + length <= bytes.len() => {
                let kind = if number(start) == EXTENSIBLE { number(start + 24) } else { number(start) };
                let rate = bytes[start + 4..start + 8].try_into().map_or(0, u32::from_le_bytes);
                let found =
                    Sound { rate, bits: number(start + 14), float: kind == FLOAT, channels: number(start + 2).into() };
                let known = matches!((kind, found.bits), (PCM, 8 | 16 | 24 | 32) | (FLOAT, 32));
                if !known || found.channels == 0 {
                    return Err("this kind of WAV file is not supported: use 8 to 32 bits or 32-bit floats".into());
                }
                sound = Some(found);
            }
            b"data" => {
                let sound = sound.ok_or("its format comes after its samples")?;
                let data = bytes.get(start..start + length).ok_or("the file is cut off: samples are missing")?;
                return Ok((sound, samples(sound, data)));
            }
            _ => {}
        }
        at = start.saturating_add(length).saturating_add(length % 2);
    }
    Err("the file is cut off: it has no samples".into())
}

fn samples(sound: Sound, data: &[u8]) -> Vec<f32> {
    let width = usize::from(sound.bits / 8);
    let one = |sample: &[u8]| match (sound.float, sample) {
        (true, &[a, b, c, d]) => f32::from_le_bytes([a, b, c, d]),
        (_, &[a]) => (f32::from(a) - 128.0) / 128.0,
        (_, &[a, b]) => f32::from(i16::from_le_bytes([a, b])) / 32768.0,
        (_, &[a, b, c]) => (i32::from_le_bytes([0, a, b, c]) >> 8) as f32 / 8_388_608.0,
        (_, &[a, b, c, d]) => i32::from_le_bytes([a, b, c, d]) as f32 / 2_147_483_648.0,
        _ => 0.0,
    };
    let frames = data.len() / (width * sound.channels);
    let at = |i: usize| {
        let (channel, frame) = (i / frames, i % frames);
        let from = (frame * sound.channels + channel) * width;
        one(&data[from..from + width])
    };
    (0..frames * sound.channels).map(at).collect()
}

/// The contents of a file; what is louder than 1 is cut off, except in floats.
pub(super) fn write(sound: Sound, samples: &[f32]) -> Vec<u8> {
    let frames = samples.len() / sound.channels.max(1);
    let mut data = Vec::with_capacity(samples.len() * usize::from(sound.bits / 8));
    for frame in 0..frames {
        for channel in 0..sound.channels {
            let x = samples[channel * frames + frame];
            let whole = |most: f64| (f64::from(x) * most).round_ties_even().clamp(-most, most - 1.0) as i32;
            match (sound.float, sound.bits) {
                (true, _) => data.extend(x.to_le_bytes()),
                (_, 8) => data.push((whole(128.0) + 128) as u8),
                (_, 16) => data.extend(&whole(32768.0).to_le_bytes()[..2]),
                (_, 24) => data.extend(&whole(8_388_608.0).to_le_bytes()[..3]),
                _ => data.extend(whole(2_147_483_648.0).to_le_bytes()),
            }
        }
    }
    let block = sound.channels as u16 * (sound.bits / 8);
    let mut out = b"RIFF".to_vec();
    out.extend((36 + data.len() as u32).to_le_bytes());
    out.extend(b"WAVEfmt ");
    out.extend(16_u32.to_le_bytes());
    out.extend((if sound.float { FLOAT } else { PCM }).to_le_bytes());
    out.extend((sound.channels as u16).to_le_bytes());
    out.extend(sound.rate.to_le_bytes());
    out.extend((sound.rate * u32::from(block)).to_le_bytes());
    out.extend(block.to_le_bytes());
    out.extend(sound.bits.to_le_bytes());
    out.extend(b"data");
    out.extend((data.len() as u32).to_le_bytes());
    out.extend(data);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sounds_come_back() {
        for (bits, float) in [(8, false), (16, false), (24, false), (32, false), (32, true)] {
            let sound = Sound { rate: 44100, bits, float, channels: 2 };
            let samples = [0.0, 0.5, -1.0, 0.25, -0.25, 0.75];
            assert_eq!(parse(&write(sound, &samples)).unwrap(), (sound, samples.to_vec()), "{bits} {float}");
        }
    }

    #[test]
    fn what_is_damaged_is_refused() {
        let whole = write(Sound { rate: 8000, bits: 16, float: false, channels: 1 }, &[0.5; 9]);
        for cut in 0..whole.len() {
            assert!(parse(&whole[..cut]).is_err(), "{cut}");
        }
        let mut odd = whole.clone();
        odd[34] = 12;
        assert!(parse(&odd).unwrap_err().contains("8 to 32 bits"));
    }
}
