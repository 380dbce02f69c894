#!/usr/bin/env python3
"""Opens pages of `warpwise watch` in a real browser and looks for what is wrong with them.

    scripts/browser/watch.py PAGE.html... [--shots FOLDER]

At 360, 390 and 1280 pixels, on light and dark backgrounds, at the first step, at each kind of jump and at the last
step: no violation found by axe-core, nothing wider than the window, no text cut off. Every key does what the list of
keys says. What the page draws is what the record counts. With scripts off, the list of steps is there. How long a step
takes to draw is printed, not judged. axe-core comes from npm.
"""

import argparse
import os
import pathlib
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from check import said  # noqa: E402
from devtools import Browser, axe, find_or_install  # noqa: E402

VIEWS = [(360, 740, False), (390, 844, True), (1280, 900, False), (1280, 900, True)]
CODE = (pathlib.Path(__file__).parent / "watch.js").read_text()


def press(browser, key):
    """A key, pressed and released."""
    codes = {"ArrowRight": 39, "ArrowLeft": 37, "ArrowUp": 38, "ArrowDown": 40, "Home": 36, "End": 35, " ": 32}
    event = {"key": key, "windowsVirtualKeyCode": codes.get(key, 0)}
    if len(key) == 1:
        event["text"] = key
    browser.call("Input.dispatchKeyEvent", type="keyDown", **event)
    browser.call("Input.dispatchKeyEvent", type="keyUp", **event)


def keys(browser):
    """What is wrong with the keys."""
    problems = []
    state = lambda: browser.evaluate("watching.state()")  # noqa: E731
    last = browser.evaluate("watching.last")
    warps = browser.evaluate("watching.views[0].byWarp.length")
    browser.evaluate("watching.go(0), document.activeElement.blur()")

    def expect(key, what, holds):
        press(browser, key)
        if not holds(state()):
            problems.append(f"{key!r} does not {what}: {state()}")

    expect("ArrowRight", "step", lambda s: s["time"] == min(1, last))
    expect("ArrowLeft", "step back", lambda s: s["time"] == 0)
    expect("End", "go to the end", lambda s: s["time"] == last)
    expect("Home", "go to the start", lambda s: s["time"] == 0)
    expect("ArrowDown", "choose the next warp", lambda s: s["warps"][0] == min(1, warps - 1))
    expect("ArrowUp", "choose the previous warp", lambda s: s["warps"][0] == 0)
    expect("+", "play faster", lambda s: s["speed"] == 15)
    expect("-", "play slower", lambda s: s["speed"] == 5)
    expect(" ", "play", lambda s: s["playing"])
    time.sleep(0.7)
    expect(" ", "pause", lambda s: not s["playing"] and s["time"] > 0)
    for key, kind in [("c", "conflict"), ("d", "divergence"), ("m", "waste"), ("a", "collision"), ("b", "barrier"), ("r", "finding")]:
        browser.evaluate("watching.go(0)")
        there = browser.evaluate(f"document.querySelector('[data-jump={kind}]').disabled === false")
        before = state()["time"]
        press(browser, key)
        moved = state()["time"] > before
        at_start = browser.evaluate(f"watching.firstOf('{kind}') === 0")
        if there and not at_start and not moved:
            problems.append(f"{key!r} does not jump to the next {kind}")
        if not there and moved:
            problems.append(f"{key!r} jumps to a {kind} that is not there")
        if there and moved:
            press(browser, "End")
            press(browser, key.upper())
            if state()["time"] >= last and browser.evaluate(f"watching.lastOf('{kind}')") < last:
                problems.append(f"{key.upper()!r} does not jump to the previous {kind}")
    return problems


def look(browser, page, shots):
    """The problems of a page, and what to say of it."""
    problems, drawn = [], 0
    url = page.resolve().as_uri()
    checker = axe()
    for width, height, dark in VIEWS:
        name = f"{page.name}, {width} px, {'dark' if dark else 'light'}"
        browser.view(width, height, dark)
        browser.open(url)
        browser.evaluate(checker + "; 0")
        for moment in browser.evaluate("['start', 'conflict', 'divergence', 'waste', 'collision', 'barrier', 'finding', 'end']"):
            found = browser.evaluate(f"({CODE})('{moment}')")
            problems += [f"{name}, {moment}: {problem}" for problem in found]
            if shots:
                shots.mkdir(parents=True, exist_ok=True)
                file = f"{page.stem}-{width}-{'dark' if dark else 'light'}-{moment}.png"
                browser.screenshot(shots / file, clip={"x": 0, "y": 0, "width": width, "height": 1500, "scale": 1})
        drawn = browser.evaluate("""(() => {
            const steps = Math.min(200, watching.last + 1), start = performance.now();
            for (let k = 0; k < steps; k += 1) { watching.go(k); document.body.offsetHeight; }
            return (performance.now() - start) / steps;
        })()""")
    browser.open(url)
    problems += [f"{page.name}: {problem}" for problem in keys(browser)]
    browser.call("Emulation.setScriptExecutionDisabled", value=True)
    browser.open(url)
    plain = browser.evaluate("""(() => {
        const list = document.getElementById('list'), app = document.getElementById('app');
        return { open: list.open, rows: list.querySelectorAll('tbody tr').length, shown: app.checkVisibility() };
    })()""")
    if not plain["open"] or plain["rows"] < 5 or plain["shown"]:
        problems.append(f"{page.name}: with scripts off the list of steps is not there: {plain}")
    browser.call("Emulation.setScriptExecutionDisabled", value=False)
    print(f"{page.name}: {page.stat().st_size} bytes, {plain['rows']} rows, {drawn:.1f} ms to draw a step, "
          f"{len(problems)} problems", flush=True)
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("pages", type=pathlib.Path, nargs="+")
    parser.add_argument("--shots", type=pathlib.Path, help="write screenshots into this folder")
    arguments = parser.parse_args()
    for page in arguments.pages:
        if not page.is_file():
            sys.exit(f"error: there is no page {page}: make one with `warpwise watch`")
    browser = Browser(find_or_install())
    problems = []
    try:
        for domain in ("Page", "Runtime", "Log", "Network"):
            browser.call(f"{domain}.enable")
        for page in arguments.pages:
            problems += look(browser, page, arguments.shots)
        problems += [problem for problem in map(said, browser.events) if problem]
    finally:
        browser.close()
    for problem in problems:
        print(f"error: {problem}")
    print(f"{len(arguments.pages)} pages, {len(problems)} problems")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
