"""Running Lean from Python: the toolchain, the library's modules, its pinned statements and the audit of minicore."""
