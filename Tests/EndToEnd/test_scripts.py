"""Programs that `make test` does not run, since they take minutes: that they can begin, and call what
they call as it wants to be called."""

import ast
import importlib.util
import inspect
import subprocess
import sys
import types
from importlib.machinery import SourceFileLoader

import pytest

from harness.server import REPOSITORY

BENCHMARKS = REPOSITORY / "Tests/Benchmarks"
SCRIPTS = [
    *sorted(path for path in BENCHMARKS.iterdir() if path.is_file()),
    *sorted((BENCHMARKS / "bench").glob("*.py")),
    *(REPOSITORY / "Tests/EndToEnd" / name for name in (
        "crash_series.py", "entrances.py", "fuzz_api.py", "validate_stream.py")),
    *sorted((REPOSITORY / "Tests/EndToEnd/attack").glob("*.py")),
]
LEAST = 5  # calls that a script is known to make


def loaded(path):
    """The module of a script, whose `main` is not called."""
    # Its own folder comes first, as when it is run.
    sys.path.insert(0, str(BENCHMARKS))
    package = path.parent.name if path.parent.name in ("bench", "attack") else None
    name = f"{package}.{path.stem}" if package else f"script_{path.stem}"
    if package and path.stem == "__init__":
        name = package
    if name in sys.modules:
        return sys.modules[name]
    if package:
        return importlib.import_module(name)
    loader = SourceFileLoader(name, str(path))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


def names_of(module, tree):
    """The module's names, and those that its functions import."""
    names = dict(vars(module))
    for node in ast.walk(tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            text = compile(ast.Module([node], type_ignores=[]), module.__name__, "exec")
            exec(text, names)
    return names


def found(names, node):
    """What a name, or an attribute of a module, stands for; None for others."""
    if isinstance(node, ast.Name):
        return names.get(node.id)
    if isinstance(node, ast.Attribute):
        owner = found(names, node.value)
        if isinstance(owner, types.ModuleType):
            return getattr(owner, node.attr)
    return None


def names_inside(tree):
    """What functions call by a name of their own, which may hide one of the module's."""
    inside = set()
    for function in ast.walk(tree):
        if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            inside |= {one.arg for one in ast.walk(function.args) if isinstance(one, ast.arg)}
            inside |= {one.id for one in ast.walk(function)
                       if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
    return inside


def calls(module, source):
    """The calls of Python functions and classes that can be told: line, signature, arguments."""
    tree = ast.parse(source)
    hidden = names_inside(tree)
    names = names_of(module, tree)
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        root = node.func
        while isinstance(root, ast.Attribute):
            root = root.value
        if not isinstance(root, ast.Name) or root.id in hidden:
            continue
        if any(isinstance(one, ast.Starred) for one in node.args) or any(
                one.arg is None for one in node.keywords):
            continue
        called = found(names, node.func)
        if inspect.isfunction(called) or inspect.isclass(called) and inspect.isfunction(
                called.__init__):
            yield node, inspect.signature(called)


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_it_begins_and_its_calls_fit(path):
    module = loaded(path)
    source = path.read_text()
    wrong = []
    for node, signature in calls(module, source):
        try:
            signature.bind(*node.args, **{one.arg: None for one in node.keywords})
        except TypeError as error:
            wrong.append(f"{path.name}:{node.lineno}: {ast.unparse(node.func)}: {error}")
    assert wrong == []
    if not path.suffix:
        assert callable(module.main)
        assert len(list(calls(module, source))) >= LEAST


# A script's own folder is where Python looks first, and nothing that the tests add.
BEGIN = """import runpy, sys
from pathlib import Path
sys.path[0] = str(Path(sys.argv[1]).parent)
runpy.run_path(sys.argv[1], run_name="begun")"""


@pytest.mark.parametrize("path", [
    one for one in SCRIPTS if one.parent.name not in ("bench", "attack")],
    ids=lambda path: f"{path.parent.name}/{path.name}")
def test_it_finds_what_it_imports(path, tmp_path):
    done = subprocess.run([sys.executable, "-c", BEGIN, path], cwd=tmp_path, capture_output=True,
                          text=True, timeout=60)
    assert done.returncode == 0, done.stderr


def test_a_call_that_does_not_fit_is_found():
    module = types.ModuleType("example")
    exec("def start(place, *, rate): pass", module.__dict__)  # as changed since
    module.self = module
    for source, fits in [("start(1, rate=2)", True), ("start()", False), ("start(1, 2)", False),
                         ("self.start(1, rate=1, more=3)", False)]:
        [(node, signature)] = calls(module, source)
        try:
            signature.bind(*node.args, **{one.arg: None for one in node.keywords})
        except TypeError:
            assert not fits, source
        else:
            assert fits, source
