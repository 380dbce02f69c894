//! Items of a fold in registers: what reductions and scans have in common.

use super::text::{Class, Operand, Text, immediate, line};
use crate::expression::program::Program;

/// Bytes of a field in memory that blocks exchange.
pub(super) const FIELD: usize = 8;

/// What is combined, and how. The operator is associative.
#[derive(Clone, Debug)]
pub(crate) struct Fold {
    /// The fields of an element's item; its inputs are those of the expression, and last the element's index.
    pub(crate) item: Program,
    /// The fields of two items combined; its inputs are the fields of both.
    pub(crate) combine: Program,
    /// The bits of the fields that change nothing.
    pub(crate) identity: Vec<u64>,
    /// Whether elements are combined in their order, because the operator is not commutative.
    pub(crate) ordered: bool,
}

/// The fields of an item, each in a register.
pub(super) type Item = Vec<Operand>;

/// Which lane's item is taken.
#[derive(Clone, Copy, Debug)]
pub(super) enum Shuffle {
    /// The one that far above.
    Down(u32),
    /// The one that far below.
    Up(u32),
    /// That one.
    Of(u32),
}

impl Text {
    /// An item in new registers that changes nothing.
    pub(super) fn identity(&mut self, fold: &Fold) -> Item {
        let bits = fold.item.kinds().zip(&fold.identity);
        bits.map(|(kind, &bits)| {
            let to = self.register(Class::of(kind));
            self.copy(to, immediate(kind, bits));
            to
        })
        .collect()
    }

    /// Two items combined.
    pub(super) fn combine(&mut self, fold: &Fold, a: &Item, b: &Item) -> Item {
        let both: Vec<Operand> = a.iter().chain(b).copied().collect();
        self.program(&fold.combine, &both)
    }

    /// The item of another lane.
    pub(super) fn shuffled(&mut self, item: &Item, from: Shuffle) -> Item {
        let (instruction, by, limit) = match from {
            Shuffle::Down(by) => ("down", by, 31),
            Shuffle::Up(by) => ("up", by, 0),
            Shuffle::Of(lane) => ("idx", lane, 31),
        };
        let shuffle = |text: &mut Self, word: Operand| {
            let to = text.register(Class::Word);
            line!(text, "shfl.sync.{instruction}.b32 {to}, {word}, {by}, {limit}, -1;");
            to
        };
        let mut field = |field: Operand| match field {
            Operand::Register(class @ Class::Single, _) => {
                let word = self.op(Class::Word, "mov.b32", &[field]);
                let word = shuffle(self, word);
                self.op(class, "mov.b32", &[word])
            }
            Operand::Register(class @ (Class::Long | Class::Double), _) => {
                let (low, high) = (self.register(Class::Word), self.register(Class::Word));
                line!(self, "mov.b64 {{{low}, {high}}}, {field};");
                let (low, high) = (shuffle(self, low), shuffle(self, high));
                let to = self.register(class);
                line!(self, "mov.b64 {to}, {{{low}, {high}}};");
                to
            }
            _ => shuffle(self, field),
        };
        item.iter().map(|&register| field(register)).collect()
    }

    /// The first item if the flag is set, else the second.
    pub(super) fn chosen(&mut self, flag: Operand, a: &Item, b: &Item) -> Item {
        let each = a.iter().zip(b).map(|(&a, &b)| match b {
            Operand::Register(class, _) => self.op(class, &format!("selp.{}", class.bits()), &[a, b, flag]),
            _ => b,
        });
        each.collect()
    }

    /// Moves an item between registers and memory.
    pub(super) fn access(&mut self, instruction: &str, item: &Item, at: Operand) {
        for (field, &register) in item.iter().enumerate() {
            let Operand::Register(class, _) = register else { continue };
            let (offset, bits) = (field * FIELD, class.bits());
            if instruction.starts_with("ld") {
                line!(self, "{instruction}.{bits} {register}, [{at}+{offset}];");
            } else {
                line!(self, "{instruction}.{bits} [{at}+{offset}], {register};");
            }
        }
    }
}
