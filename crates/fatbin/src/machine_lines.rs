//! Which lines of PTX the machine instructions of a cubin come from: the line table that assemblers write beside machine
//! code when line information is asked for, in the form of DWARF 2.

use crate::ImageError;
use crate::elf::Elf;
use crate::field::{u16_at, u32_at};
use std::collections::BTreeMap;

/// The section with the table.
const TABLE: &str = ".nv_debug_line_sass";

/// Bytes of a machine instruction.
const INSTRUCTION: u64 = 16;

/// The first architecture whose instructions all have that many bytes.
const FIRST: u32 = 70;

/// Standard opcodes of line programs.
mod opcode {
    pub(super) const EXTENDED: u8 = 0;
    pub(super) const COPY: u8 = 1;
    pub(super) const ADVANCE_PC: u8 = 2;
    pub(super) const ADVANCE_LINE: u8 = 3;
    pub(super) const CONST_ADD_PC: u8 = 8;
    pub(super) const FIXED_ADVANCE_PC: u8 = 9;
}

/// How many machine instructions of a cubin come from each line of its PTX; nothing if the cubin does not say. What
/// follows the last instruction of a function (small functions that divide, padding) comes from no line.
///
/// # Errors
///
/// [`ImageError`] for what is not a cubin, or a damaged one.
pub fn machine_instructions(cubin: &[u8]) -> Result<BTreeMap<u32, u32>, ImageError> {
    let elf = Elf::read(cubin)?;
    if !elf.is_cubin() {
        return Err(ImageError::NoCode);
    }
    let mut counts = BTreeMap::new();
    if elf.sm() >= FIRST {
        for table in elf.named(TABLE) {
            read(table?, &mut counts)?;
        }
    }
    Ok(counts)
}

/// Adds up a section: one program after the other.
fn read(mut section: &[u8], counts: &mut BTreeMap<u32, u32>) -> Result<(), ImageError> {
    while section.len() > 4 {
        let length = u32_at(section, 0) as usize;
        let unit = section.get(4..4 + length).ok_or(CUT)?;
        section = &section[4 + length..];
        let header = u32_at(unit, 2) as usize;
        if u16_at(unit, 0) != 2 {
            return Err(ImageError::Damaged("the line table of the cubin has an unknown version"));
        }
        let program = unit.get(6 + header..).ok_or(CUT)?;
        let [step, _, base, range, opcodes] = *unit.get(6..11).ok_or(CUT)? else { return Err(CUT) };
        let lengths = unit.get(11..).ok_or(CUT)?;
        Program { step, base: base.cast_signed(), range: range.max(1), opcodes, lengths }.run(program, counts)?;
    }
    Ok(())
}

const CUT: ImageError = ImageError::Damaged("the line table of the cubin is cut short");

/// The header of a line program.
struct Program<'a> {
    /// Bytes that addresses advance by.
    step: u8,
    base: i8,
    range: u8,
    /// The first special opcode.
    opcodes: u8,
    /// Operands of standard opcodes.
    lengths: &'a [u8],
}

/// Where a program is.
struct State {
    address: u64,
    line: i64,
    /// The row before: its address and line.
    row: Option<(u64, i64)>,
}

impl State {
    fn start() -> Self {
        Self { address: 0, line: 1, row: None }
    }

    /// A row: what lies between the one before it and this one comes from the line of the former.
    fn row(&mut self, counts: &mut BTreeMap<u32, u32>) {
        if let Some((from, line)) = self.row {
            count(line, self.address.saturating_sub(from) / INSTRUCTION, counts);
        }
        self.row = Some((self.address, self.line));
    }

    /// The end of a function: one instruction for the last row.
    fn end(&mut self, counts: &mut BTreeMap<u32, u32>) {
        if let Some((_, line)) = self.row {
            count(line, 1, counts);
        }
        *self = Self::start();
    }
}

fn count(line: i64, instructions: u64, counts: &mut BTreeMap<u32, u32>) {
    if let (Ok(line), Ok(instructions)) = (u32::try_from(line), u32::try_from(instructions)) {
        let known = counts.entry(line).or_default();
        *known = known.saturating_add(instructions);
    }
}

impl Program<'_> {
    fn run(&self, mut rest: &[u8], counts: &mut BTreeMap<u32, u32>) -> Result<(), ImageError> {
        let mut state = State::start();
        while let Some((&byte, after)) = rest.split_first() {
            rest = after;
            match byte {
                special if special >= self.opcodes => {
                    let adjusted = special - self.opcodes;
                    self.advance(&mut state, u64::from(adjusted / self.range));
                    state.line = state.line.saturating_add(i64::from(self.base) + i64::from(adjusted % self.range));
                    state.row(counts);
                }
                opcode::EXTENDED => {
                    let length = unsigned(&mut rest)? as usize;
                    let operands = rest.get(..length).ok_or(CUT)?;
                    rest = &rest[length..];
                    match operands.first() {
                        Some(1) => state.end(counts),
                        Some(2) => state.address = 0,
                        _ => {}
                    }
                }
                opcode::COPY => state.row(counts),
                opcode::ADVANCE_PC => {
                    let steps = unsigned(&mut rest)?;
                    self.advance(&mut state, steps);
                }
                opcode::ADVANCE_LINE => state.line = state.line.saturating_add(signed(&mut rest)?),
                opcode::CONST_ADD_PC => {
                    self.advance(&mut state, u64::from((255 - self.opcodes) / self.range));
                }
                opcode::FIXED_ADVANCE_PC => {
                    state.address = state.address.saturating_add(u16_at(rest, 0).into());
                    rest = rest.get(2..).ok_or(CUT)?;
                }
                other => {
                    for _ in 0..self.lengths.get(usize::from(other) - 1).copied().unwrap_or(0) {
                        unsigned(&mut rest)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn advance(&self, state: &mut State, steps: u64) {
        state.address = state.address.saturating_add(steps.saturating_mul(self.step.into()));
    }
}

/// A number of seven bits a byte.
fn unsigned(bytes: &mut &[u8]) -> Result<u64, ImageError> {
    Ok(number(bytes)?.0)
}

/// The same with a sign.
fn signed(bytes: &mut &[u8]) -> Result<i64, ImageError> {
    let (value, bits, last) = number(bytes)?;
    let negative = last & 0x40 != 0 && bits < 64;
    Ok((if negative { value | u64::MAX << bits } else { value }).cast_signed())
}

/// Its bits, how many of them there are, and its last byte.
fn number(bytes: &mut &[u8]) -> Result<(u64, u32, u8), ImageError> {
    let (mut value, mut bits) = (0, 0);
    loop {
        let (&byte, rest) = bytes.split_first().ok_or(CUT)?;
        *bytes = rest;
        value |= u64::from(byte & 0x7F).checked_shl(bits).unwrap_or(0);
        bits = (bits + 7).min(70);
        if byte & 0x80 == 0 {
            return Ok((value, bits, byte));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A table of one program, as `ptxas` writes it.
    fn table(program: &[u8]) -> Vec<u8> {
        let header = [&[1, 1, 0xFB, 14, 10], &[0, 1, 1, 1, 1, 0, 0, 0, 1][..], &[0, 0]].concat();
        let body = [&[2, 0][..], &(header.len() as u32).to_le_bytes(), &header, program].concat();
        [&(body.len() as u32).to_le_bytes()[..], &body].concat()
    }

    fn counted(program: &[u8]) -> Result<Vec<(u32, u32)>, ImageError> {
        let mut counts = BTreeMap::new();
        read(&table(program), &mut counts)?;
        Ok(counts.into_iter().collect())
    }

    /// Line 20; a step of 16 bytes and 3 lines; back two lines after 32 bytes; the end.
    const PROGRAM: [u8; 23] = [0, 9, 2, 0, 0, 0, 0, 0, 0, 0, 0, 3, 19, 1, 0xF2, 3, 0x7E, 2, 0x20, 1, 2, 0xB0, 0x0D];

    #[test]
    fn instructions_are_counted_by_line() {
        let program = [&PROGRAM[..], &[0, 1, 1]].concat();
        assert_eq!(counted(&program), Ok(vec![(20, 1), (21, 1), (23, 2)]));
        let two = [&program[..], &program[..]].concat();
        assert_eq!(counted(&two), Ok(vec![(20, 2), (21, 2), (23, 4)]), "of two functions");
    }

    #[test]
    fn damage_is_said() {
        assert_eq!(counted(&[0, 9, 2]), Err(CUT));
        assert_eq!(counted(&[2, 0x80]), Err(CUT));
        let mut counts = BTreeMap::new();
        assert_eq!(read(&[9, 0, 0, 0, 1], &mut counts), Err(CUT));
        assert_eq!(machine_instructions(b"\x7fELF"), Err(ImageError::Damaged("the ELF file is cut short")));
        for cut in 0..PROGRAM.len() {
            let _ = counted(&PROGRAM[..cut]);
        }
    }
}
