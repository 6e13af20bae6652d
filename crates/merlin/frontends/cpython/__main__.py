"""Runs a Python program and writes its neutral stream.

    python3 crates/merlin/frontends/cpython [--deaths FILE] STREAM PROGRAM.py [ARGUMENTS...]

The program and the modules beside it are rewritten; other modules run as they are. `--deaths` writes the true deaths, by
reference counts, one JSON object per line: `object`, `time`, and `cycle` when only the cycle collector found it.
"""

import argparse
import importlib.machinery
import os
import sys
import types

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import rewrite
import tracer


class Loader(importlib.machinery.SourceFileLoader):
    """Modules beside the program."""

    def get_code(self, name):
        return rewrite.rewrite(self.get_data(self.path).decode(), self.path, tracer.tracer)

    def exec_module(self, module):
        module.__merlin__ = tracer.tracer
        super().exec_module(module)


def main():
    parser = argparse.ArgumentParser(prog="cpython", description="Runs a Python program and writes its neutral stream")
    parser.add_argument("--deaths", metavar="FILE", help="write the true deaths, by reference counts")
    parser.add_argument("stream", metavar="STREAM")
    parser.add_argument("program", metavar="PROGRAM.py")
    parser.add_argument("arguments", nargs=argparse.REMAINDER)
    given = parser.parse_args()
    sys.argv = [given.program, *given.arguments]
    folder = os.path.dirname(os.path.abspath(given.program))
    sys.path[0] = folder
    sys.path_hooks.insert(0, hook(folder))
    sys.path_importer_cache.clear()
    tracer.tracer = tracer.Tracer(given.stream, given.deaths, " ".join(sys.argv))
    with open(given.program) as file:
        code = rewrite.rewrite(file.read(), given.program, tracer.tracer)
    module = types.ModuleType("__main__")
    module.__file__ = given.program
    module.__merlin__ = tracer.tracer
    sys.modules["__main__"] = module
    try:
        exec(code, module.__dict__)
    finally:
        tracer.tracer.finish(module.__dict__)
        if tracer.tracer.unseen:
            print(f"cpython: {tracer.tracer.unseen} variables hold objects unseen: nested functions share them", file=sys.stderr)


def hook(folder):
    finder = importlib.machinery.FileFinder.path_hook((Loader, [".py"]))

    def path_hook(path):
        if os.path.abspath(path or ".") != folder:
            raise ImportError
        return finder(path)

    return path_hook


main()
