"""A script of this folder as a module, for those who build on it: load_tool("cluster").Cluster. Scripts have no ending, so
`import` does not find them.
"""

import importlib.machinery
import importlib.util
import pathlib


def load_tool(name):
    loader = importlib.machinery.SourceFileLoader(name, str(pathlib.Path(__file__).resolve().parent / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module
