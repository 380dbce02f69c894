"""Kinds of changes to PTX texts that the reader was not tuned for: they check that it was not fitted to the others."""

import re

from mutations import INSTRUCTION, UNKNOWN, replaced

TOKEN = re.compile(r"%?[A-Za-z_$][\w$]*|\.[\w:]+|0[fFdDxX][0-9A-Fa-f]+|\d+(?:\.\d+)?|[^\s\w]")
LETTERS = "abdfrsux%._0123456789,;[]{}+-@!|"


class Unseen:
    """Mutants of these kinds, one at a time."""

    def __init__(self, files):
        self.lines = {name: files[name].split("\n") for name in sorted(files)}
        self.places = {
            name: [at for at, line in enumerate(lines) if usable(line)] for name, lines in self.lines.items()}
        self.names = [name for name in self.lines if len(self.places[name]) > 1]

    def make(self, rng):
        name = rng.choice(self.names)
        lines = self.lines[name]
        at = rng.choice(self.places[name])
        other = rng.choice(self.places[name])
        kind = rng.choice(["drop a token", "double a token", "swap tokens", "token from elsewhere", "another letter",
                           "operands of another", "words of another", "instruction from elsewhere",
                           "move the instruction"])
        line = lines[at]
        if kind == "operands of another":
            line = rejoined(line, lines[other], words_of=0)
        elif kind == "words of another":
            line = rejoined(line, lines[other], words_of=1)
        elif kind == "instruction from elsewhere":
            line = self.renamed(rng, lines)
        elif kind == "another letter":
            place = rng.randrange(len(line))
            line = line[:place] + rng.choice(LETTERS) + line[place + 1:]
        elif kind == "move the instruction":
            # Into another scope, or behind a label that it uses.
            lines = lines[:at] + [""] + lines[at + 1:]
            at, line = other, lines[other] + " " + line
        else:
            line = self.tokens(line, kind, rng)
        return replaced(name, lines, at, line, kind) if line is not None else None

    def tokens(self, line, kind, rng):
        found = list(TOKEN.finditer(line))
        at = rng.randrange(len(found) - 1)
        here, after = found[at], found[at + 1]
        if kind == "drop a token":
            return line[:here.start()] + line[here.end():]
        if kind == "double a token":
            return line[:here.end()] + " " + here[0] + line[here.end():]
        if kind == "swap tokens":
            between = line[here.end():after.start()]
            return line[:here.start()] + after[0] + between + here[0] + line[after.end():]
        elsewhere = rng.choice(self.names)
        other = TOKEN.findall(self.lines[elsewhere][rng.choice(self.places[elsewhere])])
        return line[:here.start()] + rng.choice(other) + line[here.end():]

    def renamed(self, rng, lines):
        """An instruction of another file, with registers of this one."""
        elsewhere = rng.choice(self.names)
        line = self.lines[elsewhere][rng.choice(self.places[elsewhere])]
        own = re.findall(r"%[A-Za-z]+\d+", "\n".join(lines))
        if not own:
            return None

        def register(found):
            prefix = re.match(r"%[A-Za-z]+", found[0])[0]
            alike = [name for name in own if re.match(r"%[A-Za-z]+", name)[0] == prefix]
            return rng.choice(alike or own)
        return re.sub(r"%[A-Za-z]+\d+", register, line)


def usable(line):
    return bool(INSTRUCTION.match(line)) and not UNKNOWN.search(line) and len(TOKEN.findall(line)) > 2


def rejoined(line, other, words_of):
    mine, its = INSTRUCTION.match(line), INSTRUCTION.match(other)
    words, operands = (its, mine) if words_of else (mine, its)
    return mine[1] + words[2] + words[3] + (operands[4] or "") + ";"
