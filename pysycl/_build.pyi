"""What this pysycl was built as: the constants of the generated _build.py."""

VERSION: str
COMPILER: str
COMPILER_ARGUMENTS: str
BUILD_TYPE: str
PYTHON: str
MESON: str
