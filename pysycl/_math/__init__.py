"""The functions of sycl.math on the host, by families."""
