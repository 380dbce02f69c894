//! Writing JPEG: the baseline of ITU-T T.81, with colours in full resolution.
//!
//! A picture is cut into blocks of 8 x 8. Each is transformed to frequencies, which are divided by steps from a table,
//! rounded, and written with as few bits as their size needs.

use std::f32::consts::PI;

/// Quality, of 100: differences from the computed values are hard to see.
const QUALITY: u32 = 95;

/// Side of a block, in pixels.
const SIDE: usize = 8;

/// The order of a block's frequencies in the file, from low to high (T.81, figure 5).
const ORDER: [usize; 64] = [
    0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5, 12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6, 7, 14, 21,
    28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54,
    47, 55, 62, 63,
];

/// Steps of brightness at quality 50, row after row (T.81, table K.1).
const BRIGHTNESS: [u32; 64] = [
    16, 11, 10, 16, 24, 40, 51, 61, 12, 12, 14, 19, 26, 58, 60, 55, 14, 13, 16, 24, 40, 57, 69, 56, 14, 17, 22, 29, 51,
    87, 80, 62, 18, 22, 37, 56, 68, 109, 103, 77, 24, 35, 55, 64, 81, 104, 113, 92, 49, 64, 78, 87, 103, 121, 120, 101,
    72, 92, 95, 98, 112, 100, 103, 99,
];

/// Steps of colour at quality 50 (T.81, table K.2): the upper left 4 x 4; all others are 99.
const COLOUR: [u32; 16] = [17, 18, 24, 47, 18, 21, 26, 66, 24, 26, 56, 99, 47, 66, 99, 99];

/// How many codes there are of 1, 2, ... 16 bits, and what they stand for, shortest first.
struct Codes {
    counts: [u8; 16],
    values: &'static [u8],
}

/// Sizes of the differences of means (T.81, table K.3).
const MEANS: Codes =
    Codes { counts: [0, 1, 5, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0], values: &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11] };

/// Runs of zeros, in the upper half of a byte, and the size of the next value (T.81, table K.5).
const RUNS: Codes = Codes {
    counts: [0, 2, 1, 3, 3, 2, 4, 3, 5, 5, 4, 4, 0, 0, 1, 125],
    values: &[
        0x01, 0x02, 0x03, 0x00, 0x04, 0x11, 0x05, 0x12, 0x21, 0x31, 0x41, 0x06, 0x13, 0x51, 0x61, 0x07, 0x22, 0x71,
        0x14, 0x32, 0x81, 0x91, 0xa1, 0x08, 0x23, 0x42, 0xb1, 0xc1, 0x15, 0x52, 0xd1, 0xf0, 0x24, 0x33, 0x62, 0x72,
        0x82, 0x09, 0x0a, 0x16, 0x17, 0x18, 0x19, 0x1a, 0x25, 0x26, 0x27, 0x28, 0x29, 0x2a, 0x34, 0x35, 0x36, 0x37,
        0x38, 0x39, 0x3a, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48, 0x49, 0x4a, 0x53, 0x54, 0x55, 0x56, 0x57, 0x58, 0x59,
        0x5a, 0x63, 0x64, 0x65, 0x66, 0x67, 0x68, 0x69, 0x6a, 0x73, 0x74, 0x75, 0x76, 0x77, 0x78, 0x79, 0x7a, 0x83,
        0x84, 0x85, 0x86, 0x87, 0x88, 0x89, 0x8a, 0x92, 0x93, 0x94, 0x95, 0x96, 0x97, 0x98, 0x99, 0x9a, 0xa2, 0xa3,
        0xa4, 0xa5, 0xa6, 0xa7, 0xa8, 0xa9, 0xaa, 0xb2, 0xb3, 0xb4, 0xb5, 0xb6, 0xb7, 0xb8, 0xb9, 0xba, 0xc2, 0xc3,
        0xc4, 0xc5, 0xc6, 0xc7, 0xc8, 0xc9, 0xca, 0xd2, 0xd3, 0xd4, 0xd5, 0xd6, 0xd7, 0xd8, 0xd9, 0xda, 0xe1, 0xe2,
        0xe3, 0xe4, 0xe5, 0xe6, 0xe7, 0xe8, 0xe9, 0xea, 0xf1, 0xf2, 0xf3, 0xf4, 0xf5, 0xf6, 0xf7, 0xf8, 0xf9, 0xfa,
    ],
};

/// Sixteen zeros.
const ZEROS: u8 = 0xf0;
/// The rest of a block is zero.
const END_OF_BLOCK: u8 = 0x00;

/// The contents of a file: one byte of grey per pixel, or three of colour.
pub(in crate::files) fn write(width: u32, height: u32, colour: bool, pixels: &[u8]) -> Result<Vec<u8>, String> {
    let side = |n: u32| u16::try_from(n).map_err(|_| "the picture is too large for this format".to_owned());
    let (columns, rows) = (side(width)?, side(height)?);
    if columns == 0 || rows == 0 {
        return Err("the picture has no pixels".into());
    }
    let tables =
        [scaled(|i| BRIGHTNESS[i]), scaled(|i| if i % 8 < 4 && i < 32 { COLOUR[i / 8 * 4 + i % 8] } else { 99 })];
    let planes = if colour { 3 } else { 1 };
    let mut out = header(columns, rows, planes, &tables);
    let mut bits = Bits { out: &mut out, waiting: 0, count: 0 };
    let (means, runs, waves) = (codes(&MEANS), codes(&RUNS), waves());
    let mut before = [0_i32; 3];
    let (width, height) = (usize::from(columns), usize::from(rows));
    for top in (0..height).step_by(SIDE) {
        for left in (0..width).step_by(SIDE) {
            let block = pixels_of(pixels, (width, height), (top, left), planes);
            for plane in 0..planes {
                let frequencies = frequencies(&block[plane], &waves, &tables[plane.min(1)]);
                bits.block(&frequencies, &mut before[plane], &means, &runs);
            }
        }
    }
    bits.flush();
    out.extend([0xff, 0xd9]);
    Ok(out)
}

/// A table at our quality.
fn scaled(of: impl Fn(usize) -> u32) -> [u8; 64] {
    let percent = 200 - 2 * QUALITY;
    std::array::from_fn(|i| u8::try_from(((of(i) * percent + 50) / 100).clamp(1, 255)).unwrap_or(u8::MAX))
}

/// Everything before the bits of the blocks.
fn header(columns: u16, rows: u16, planes: usize, tables: &[[u8; 64]; 2]) -> Vec<u8> {
    let mut out = vec![0xff, 0xd8];
    segment(&mut out, 0xe0, b"JFIF\0\x01\x02\0\0\x01\0\x01\0\0");
    for (table, number) in tables.iter().zip(0_u8..).take(planes.min(2)) {
        let steps: Vec<u8> = std::iter::once(number).chain(ORDER.iter().map(|&i| table[i])).collect();
        segment(&mut out, 0xdb, &steps);
    }
    let ids = 1..=u8::try_from(planes).unwrap_or(3);
    let mut frame = vec![8];
    frame.extend(rows.to_be_bytes());
    frame.extend(columns.to_be_bytes());
    frame.push(*ids.end());
    frame.extend(ids.clone().flat_map(|id| [id, 0x11, u8::from(id > 1)]));
    segment(&mut out, 0xc0, &frame);
    for (class, codes) in [(0x00, &MEANS), (0x10, &RUNS)] {
        segment(&mut out, 0xc4, &[&[class][..], &codes.counts, codes.values].concat());
    }
    let mut scan = vec![*ids.end()];
    scan.extend(ids.flat_map(|id| [id, 0x00]));
    scan.extend([0, 63, 0]);
    segment(&mut out, 0xda, &scan);
    out
}

fn segment(out: &mut Vec<u8>, marker: u8, content: &[u8]) {
    out.extend([0xff, marker]);
    out.extend(u16::try_from(content.len() + 2).unwrap_or(u16::MAX).to_be_bytes());
    out.extend(content);
}

/// The planes of a block around zero: grey, or brightness and two colour differences. Pixels beyond the edges repeat
/// the edges.
fn pixels_of(
    pixels: &[u8],
    (width, height): (usize, usize),
    (top, left): (usize, usize),
    planes: usize,
) -> [[f32; 64]; 3] {
    let sample = |plane: usize, i: usize| {
        let (row, column) = ((top + i / SIDE).min(height - 1), (left + i % SIDE).min(width - 1));
        let at = (row * width + column) * planes;
        if planes == 1 {
            return f32::from(pixels[at]) - 128.0;
        }
        let [r, g, b] = [0, 1, 2].map(|c| f32::from(pixels[at + c]));
        match plane {
            0 => 0.299 * r + 0.587 * g + 0.114 * b - 128.0,
            1 => -0.168_736 * r - 0.331_264 * g + 0.5 * b,
            _ => 0.5 * r - 0.418_688 * g - 0.081_312 * b,
        }
    };
    std::array::from_fn(|plane| match plane < planes {
        true => std::array::from_fn(|i| sample(plane, i)),
        false => [0.0; 64],
    })
}

/// `waves[u][x]`: the cosine of frequency u at position x, with its factor.
fn waves() -> [[f32; SIDE]; SIDE] {
    std::array::from_fn(|u| {
        let factor = if u == 0 { 0.125_f32.sqrt() } else { 0.5 };
        #[allow(clippy::cast_precision_loss, reason = "below 8")]
        std::array::from_fn(|x| factor * ((2 * x + 1) as f32 * u as f32 * PI / 16.0).cos())
    })
}

/// The frequencies of a block in the order of the file, in steps of the table.
fn frequencies(block: &[f32; 64], waves: &[[f32; SIDE]; SIDE], table: &[u8; 64]) -> [i32; 64] {
    let sum = |f: &dyn Fn(usize) -> f32| (0..SIDE).map(f).sum::<f32>();
    let rows: [f32; 64] = std::array::from_fn(|i| sum(&|x| block[i / SIDE * SIDE + x] * waves[i % SIDE][x]));
    ORDER.map(|i| {
        let value = sum(&|y| rows[y * SIDE + i % SIDE] * waves[i / SIDE][y]);
        #[allow(clippy::cast_possible_truncation, reason = "at most 1024 in size")]
        let steps = (value / f32::from(table[i])).round() as i32;
        steps
    })
}

/// A code for each value, with its number of bits.
fn codes(table: &Codes) -> [(u16, u8); 256] {
    let mut all = [(0, 0); 256];
    let (mut code, mut values) = (0_u16, table.values.iter());
    for (&count, length) in table.counts.iter().zip(1..) {
        for &value in values.by_ref().take(usize::from(count)) {
            all[usize::from(value)] = (code, length);
            code += 1;
        }
        code <<= 1;
    }
    all
}

/// A writer of bits.
struct Bits<'a> {
    out: &'a mut Vec<u8>,
    waiting: u32,
    count: u8,
}

impl Bits<'_> {
    fn put(&mut self, bits: u16, length: u8) {
        for at in (0..length).rev() {
            self.waiting = self.waiting << 1 | u32::from(bits >> at & 1);
            self.count += 1;
            if self.count == 8 {
                self.byte();
            }
        }
    }

    fn byte(&mut self) {
        let byte = (self.waiting & 0xff) as u8;
        self.out.push(byte);
        if byte == 0xff {
            // So that it is not mistaken for a marker.
            self.out.push(0);
        }
        (self.waiting, self.count) = (0, 0);
    }

    /// Fills the last byte with ones.
    fn flush(&mut self) {
        while self.count > 0 {
            self.put(1, 1);
        }
    }

    /// A number after the code that gives its number of bits. Negative ones are one less, so that they begin with 0.
    fn number(&mut self, (code, length): (u16, u8), value: i32, size: u8) {
        self.put(code, length);
        let bits = if value < 0 { value - 1 } else { value };
        self.put((bits & ((1 << size) - 1)) as u16, size);
    }

    fn block(&mut self, values: &[i32; 64], before: &mut i32, means: &[(u16, u8); 256], runs: &[(u16, u8); 256]) {
        let difference = values[0] - *before;
        *before = values[0];
        let size = bits_of(difference);
        self.number(means[usize::from(size)], difference, size);
        let mut zeros = 0_u8;
        for &value in &values[1..] {
            if value == 0 {
                zeros += 1;
                continue;
            }
            while zeros >= 16 {
                let (code, length) = runs[usize::from(ZEROS)];
                self.put(code, length);
                zeros -= 16;
            }
            let size = bits_of(value);
            self.number(runs[usize::from(zeros << 4 | size)], value, size);
            zeros = 0;
        }
        if zeros > 0 {
            let (code, length) = runs[usize::from(END_OF_BLOCK)];
            self.put(code, length);
        }
    }
}

/// The number of bits in the magnitude of a number.
fn bits_of(value: i32) -> u8 {
    u8::try_from(i32::BITS - value.unsigned_abs().leading_zeros()).unwrap_or(u8::MAX)
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use super::*;

    /// A picture with soft and hard edges.
    fn picture(width: usize, height: usize, planes: usize) -> Vec<u8> {
        let value = |i: usize| {
            let (plane, x, y) = (i % planes, i / planes % width, i / planes / width);
            let square = if (5..9).contains(&x) && (3..12).contains(&y) { 120 } else { 0 };
            u8::try_from((x * (3 + plane) + y * (5 - plane) + square) % 256).unwrap()
        };
        (0..width * height * planes).map(value).collect()
    }

    #[test]
    fn what_is_written_reads_back_much_the_same() {
        for (width, height) in [(1, 1), (8, 8), (23, 17), (40, 9)] {
            for planes in [1, 3] {
                let before = picture(width, height, planes);
                let bytes = write(width as u32, height as u32, planes == 3, &before).unwrap();
                let after = parse(&bytes).unwrap();
                assert_eq!((after.rows, after.columns, after.colour), (height, width, planes == 3));
                let worst = after.to_bytes().iter().zip(&before).map(|(a, b)| a.abs_diff(*b)).max().unwrap();
                assert!(worst < 16, "{width} x {height}, {planes} planes: {worst}");
            }
        }
    }

    #[test]
    fn noise_fits_every_code() {
        let mut state = 1_u32;
        let noise: Vec<u8> = (0..64 * 64)
            .map(|_| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                if state >> 31 == 1 { 255 } else { 0 }
            })
            .collect();
        let after = parse(&write(64, 64, false, &noise).unwrap()).unwrap();
        assert!(after.to_bytes().iter().zip(&noise).all(|(a, b)| a.abs_diff(*b) < 24));
    }

    #[test]
    fn sides_have_limits() {
        assert!(write(70_000, 1, false, &[]).unwrap_err().contains("too large"));
        assert!(write(0, 1, false, &[]).unwrap_err().contains("no pixels"));
    }
}
