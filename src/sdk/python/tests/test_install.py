"""Installing with pip needs no network, and what is installed is the typed package alone."""

from __future__ import annotations

import ast
import pathlib
import subprocess
import sys
import tempfile
import unittest
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "backend"))

import turnpin_build  # noqa: E402

try:
    import pip  # noqa: F401

    HAS_PIP = True
except ImportError:
    HAS_PIP = False


class Install(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory(prefix="turnpin-install-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def test_the_wheel_holds_the_package_its_type_marker_and_its_metadata(self) -> None:
        name = turnpin_build.build_wheel(str(self.folder))
        self.assertRegex(name, r"^turnpin-\d+\.\d+\.\d+-py3-none-any\.whl$")
        with zipfile.ZipFile(self.folder / name) as wheel:
            members = set(wheel.namelist())
        self.assertLessEqual({"turnpin/__init__.py", "turnpin/client.py", "turnpin/py.typed"}, members)
        self.assertFalse([member for member in members if "test" in member or "backend" in member])

    def test_wheels_of_equal_sources_are_equal(self) -> None:
        (self.folder / "a").mkdir()
        (self.folder / "b").mkdir()
        names = [turnpin_build.build_wheel(str(self.folder / name)) for name in ("a", "b")]
        self.assertEqual((self.folder / "a" / names[0]).read_bytes(), (self.folder / "b" / names[1]).read_bytes())

    def test_every_file_is_written_in_the_python_that_the_metadata_promises(self) -> None:
        self.assertIn('requires-python = ">=3.9"', (ROOT / "pyproject.toml").read_text())
        files = sorted(ROOT.rglob("*.py"))
        self.assertGreater(len(files), 8)
        for file in files:
            ast.parse(file.read_text(), str(file), feature_version=(3, 9))

    @unittest.skipUnless(HAS_PIP, "this Python has no pip")
    def test_pip_installs_it_from_the_folder_without_an_index(self) -> None:
        pip_install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--disable-pip-version-check"]
        subprocess.run([*pip_install, "--target", str(self.folder), str(ROOT)], check=True, capture_output=True)
        code = "import turnpin; print(turnpin.__file__)"
        found = subprocess.run(
            [sys.executable, "-S", "-c", code],
            env={"PYTHONPATH": str(self.folder)},
            cwd=self.folder,
            check=True,
            capture_output=True,
            text=True,
        )
        self.assertIn(str(self.folder), found.stdout)


if __name__ == "__main__":
    unittest.main()
