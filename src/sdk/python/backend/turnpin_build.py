"""A build backend (PEP 517, PEP 660) of the standard library alone, so that installing needs no network.

The wheel holds the package ``turnpin`` and its metadata; the editable wheel holds a path file in place of the package.
"""

from __future__ import annotations

import base64
import hashlib
import io
import re
import tarfile
import zipfile
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Tuple

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = "turnpin"
# Wheels of equal sources are equal: every file has the oldest time that a zip can hold.
TIME = (1980, 1, 1, 0, 0, 0)

Config = Optional[Mapping[str, Any]]


def get_requires_for_build_wheel(config_settings: Config = None) -> List[str]:
    return []


def get_requires_for_build_editable(config_settings: Config = None) -> List[str]:
    return []


def get_requires_for_build_sdist(config_settings: Config = None) -> List[str]:
    return []


def build_wheel(wheel_directory: str, config_settings: Config = None, metadata_directory: Optional[str] = None) -> str:
    files = [(path.relative_to(ROOT).as_posix(), path.read_bytes()) for path in _package_files()]
    return _write_wheel(Path(wheel_directory), files)


def build_editable(wheel_directory: str, config_settings: Config = None, metadata_directory: Optional[str] = None) -> str:
    return _write_wheel(Path(wheel_directory), [(f"_{PACKAGE}_editable.pth", f"{ROOT}\n".encode())])


def build_sdist(sdist_directory: str, config_settings: Config = None) -> str:
    base = f"{PACKAGE}-{_field('version')}"
    files = [ROOT / "pyproject.toml", Path(__file__), *_package_files()]
    with tarfile.open(Path(sdist_directory) / f"{base}.tar.gz", "w:gz", format=tarfile.PAX_FORMAT) as archive:
        for path in files:
            archive.add(path, f"{base}/{path.relative_to(ROOT).as_posix()}")
        info = tarfile.TarInfo(f"{base}/PKG-INFO")
        metadata = _metadata()
        info.size = len(metadata)
        archive.addfile(info, io.BytesIO(metadata))
    return f"{base}.tar.gz"


def _package_files() -> List[Path]:
    return sorted(path for path in (ROOT / PACKAGE).rglob("*") if path.suffix == ".py" or path.name == "py.typed")


def _write_wheel(directory: Path, files: List[Tuple[str, bytes]]) -> str:
    base = f"{PACKAGE}-{_field('version')}"
    info = f"{base}.dist-info"
    wheel = b"Wheel-Version: 1.0\nGenerator: turnpin_build\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    members: Dict[str, bytes] = {**dict(files), f"{info}/METADATA": _metadata(), f"{info}/WHEEL": wheel}
    record = "".join(f"{name},sha256={_digest(body)},{len(body)}\n" for name, body in members.items())
    members[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
    name = f"{base}-py3-none-any.whl"
    with zipfile.ZipFile(directory / name, "w", zipfile.ZIP_DEFLATED) as archive:
        for member, body in members.items():
            entry = zipfile.ZipInfo(member, TIME)
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, body, zipfile.ZIP_DEFLATED)
    return name


def _digest(body: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(body).digest()).rstrip(b"=").decode()


def _metadata() -> bytes:
    return (
        f"Metadata-Version: 2.1\nName: {_field('name')}\nVersion: {_field('version')}\n"
        f"Summary: {_field('description')}\nRequires-Python: {_field('requires-python')}\n"
    ).encode()


def _field(name: str) -> str:
    """A text of ``[project]``; Python 3.9 has no TOML reader."""
    found = re.search(rf'^{re.escape(name)} = "(.*)"$', (ROOT / "pyproject.toml").read_text("utf-8"), re.MULTILINE)
    if found is None:
        raise ValueError(f'pyproject.toml has no line {name} = "…"')
    return found.group(1)
