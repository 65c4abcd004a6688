"""The brain's script: it prepares its environment once, and then only starts.

Preparing is tested on a stand-in: a checkout of a few lines with the real scripts, which is built
in seconds. One slow test prepares a real checkout.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = ("pbrain-shisan", "prepare", "prepare.py")
PREPARING = r"shisan: preparing \.venv, .*\nshisan: ready after \d+ s\n"

PROJECT = """\
[build-system]
requires = ["setuptools>=77"]
build-backend = "setuptools.build_meta"
[project]
name = "shisan"
version = "0"
[tool.setuptools]
packages = ["shisan.protocol"]
package-dir = { "shisan.protocol" = "protocol" }
"""
BRAIN = '''\
"""Echo."""
import sys
def main():
    print("first brain", *sys.argv[1:], flush=True)
    for line in sys.stdin:
        print("got", line.strip(), flush=True)
    return 0
'''


def run(
    script: Path,
    *arguments: str,
    text: str = "",
    cwd: Path | None = None,
    env: dict[str, str] | None = None,
) -> subprocess.CompletedProcess[str]:
    """Start a script, feed it and wait for its end; env: changes of the environment."""
    return subprocess.run(
        [script, *arguments],
        input=text,
        capture_output=True,
        encoding="utf-8",
        cwd=cwd,
        env=os.environ | (env or {}),
        timeout=300,
    )


def snapshot(folder: Path) -> dict[str, int]:
    """Every file and folder with its time of change; what lies behind links is left out."""
    return {
        os.path.join(top, name): os.lstat(os.path.join(top, name)).st_mtime_ns
        for top, folders, files in os.walk(folder)
        for name in (*folders, *files)
    }


def make_stand_in(folder: Path) -> Path:
    """A tiny checkout with the real scripts; returns its brain."""
    for name in ("engine", "protocol", "scripts"):
        (folder / name).mkdir(parents=True)
    for name in SCRIPTS:
        shutil.copy2(ROOT / "scripts" / name, folder / "scripts" / name)
    (folder / "pyproject.toml").write_text(PROJECT)
    (folder / "setup.py").write_text("from setuptools import setup\nsetup()\n")
    (folder / "protocol" / "__init__.py").write_text("")
    (folder / "protocol" / "loop.py").write_text(BRAIN)
    return folder / "scripts" / "pbrain-shisan"


@pytest.fixture(scope="module")
def stand_in(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The brain of a stand-in that has been started once, in a folder with an awkward name."""
    brain = make_stand_in(tmp_path_factory.mktemp("start") / "Weiße Steine 五目 & 'more'")
    done = run(brain, "--force-utf8", "a b", text="START 15\nEND\n")
    assert re.fullmatch(PREPARING, done.stderr)
    assert done.stdout == "first brain --force-utf8 a b\ngot START 15\ngot END\n"
    assert done.returncode == 0
    return brain


def folder_of(brain: Path) -> Path:
    """The checkout that a brain belongs to."""
    return brain.parent.parent


def test_prepared_start_writes_nothing(stand_in: Path) -> None:
    """Neither to stderr nor anywhere in the checkout."""
    before = snapshot(folder_of(stand_in))
    done = run(stand_in, text="END\n")
    assert (done.stdout, done.stderr) == ("first brain\ngot END\n", "")
    assert snapshot(folder_of(stand_in)) == before


def test_changed_source_is_prepared_again(stand_in: Path) -> None:
    """A file that is newer, one that came and one that went."""
    protocol = folder_of(stand_in) / "protocol"
    (protocol / "loop.py").write_text(BRAIN.replace("first", "second"))
    (protocol / "new.py").write_text('"""New."""\n')
    done = run(stand_in)
    assert done.stdout == "second brain\n"
    assert re.fullmatch(PREPARING, done.stderr)
    installed = next((folder_of(stand_in) / ".venv" / "lib").glob("*/site-packages/shisan"))
    assert (installed / "protocol" / "new.py").exists()
    (protocol / "new.py").unlink()
    (protocol / "loop.py").write_text(BRAIN)
    assert run(stand_in).stdout == "first brain\n"
    assert not (installed / "protocol" / "new.py").exists()
    assert run(stand_in).stderr == ""


def test_interrupted_preparation_is_done_again(stand_in: Path) -> None:
    """Killed in the middle: the next start does it all."""
    (folder_of(stand_in) / "setup.py").touch()
    process = subprocess.Popen(
        [stand_in], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True
    )
    assert process.stderr is not None
    assert b"preparing" in process.stderr.readline()
    time.sleep(0.5)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    done = run(stand_in)
    assert done.stdout == "first brain\n"
    assert re.fullmatch(PREPARING, done.stderr)


def test_failed_preparation_is_one_line(stand_in: Path) -> None:
    """Exit status 1, nothing on stdout, and it works once the reason is gone."""
    setup = folder_of(stand_in) / "setup.py"
    good = setup.read_text()
    setup.write_text("raise SystemExit('error: no luck today')\n")
    done = run(stand_in)
    assert (done.returncode, done.stdout) == (1, "")
    _, line = done.stderr.splitlines()
    assert line.startswith("shisan: preparing .venv failed: error: no luck today (all of it: /")
    setup.write_text(good)
    assert run(stand_in).stdout == "first brain\n"


def test_lost_python_is_replaced(stand_in: Path) -> None:
    """An upgrade took away the Python that .venv was made with."""
    python = folder_of(stand_in) / ".venv" / "bin" / "python"
    python.unlink()
    python.symlink_to("/nonexistent/python3")
    done = run(stand_in)
    assert done.stdout == "first brain\n"
    assert re.fullmatch(PREPARING, done.stderr)


def test_python_asked_for(stand_in: Path) -> None:
    """SHISAN_PYTHON is what .venv is made with; another choice makes a new one."""
    base = os.path.realpath(sys.executable)
    done = run(stand_in, env={"SHISAN_PYTHON": base})
    assert done.stdout == "first brain\n"
    assert re.fullmatch(PREPARING, done.stderr)
    for choice in (base, ""):
        done = run(stand_in, env={"SHISAN_PYTHON": choice})
        assert (done.stdout, done.stderr) == ("first brain\n", "")


def test_first_starts_at_the_same_time(tmp_path: Path) -> None:
    """One prepares, the others wait for it."""
    brain = make_stand_in(tmp_path / "at once")
    started = [
        subprocess.Popen(
            [brain], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        for _ in range(3)
    ]
    ended = [process.communicate(b"END\n", timeout=300) for process in started]
    assert [out for out, _ in ended] == [b"first brain\ngot END\n"] * 3
    told = "".join(err.decode() for _, err in ended)
    assert told.count("preparing .venv, ") == 1
    assert told.count("waiting for another process") == 2


def path_of(folder: Path, *commands: str) -> str:
    """A PATH with just these commands."""
    folder.mkdir()
    for command in commands:
        found = shutil.which(command)
        assert found is not None
        (folder / command).symlink_to(found)
    return str(folder)


def fails(brain: Path, **env: str) -> str:
    """The one line that an unprepared brain says when something is missing."""
    done = run(brain, env=env)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.count("\n") == 1
    assert not (folder_of(brain) / ".venv").exists()
    return done.stderr


def test_missing_things_are_named(tmp_path: Path) -> None:
    """One line each, before anything is made."""
    brain = make_stand_in(tmp_path / "bare")
    base = os.path.realpath(sys.executable)
    tools = ("sh", "find", "readlink")
    line = fails(brain, PATH=path_of(tmp_path / "no-python", *tools), SHISAN_PYTHON="")
    assert line.startswith("shisan: needs Python 3.10 or newer: install python3")
    line = fails(brain, SHISAN_PYTHON="/nonexistent/python3")
    assert line == "shisan: SHISAN_PYTHON=/nonexistent/python3 is no Python 3.10 or newer\n"
    line = fails(brain, PATH=path_of(tmp_path / "no-cc", *tools), SHISAN_PYTHON=base, CC="")
    assert line.startswith("shisan: no C compiler")
    assert "apt install gcc" in line
    line = fails(brain, SHISAN_PYTHON=base, CC="nonexistent-cc")
    assert line == "shisan: CC=nonexistent-cc is no command: name a C compiler, or unset CC\n"
    line = fails(brain, SHISAN_PYTHON=base, CC="false")
    assert line.startswith("shisan: the C compiler 'false' cannot compile for Python")


def test_missing_parts_of_python_are_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Debian has Python's headers and its venv in packages of their own. Or no permission."""
    from shisan.scripts import prepare

    monkeypatch.setattr(prepare, "ROOT", tmp_path / "nowhere")
    with pytest.raises(SystemExit) as ended:
        prepare.main([])
    assert ended.value.code == 1
    assert capsys.readouterr().err == (
        f"shisan: {tmp_path}/nowhere must be prepared but cannot be written: "
        "No such file or directory\n"
    )
    monkeypatch.setattr(prepare.sysconfig, "get_path", lambda name: str(tmp_path))
    with pytest.raises(SystemExit) as ended:
        prepare.compiler()
    assert ended.value.code == 1
    monkeypatch.setattr(prepare.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(SystemExit) as ended:
        prepare.prepare(False)
    assert ended.value.code == 1
    headers, venv = capsys.readouterr().err.splitlines()
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    assert headers.startswith(f"shisan: no Python headers ({tmp_path}/Python.h)")
    assert f"apt install python{version}-dev" in headers
    assert venv.startswith("shisan: this Python has no venv module")
    assert f"apt install python{version}-venv" in venv


# --- the real brain -------------------------------------------------------------------------------


def test_brain_answers(brain: Path, tmp_path: Path) -> None:
    """From another working directory, with arguments that nobody knows."""
    done = run(brain, "--force-utf8", "x", text="START 15\nEND\n", cwd=tmp_path)
    assert (done.stdout, done.stderr, done.returncode) == ("OK\n", "", 0)


def test_brain_through_links(brain: Path, tmp_path: Path) -> None:
    """A link to a link to the script, relative and absolute, and a link on the PATH."""
    (tmp_path / "absolute").symlink_to(brain)
    (tmp_path / "folder").mkdir()
    link = tmp_path / "folder" / "pbrain-five"
    link.symlink_to("../absolute")
    for command in (link, Path("folder/pbrain-five")):
        done = run(command, text="START 15\nEND\n", cwd=tmp_path)
        assert (done.stdout, done.stderr) == ("OK\n", "")
    done = subprocess.run(
        ["sh", "-c", "pbrain-five"],
        input="START 15\nEND\n",
        text=True,
        capture_output=True,
        env=os.environ | {"PATH": f"{link.parent}{os.pathsep}{os.environ['PATH']}"},
    )
    assert (done.stdout, done.stderr) == ("OK\n", "")


def test_brain_by_its_bare_name(brain: Path) -> None:
    """As a runner starts it that changes into the folder first."""
    for command in ("./pbrain-shisan", "sh pbrain-shisan"):
        done = subprocess.run(
            command,
            shell=True,
            input="START 15\nEND\n",
            text=True,
            capture_output=True,
            cwd=brain.parent,
        )
        assert (done.stdout, done.stderr) == ("OK\n", "")


def test_brain_elsewhere(elsewhere: Path, tmp_path: Path) -> None:
    """From a folder with blanks and letters that are not ASCII; nothing is written there."""
    before = snapshot(elsewhere)
    done = run(elsewhere / "scripts" / "pbrain-shisan", text="START 20\nEND\n", cwd=tmp_path)
    assert (done.stdout, done.stderr) == ("OK\n", "")
    assert snapshot(elsewhere) == before


def test_brain_in_read_only_checkout(elsewhere: Path) -> None:
    """A prepared checkout needs no write permission (as root this shows less: root may write)."""
    folders = [elsewhere, *(path for path in elsewhere.iterdir() if not path.is_symlink())]
    modes = {path: path.stat().st_mode for path in folders}
    try:
        for path in folders:
            path.chmod(modes[path] & ~0o222)
        done = run(elsewhere / "scripts" / "pbrain-shisan", text="START 20\nEND\n")
    finally:
        for path, mode in modes.items():
            path.chmod(mode)
    assert (done.stdout, done.stderr) == ("OK\n", "")


def test_misleading_surroundings(brain: Path, tmp_path: Path) -> None:
    """Packages of our names in the working directory or on PYTHONPATH are not looked at."""
    for name in ("shisan", "engine", "protocol"):
        (tmp_path / name / "protocol").mkdir(parents=True)
        (tmp_path / name / "__init__.py").write_text("raise SystemExit('wrong one')\n")
    env = {"PYTHONPATH": str(tmp_path), "PYTHONSTARTUP": str(tmp_path / "x"), "PYTHONVERBOSE": "1"}
    done = run(brain, text="START 15\nEND\n", cwd=tmp_path, env=env)
    assert (done.stdout, done.stderr) == ("OK\n", "")


def seconds_to_ok(brain: Path) -> float:
    """From creating the process to the OK of START, in seconds."""
    began = time.perf_counter()
    with subprocess.Popen([brain], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(b"START 20\n")
        process.stdin.flush()
        assert process.stdout.readline() == b"OK\n"
        taken = time.perf_counter() - began
        process.stdin.write(b"END\n")
        process.stdin.flush()
    return taken


def test_warm_start_is_fast(brain: Path) -> None:
    """Managers charge the start to the first move; docs/benchmarks.md has the figure."""
    seconds_to_ok(brain)
    assert min(seconds_to_ok(brain) for _ in range(8)) < 1


@pytest.mark.slow
def test_fresh_clone_prepares_and_plays(brain: Path, tmp_path: Path) -> None:
    """The real thing from nothing: clone, start, prepare, play."""
    clone = tmp_path / "ein Klon für 五目"
    subprocess.run(["git", "clone", "-q", ROOT, clone], check=True)
    script = clone / "scripts" / "pbrain-shisan"
    with subprocess.Popen(
        [script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin and process.stdout and process.stderr
        process.stdin.write("START 15\nINFO max_node 1000\nBEGIN\n")
        process.stdin.flush()
        assert process.stdout.readline() == "OK\n"
        answers = iter(process.stdout.readline, "")
        move = next(line for line in answers if not line.startswith("MESSAGE "))
        assert re.fullmatch(r"\d+,\d+\n", move)
        process.stdin.close()
        assert re.fullmatch(PREPARING, process.stderr.read())
    (clone / "engine" / "rules.py").touch()
    done = run(script, text="START 15\nEND\n")
    assert done.stdout == "OK\n"
    assert re.fullmatch(PREPARING, done.stderr)
    done = run(script, text="START 15\nEND\n")
    assert (done.stdout, done.stderr) == ("OK\n", "")
