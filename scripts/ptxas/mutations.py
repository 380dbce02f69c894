"""Small changes to PTX texts that may or may not leave them well formed."""

import collections
import dataclasses
import re

INSTRUCTION = re.compile(r"^(\s*(?:@!?[%\w$]+\s+)?)([a-z]\w*)((?:\.[\w:]+)*)(\s+[^;]*?)?\s*;(.*)$")
TYPES = ("b8 b16 b32 b64 b128 u8 u16 u32 u64 s8 s16 s32 s64 f16 f16x2 bf16 bf16x2 f32 f64 pred").split()
SPACES = "global shared local const param".split()
# The emulator has no textures: it refuses these when it reaches them, whatever follows.
UNKNOWN = re.compile(r"^\s*(@\S+\s+)?(tex|tld4|txq|suld|sust|sured|suq)\b|\.call")
VALUES = "0 1 -1 0x10 1.5 0f3F800000 0d3FF0000000000000 _ %tid.x %laneid %clock64 WARP_SZ".split()


@dataclasses.dataclass
class Mutant:
    file: str
    line: int
    kind: str
    text: str
    after: str


def operands(text):
    """Splits a list at the commas outside brackets."""
    parts, depth, part = [], 0, ""
    for character in text:
        depth += character in "([{"
        depth -= character in ")]}"
        if character == "," and depth == 0:
            parts.append(part.strip())
            part = ""
        else:
            part += character
    return parts + [part.strip()] if part.strip() or parts else []


def general(message):
    """A message without its names, to group by."""
    return re.sub(r"'[^']*'|\d+", "_", message)


class Pool:
    """What the files have in them, to take replacements from."""

    def __init__(self, files):
        words, opcodes, full = set(), set(), {}
        for name in sorted(files):
            for line in files[name].splitlines():
                found = INSTRUCTION.match(line)
                if found and not UNKNOWN.search(line):
                    opcodes.add(found[2])
                    dotted = found[3].split(".")[1:]
                    words.update(dotted)
                    full.setdefault(found[2], set()).update(dotted)
        self.words = sorted(words)
        self.own = collections.defaultdict(list, {opcode: sorted(words) for opcode, words in full.items()})
        self.opcodes = sorted(opcodes)


class Mutations:
    """Mutants of the kinds below, one at a time."""

    def __init__(self, files):
        self.pool = Pool(files)
        self.lines = {name: files[name].split("\n") for name in sorted(files)}
        self.instructions = {
            name: [at for at, line in enumerate(lines) if INSTRUCTION.match(line) and not UNKNOWN.search(line)]
            for name, lines in self.lines.items()}
        self.directives = {name: directives(lines) for name, lines in self.lines.items()}
        self.registers = {name: re.findall(r"%[A-Za-z]\w*", files[name]) or ["%r1"] for name in self.lines}
        self.names = [name for name in self.lines if self.instructions[name]]

    def make(self, rng):
        name = rng.choice(self.names)
        lines = self.lines[name]
        if rng.random() < 0.12:
            return directive(name, lines, self.directives[name], rng)
        return instruction(name, lines, rng.choice(self.instructions[name]), self.pool, self.registers[name], rng)


def different(files, count, make, rng):
    """That many mutants, no two alike."""
    made, seen = [], set()
    while len(made) < count:
        mutant = make(rng)
        if mutant and mutant.text != files[mutant.file] and mutant.text not in seen:
            seen.add(mutant.text)
            made.append(mutant)
    return made


def directives(lines):
    """Lines that are no instructions, but not the contents of debug sections, which are many and alike."""
    places, section = [], False
    for at, line in enumerate(lines):
        bare = line.strip()
        section = section and bare != "}" or bare.startswith(".section")
        skipped = re.match(r"\.(version|target|address_size|loc|file)|//", bare)
        if bare and not skipped and not INSTRUCTION.match(line) and not (section and at % 50):
            places.append(at)
    return places


def replaced(name, lines, at, line, kind):
    text = "\n".join(lines[:at] + [line] + lines[at + 1:])
    return Mutant(name, at + 1, kind, text, line.strip())


def instruction(name, lines, at, pool, registers, rng):
    """Changes one instruction."""
    guard, opcode, dotted, rest, tail = INSTRUCTION.match(lines[at]).groups()
    words = dotted.split(".")[1:]
    args = operands((rest or "").strip())
    others = [arg for line in rng.sample(lines, min(12, len(lines))) if (found := INSTRUCTION.match(line))
              for arg in operands((found[4] or "").strip())]
    pick = rng.randrange(len(args)) if args else None
    place = rng.randrange(len(words)) if words else None
    kind = rng.choice([
        "drop an operand", "swap operands", "repeat an operand", "another operand", "another register", "a value",
        "another register", "negate an operand", "brackets", "drop a modifier", "repeat a modifier", "swap modifiers",
        "own modifier", "any modifier", "insert a modifier", "another type", "another type", "another space",
        "another opcode", "offset", "guard"])
    if kind == "drop an operand" and args:
        del args[pick]
    elif kind == "swap operands" and len(args) > 1:
        other = rng.randrange(len(args))
        args[pick], args[other] = args[other], args[pick]
    elif kind == "repeat an operand" and args:
        args.insert(pick, args[pick])
    elif kind == "another operand" and args and others:
        args[pick] = rng.choice(others)
    elif kind == "another register" and args:
        inside = list(re.finditer(r"%[A-Za-z]\w*", args[pick]))
        if not inside:
            return None
        found = rng.choice(inside)
        args[pick] = args[pick][:found.start()] + rng.choice(registers) + args[pick][found.end():]
    elif kind == "a value" and args:
        args[pick] = rng.choice(VALUES)
    elif kind == "negate an operand" and args:
        args[pick] = rng.choice("!-") + args[pick]
    elif kind == "brackets" and args:
        plain = args[pick].strip("[]{}()")
        args[pick] = rng.choice([plain, f"[{plain}]", "{" + plain + "}", "{" + f"{plain}, {plain}" + "}"])
    elif kind == "offset" and args:
        args[pick] = args[pick][:-1] + "+4]" if args[pick].endswith("]") else args[pick] + "+4"
    elif kind == "drop a modifier" and words:
        del words[place]
    elif kind == "repeat a modifier" and words:
        words.insert(place, words[place])
    elif kind == "swap modifiers" and len(words) > 1:
        other = rng.randrange(len(words))
        words[place], words[other] = words[other], words[place]
    elif kind == "own modifier" and words:
        words[place] = rng.choice(pool.own[opcode] or words)
    elif kind == "any modifier" and words:
        words[place] = rng.choice(pool.words)
    elif kind == "insert a modifier":
        words.insert(rng.randrange(len(words) + 1), rng.choice(rng.choice([pool.words, pool.own[opcode] or ["rn"]])))
    elif kind == "another type" and any(word in TYPES for word in words):
        place = rng.choice([at for at, word in enumerate(words) if word in TYPES])
        words[place] = rng.choice(TYPES)
    elif kind == "another space" and any(word in SPACES for word in words):
        place = rng.choice([at for at, word in enumerate(words) if word in SPACES])
        words[place] = rng.choice(SPACES)
    elif kind == "another opcode":
        opcode = rng.choice(pool.opcodes)
    elif kind == "guard":
        guard = f"@{rng.choice(['', '!'])}{rng.choice(registers)} "
    else:
        return None
    line = guard + ".".join([opcode] + words) + (" " + ", ".join(args) if args else "") + ";" + tail
    return replaced(name, lines, at, line, kind)


def directive(name, lines, places, rng):
    """Changes a declaration, a label or another line that is no instruction."""
    if not places:
        return None
    at = rng.choice(places)
    line = lines[at]
    types = list(re.finditer(r"\.(" + "|".join(TYPES) + r")\b", line))
    spaces = list(re.finditer(r"\.(reg|" + "|".join(SPACES) + r")\b", line))
    kind = rng.choice(["drop a line", "repeat a line", "declared type", "declared type", "declared space",
                       "another number", "drop a character"])
    if kind == "drop a line":
        line = ""
    elif kind == "repeat a line":
        line = line + " " + line.strip()
    elif kind == "declared type" and types:
        found = rng.choice(types)
        line = line[:found.start(1)] + rng.choice(TYPES) + line[found.end(1):]
    elif kind == "declared space" and spaces:
        found = rng.choice(spaces)
        line = line[:found.start(1)] + rng.choice(SPACES + ["reg"]) + line[found.end(1):]
    elif kind == "another number" and re.search(r"\b\d+\b", line):
        found = rng.choice(list(re.finditer(r"\b\d+\b", line)))
        line = line[:found.start()] + rng.choice("0 1 2 3 4 8 16 100".split()) + line[found.end():]
    elif kind == "drop a character":
        signs = [at for at, character in enumerate(line) if character in ";,:{}()[]<>."]
        if not signs:
            return None
        sign = rng.choice(signs)
        line = line[:sign] + line[sign + 1:]
    else:
        return None
    return replaced(name, lines, at, line, kind)
