"""Texts of kernels before the core gets them, and bundles of programs."""
