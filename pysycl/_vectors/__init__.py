"""Vectors and marrays: components, swizzles, rounding, types."""
