#!/usr/bin/env python3
"""Opens a page of `warpwise tour` in a real browser and looks for what is wrong with it.

    scripts/browser/check.py PAGE.html [--shots FOLDER] [--picture FILE] [--axe-everywhere]

At 360, 390 and 1280 pixels, on light and dark backgrounds: no error in the console, no request that leaves the page,
every link in the table of contents works, headings are in order, pictures and plots say what they show and have
their data, every number matches its row in the embedded results, text has a contrast of 4.5, nothing is wider
than the window, axe-core finds no violation. Without its script everything is there too. The page is also printed. When
the page is first painted is said, not judged. axe-core comes from npm, and looks at two views, or at all of them with
--axe-everywhere. --picture draws the best parts, as in the README.
"""

import argparse
import os
import pathlib
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from devtools import Browser, axe, find_or_install  # noqa: E402

# It takes seconds for a page: a phone and a desktop, light and dark.
AXE_VIEWS = [(360, False), (1280, True)]
VIEWS = [(360, 740, False), (390, 844, True), (390, 844, False), (1280, 900, False), (1280, 900, True)]
CODE = (pathlib.Path(__file__).parent / "page.js").read_text()


def said(event):
    """The problem that an event reports, or nothing."""
    method, parameters = event.get("method"), event.get("params", {})
    if method == "Runtime.exceptionThrown":
        return f"an exception: {parameters['exceptionDetails'].get('text')}"
    if method == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "warning", "assert"):
        return f"the console says: {[a.get('value') for a in parameters['args']]}"
    if method == "Log.entryAdded" and parameters["entry"]["level"] in ("error", "warning"):
        return f"the log says: {parameters['entry']['text']}"
    if method == "Network.requestWillBeSent":
        url = parameters["request"]["url"]
        if not url.startswith(("file:", "data:")):
            return f"a request leaves the page: {url}"
    return None


PAINTED = """performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN"""
AXE = """axe.run(document, { resultTypes: ['violations'] }).then((found) => found.violations.map(
    (rule) => `${rule.id}: ${rule.help} (${rule.nodes.length} times, first ${rule.nodes[0].target})`))"""


def scriptless(browser, url):
    """Without its script the page shows as much as with it."""
    shown = """document.querySelector('main').innerText.length
        - [...document.querySelectorAll('.choose, .panes')].reduce((sum, part) => sum + part.innerText.length, 0)"""
    browser.open(url + "#all")
    with_script = browser.evaluate(shown)
    browser.call("Emulation.setScriptExecutionDisabled", value=True)
    browser.open(url)
    without = browser.evaluate("[...document.querySelectorAll('main > section')].filter((s) => s.checkVisibility()).length")
    text = browser.evaluate(shown)
    browser.call("Emulation.setScriptExecutionDisabled", value=False)
    problems = []
    if without < 4:
        problems.append(f"without scripts, {without} sections are shown")
    if text < 0.99 * with_script:
        problems.append(f"without scripts, {text} letters are shown of {with_script}")
    return problems


def picture(browser, url, file):
    """What the page opens with, all primitives at a glance and the pictures of heat, in one picture."""
    browser.view(1160, 900, False)
    browser.open(url + "#all")
    height = browser.evaluate("""(() => {
        const keep = ['short', 'overview', 'applications'];
        document.querySelectorAll('main > section').forEach((e) => { if (!keep.includes(e.id)) e.remove(); });
        const heat = document.getElementById('applications');
        if (heat) [...heat.children].forEach((e) => { if (!e.matches('h2, .frames')) e.remove(); });
        document.querySelectorAll('main .aside, .legend').forEach((e) => e.remove());
        document.body.style.paddingBottom = '1rem';
        return Math.ceil(document.body.getBoundingClientRect().height);
    })()""")
    clip = {"x": 0, "y": 0, "width": 1160, "height": height, "scale": 0.8}
    browser.screenshot(file, clip=clip)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("page", type=pathlib.Path)
    parser.add_argument("--shots", type=pathlib.Path, help="write screenshots into this folder")
    parser.add_argument("--picture", type=pathlib.Path, help="write one picture of the best parts")
    parser.add_argument("--axe-everywhere", action="store_true", help="run axe-core in every view")
    arguments = parser.parse_args()
    if not arguments.page.is_file():
        sys.exit(f"error: there is no page {arguments.page}: make one with `warpwise tour`")
    url = arguments.page.resolve().as_uri()
    browser = Browser(find_or_install())
    problems, passed, checker = [], 0, axe()
    try:
        for domain in ("Page", "Runtime", "Log", "Network"):
            browser.call(f"{domain}.enable")
        for width, height, dark in VIEWS:
            name = f"{width} px, {'dark' if dark else 'light'}"
            browser.view(width, height, dark)
            browser.open(url)
            painted = browser.evaluate(PAINTED)
            # Every section at once: what is not shown cannot be checked.
            browser.open(url + "#all")
            found = browser.evaluate(CODE)
            if arguments.axe_everywhere or (width, dark) in AXE_VIEWS:
                browser.evaluate(checker + "; 0")
                found["problems"] += [f"axe says: {problem}" for problem in browser.evaluate(AXE)]
            problems += [f"{name}: {problem}" for problem in found["problems"]]
            passed += not found["problems"]
            print(f"{name}: painted after {painted:.0f} ms, {found['numbers']} numbers, {found['plots']} plots, "
                  f"{found['images']} pictures, {found['texts']} texts, {len(found['problems'])} problems")
            if arguments.shots:
                arguments.shots.mkdir(parents=True, exist_ok=True)
                browser.screenshot(arguments.shots / f"{width}-{'dark' if dark else 'light'}.png")
        problems += scriptless(browser, url)
        if arguments.picture:
            picture(browser, url, arguments.picture)
        printed = browser.call("Page.printToPDF", printBackground=False)["data"]
        if len(printed) < 10000:
            problems.append("the printed page is empty")
        passed += 1
        problems += [problem for problem in map(said, browser.events) if problem]
    finally:
        browser.close()
    for problem in problems:
        print(f"error: {problem}")
    print(f"{passed} passed, {len(problems)} failed")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
