"""Tests the driver with a tool that needs no packages."""

import json
import sys
import tempfile
import tomllib
import unittest
from pathlib import Path
from unittest import mock

import run

# It masks the first two letters, and notes that it ran.
ADAPTER = """
import sys
sys.path.insert(0, {here!r})
from adapter import run
open({ran!r}, "a").write("x")
run(lambda text: [({start}, 2, "PERSON_NAME")], clock=lambda: 1.5)
"""


class Tools(unittest.TestCase):
    def test_listed_and_pinned(self):
        tools = tomllib.loads((run.HERE / "tools.toml").read_text())
        folders = {f.parent.name for f in run.HERE.glob("*/adapter.*")}
        self.assertEqual(folders, {part for name, about in tools.items() for part in about.get("union", [name])})
        for packages in run.HERE.glob("*/*.txt"):
            for line in packages.read_text().splitlines():
                self.assertIn("==", line)


class Driver(unittest.TestCase):
    def setUp(self):
        d = tempfile.TemporaryDirectory()
        self.addCleanup(d.cleanup)
        self.home = Path(d.name)
        self.ran, self.texts = self.home / "ran", self.home / "set.texts.jsonl"
        self.ran.touch()
        call = {"id": "c", "utterances": [{"speaker": "A", "text": "Åsa 😀"}, {"speaker": "A", "text": ""}]}
        self.texts.write_text(json.dumps(call) + "\n")
        for name in ("one", "two"):
            (self.home / name).mkdir()
            self.adapter(name, 0)
        (self.home / "adapter.py").touch()
        for name, value in {"HERE": self.home, "WORK": self.home}.items():
            patch = mock.patch.object(run, name, value)
            patch.start()
            self.addCleanup(patch.stop)
        patch = mock.patch.object(run, "install", lambda tool: [sys.executable, self.home / tool / "adapter.py"])
        patch.start()
        self.addCleanup(patch.stop)

    def adapter(self, tool, start):
        here = str(Path(run.__file__).absolute().parent)
        (self.home / tool / "adapter.py").write_text(ADAPTER.format(here=here, ran=str(self.ran), start=start))

    def runs(self):
        return len(self.ran.read_text())

    def spans(self, found):
        return [[(e["start"], e["end"]) for e in u["entities"]] for line in found.read_text().splitlines() for u in json.loads(line)["utterances"]]

    def test_form(self):
        found, took = run.masks("one", "set", self.texts)
        self.assertEqual(self.spans(found), [[(0, 2)], []])  # nothing outside the text
        self.assertEqual(took, {"utterances": 2, "seconds": 0})

    def test_resumes(self):
        found, _ = run.masks("one", "set", self.texts)
        run.masks("one", "set", self.texts)
        self.assertEqual(self.runs(), 1)
        found.with_suffix(".json").unlink()  # stopped between the two files
        run.masks("one", "set", self.texts)
        self.assertEqual(self.runs(), 2)

    def test_reads_again_what_has_changed(self):
        run.masks("one", "set", self.texts)
        self.adapter("one", 1)
        found, _ = run.masks("one", "set", self.texts)
        self.assertEqual(self.spans(found)[0], [(1, 2)])
        self.texts.write_text(self.texts.read_text() * 2)
        self.assertEqual(run.masks("one", "set", self.texts)[1]["utterances"], 4)
        self.assertEqual(self.runs(), 3)

    def test_failed_tool_leaves_nothing(self):
        (self.home / "one/adapter.py").write_text("print('{}'); raise SystemExit(1)")
        with self.assertRaises(SystemExit):
            run.masks("one", "set", self.texts)
        self.assertEqual(list(self.home.glob("one-set-*")), [])

    def test_union(self):
        self.adapter("two", 1)
        found, took = run.union(["one", "two"], "set", self.texts)
        self.assertEqual(self.spans(found), [[(0, 2), (1, 2)], []])
        self.assertEqual(took["utterances"], 2)


if __name__ == "__main__":
    unittest.main()
