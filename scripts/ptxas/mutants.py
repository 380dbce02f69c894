#!/usr/bin/env python3
"""Compares the verdicts of warpwise's PTX reader and of ptxas on damaged PTX files.

    scripts/ptxas/mutants.py [--count 20000] [--ptxas PATH] [--compiled FOLDER] [--report FILE]

It takes PTX files that ptxas accepts (those of the repository, single kernels out of its large modules, and what
compile.py made), changes one thing in each copy (an operand, a modifier, a type, a register, a state space, a label, a
directive) and asks both whether the copy is well formed. The seed is fixed, so the same files give the same copies.
With --unseen the files are those that are otherwise kept aside, and the kinds of changes others, in unseen.py.

ptxas reads each copy without making code of it (`-arch=compute_90a`). Where the verdicts differ it is asked again, and
makes code of what the reader refuses; --assemble has it make code of some more, to see what it objects to then. Its
reasons are sorted: a copy that it refuses only for the target, the version, a limit or an opcode that it does not know
(OTHER) is not compared: the emulator has targets and limits of its own and leaves unknown opcodes to the executor.

ptxas needs no GPU; without a CUDA toolkit it comes from pip:

    pip install nvidia-cuda-nvcc-cu12

and lies in nvidia/cuda_nvcc/bin/ptxas among the installed packages.
"""

import argparse
import collections
import hashlib
import json
import pathlib
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile

import mutations
import sources
import unseen

# Memory for ptxas; some files declare billions of registers.
MEMORY = 2 << 30
# How many texts ptxas and the reader are given at a time.
BATCH = 40
READ = 2000
# Code is made of texts up to this size only: it takes long.
SMALL = 8_000
# What a module declares.
NAME = re.compile(
    r"\.(?:entry|func)\s+(?:\([^)]*\)\s*)?([A-Za-z_$][\w$]*)|"
    r"^\s*(?:\.(?:visible|extern|weak|common)\s+)?\.(?:global|const|shared)\s[^;=]*?([A-Za-z_$][\w$]*)"
    r"\s*(?:\[[^=;]*)?[;=]", re.M)
# What ptxas says when it objects to something else than syntax and types. Volatile accesses to local memory came with a
# later version.
OTHER = re.compile(
    r"requires \.target|not supported on \.target|requires PTX ISA|32-Bit ABI|is not supported (on|for) |too much|"
    r"Not a name of any known instruction|out of range|Internal error|Memory allocation|Unsupported \.version|"
    r"deprecated|unresolved extern|does not support|Ptx assembly aborted|PTX ISA version|"
    r"'\.volatile' cannot be applied to '\.local'"
)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=20_000, help="how many mutants")
    parser.add_argument("--seed", type=int, default=1, help="of the choice of mutants")
    parser.add_argument("--unseen", action="store_true", help="files and changes that are otherwise kept aside")
    parser.add_argument("--compiled", type=pathlib.Path, help="a folder of more PTX files, from compile.py")
    parser.add_argument("--ptxas", default=shutil.which("ptxas"), help="where ptxas is, if it is not in PATH")
    parser.add_argument("--reader", type=pathlib.Path, help="a built example 'verdicts' of warpwise-ptx")
    parser.add_argument("--report", type=pathlib.Path, help="where to write the disagreements")
    parser.add_argument("--data", type=pathlib.Path, help="where to write mutants with their verdicts, for tests")
    parser.add_argument("--keep", type=int, default=600, help="how many of them")
    parser.add_argument("--cache", type=pathlib.Path, help="a file that keeps the verdicts of ptxas between runs")
    parser.add_argument("--assemble", type=int, default=0, help="have ptxas make code of that many accepted ones too")
    options = parser.parse_args()
    if not options.ptxas:
        sys.exit("ptxas is not in PATH: name it with --ptxas, or run 'pip install nvidia-cuda-nvcc-cu12'")
    return options


def judge_texts(options, folder, texts, kind):
    """What ptxas objects to in each text, all of it, or None where it accepts the text.

    ptxas takes many files at a time but has one table of names for them, so the names of each file get a number, and
    source lines are left out.
    """
    paths = []
    for number, text in enumerate(texts):
        names = {re.escape(name) for pair in NAME.findall(text) for name in pair if name not in ("", "_")}
        pattern = rf"(?<![\w$.%])({'|'.join(names)})(?![\w$])"
        if len(texts) > 1:
            text = re.sub(pattern, rf"\1_n{number}", text) if names else text
            text = re.sub(r"(?m)^\s*\.(file|loc)\b.*$", "", text)
        path = folder / f"{number}.ptx"
        path.write_text(text)
        paths.append(path)
    command = ["nice", options.ptxas, f"-arch={kind}_{sources.target_of(texts[0])}", "-O0", "-o", "/dev/null", *paths]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return [None] * len(texts)
    found = [[] for _ in texts]
    for number, message in re.findall(r"/(\d+)\.ptx, line \d+; (?:error|fatal)\s*: (.*)", done.stderr + done.stdout):
        found[int(number)].append(message.strip())
    if any(found):
        # What is left without an objection is read again: it must be accepted.
        left = [text for text, messages in zip(texts, found) if not messages]
        again = iter(judge_texts(options, folder, left, kind) if left else [])
        return [messages or next(again) for messages in found]
    if len(texts) > 1:
        half = len(texts) // 2
        halves = texts[:half], texts[half:]
        return [verdict for part in halves for verdict in judge_texts(options, folder, part, kind)]
    messages = re.findall(r"(?:error|fatal)\s*: (.*)", done.stderr + done.stdout)
    return [messages or [f"Internal error: status {done.returncode}"]]


def is_other(messages):
    """Whether ptxas refuses for other reasons than syntax and types alone."""
    return messages is not None and all(OTHER.search(message) for message in messages)


def judge_all(options, folder, texts):
    """The verdicts of ptxas and of the reader on each text."""
    kept = json.loads(options.cache.read_text()) if options.cache and options.cache.exists() else {}
    keys = [hashlib.sha256(text.encode()).hexdigest() for text in texts]
    new = [number for number, key in enumerate(keys) if key not in kept]
    for count, chunk in enumerate(batches(new, texts)):
        verdicts = judge_texts(options, folder, [texts[number] for number in chunk], "compute")
        kept.update(zip((keys[number] for number in chunk), verdicts))
        if options.cache and count % 100 == 99:
            options.cache.write_text(json.dumps(kept))
    ours = read_all(options, folder, texts)
    # Where they differ, ptxas is asked again about the text alone, and must make code of what the reader refuses.
    for text, key, error in zip(texts, keys, ours, strict=True):
        kind = "sm" if error else "compute"
        if (error is None) != (kept[key] is None) and f"{key} {kind}" not in kept:
            kept[f"{key} {kind}"], = judge_texts(options, folder, [text], kind)
    if options.cache:
        options.cache.write_text(json.dumps(kept))
    return [(kept.get(f"{key} {'sm' if error else 'compute'}", kept[key]), error) for key, error in zip(keys, ours)]


def batches(numbers, texts):
    """The texts in groups for one target; those with debug information, which has names of its own, by themselves."""
    groups = collections.defaultdict(list)
    for number in numbers:
        if ".section" in texts[number]:
            yield [number]
        else:
            groups[sources.target_of(texts[number])].append(number)
    for group in groups.values():
        for start in range(0, len(group), BATCH):
            yield group[start:start + BATCH]


def read_all(options, folder, texts):
    """The verdicts of the reader: None, or its error."""
    command = [options.reader] if options.reader else [
        "cargo", "run", "--quiet", "--release", "-p", "warpwise-ptx", "--example", "verdicts"]
    ours = []
    for start in range(0, len(texts), READ):
        names = ""
        for number, text in enumerate(texts[start:start + READ]):
            path = folder / f"{number}.ptx"
            path.write_text(text)
            names += f"{path}\n"
        done = subprocess.run(command, input=names, capture_output=True, text=True, check=True, cwd=sources.ROOT)
        ours += [None if line == "accepted" else line for line in done.stdout.splitlines()]
    return ours


def assemble(options, folder, rows):
    """Has ptxas make code of some of the mutants that it accepts, and prints what it objects to then."""
    texts = [mutant.text for mutant, theirs, _ in rows if theirs is None and len(mutant.text) < SMALL]
    texts = random.Random(options.seed).sample(texts, min(options.assemble, len(texts)))
    objections = collections.Counter()
    for chunk in batches(range(len(texts)), texts):
        for messages in judge_texts(options, folder, [texts[number] for number in chunk], "sm"):
            objections.update(messages[:1] if messages else [])
    print(f"{sum(objections.values())} of {len(texts)} accepted ones are refused when code is made of them:")
    for message, count in objections.most_common():
        print(f"    {count}  {message}")


def accepted(options, folder):
    """The texts that ptxas accepts, by name."""
    texts = sources.all_texts(options.compiled)
    texts = {name: text for name, text in texts.items() if sources.is_aside(name) == options.unseen}
    verdicts = judge_all(options, folder, list(texts.values()))
    for name, (theirs, ours) in zip(texts, verdicts):
        if theirs is None and ours is not None:
            print(f"{name}: ptxas accepts it, but {ours}")
    return {name: text for (name, text), (theirs, _) in zip(texts.items(), verdicts) if theirs is None}


def main():
    options = arguments()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        files = accepted(options, folder)
        make = unseen.Unseen(files).make if options.unseen else mutations.Mutations(files).make
        mutants = mutations.different(files, options.count, make, random.Random(options.seed))
        verdicts = judge_all(options, folder, [mutant.text for mutant in mutants])
        rows = [(mutant, *verdict) for mutant, verdict in zip(mutants, verdicts)]
        if options.assemble:
            assemble(options, folder, rows)
    elsewhere = [row for row in rows if is_other(row[1])]
    judged = [(mutant, reason(theirs), ours) for mutant, theirs, ours in rows if not is_other(theirs)]
    differ = [row for row in judged if (row[1] is None) != (row[2] is None)]
    lenient = sum(row[2] is None for row in differ)
    refused = sum(row[1] is not None for row in judged)
    agreement = 100 * (1 - len(differ) / max(1, len(judged)))
    summary = (
        f"{len(rows)} mutants of {len({row[0].file for row in rows})} files: {len(elsewhere)} refused by ptxas for "
        f"other reasons than syntax and types; of the other {len(judged)}, ptxas refuses {refused}. The reader agrees "
        f"on {agreement:.2f} %, accepts {lenient} that ptxas refuses, and refuses {len(differ) - lenient} that it "
        "accepts."
    )
    print(summary)
    if options.report:
        write_report(options.report, summary, differ)
    if options.data:
        write_data(options, judged)


def reason(messages):
    """The first reason that has to do with syntax and types."""
    return messages and next(message for message in messages if not OTHER.search(message))


def write_report(path, summary, differ):
    groups = collections.defaultdict(list)
    for mutant, theirs, ours in differ:
        why = theirs or f"accepted; the reader: {ours.split(': ', 1)[-1]}"
        groups[mutations.general(why)].append((mutant, theirs, ours))
    with path.open("w") as out:
        out.write(summary + "\n")
        for why, group in sorted(groups.items(), key=lambda item: (-len(item[1]), item[0])):
            out.write(f"\n{len(group)}  {why}\n")
            for mutant, theirs, ours in group:
                out.write(f"    {mutant.file}:{mutant.line}  {mutant.after}  [{mutant.kind}]\n")
                out.write(f"        ptxas: {theirs or 'accepted'}; reader: {ours or 'accepted'}\n")


def write_data(options, judged):
    """A sample of the mutants on which both agree, one a line: file, number of the line, verdict, the line."""
    agreed = [row for row in judged if (row[1] is None) == (row[2] is None)
              and row[0].file.startswith("crates/simt/tests/micro/") and "\t" not in row[0].after]
    # As many that ptxas accepts as it refuses, as far as there are.
    agreed = {mutant.file + str(mutant.line) + mutant.after: (mutant, theirs, ours) for mutant, theirs, ours in agreed}
    accepted_ones = [row for row in agreed.values() if row[1] is None]
    refused_ones = [row for row in agreed.values() if row[1] is not None]
    rng = random.Random(options.seed)
    chosen = rng.sample(accepted_ones, min(options.keep // 2, len(accepted_ones)))
    chosen += rng.sample(refused_ones, min(options.keep - len(chosen), len(refused_ones)))
    with options.data.open("w") as out:
        for mutant, theirs, _ in sorted(chosen, key=lambda row: (row[0].file, row[0].line, row[0].after)):
            out.write("\t".join([mutant.file, str(mutant.line), theirs or "accepted", mutant.after]) + "\n")


if __name__ == "__main__":
    main()
