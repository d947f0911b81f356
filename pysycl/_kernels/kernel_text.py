"""The OpenCL C texts that come with pysycl (the folder kernels/ of the installed package)."""

from importlib.resources import files


def kernel_text(name: str) -> str:
    """The text of the file `name`, for example ``"self_check.cl"``."""
    return (files("pysycl") / "kernels" / name).read_text(encoding="utf-8")
