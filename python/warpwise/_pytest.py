"""A plugin of pytest: findings of all tests in one SARIF file."""

from __future__ import annotations

import json
import sys


def pytest_addoption(parser):
    group = parser.getgroup("warpwise")
    group.addoption("--warpwise-sarif", metavar="FILE", help="write what warpwise.testing.assert_clean found as SARIF")


def pytest_sessionstart(session):
    if session.config.getoption("--warpwise-sarif"):
        from . import testing

        testing._seen.clear()


def pytest_sessionfinish(session):
    file = session.config.getoption("--warpwise-sarif")
    if not file:
        return
    testing = sys.modules.get("warpwise.testing")
    reports = [report.sarif for report in getattr(testing, "_seen", [])]
    with open(file, "w", encoding="utf-8") as out:
        json.dump(merged(reports), out, indent=1)


def merged(reports):
    """One log of all runs' results and rules."""
    base = {"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0", "runs": []}
    if not reports:
        driver = {"name": "warpwise", "rules": []}
        return {**base, "runs": [{"tool": {"driver": driver}, "results": []}]}
    first = json.loads(json.dumps(reports[0]))
    run = first["runs"][0]
    rules = {rule["id"]: rule for rule in run["tool"]["driver"].get("rules", [])}
    results = list(run.get("results", []))
    for report in reports[1:]:
        for other in report["runs"]:
            rules.update({rule["id"]: rule for rule in other["tool"]["driver"].get("rules", [])})
            results += other.get("results", [])
    run["tool"]["driver"]["rules"] = list(rules.values())
    order = {name: i for i, name in enumerate(rules)}
    for result in results:
        if "ruleIndex" in result:
            result["ruleIndex"] = order.get(result.get("ruleId"), result["ruleIndex"])
    run["results"] = results
    return first
