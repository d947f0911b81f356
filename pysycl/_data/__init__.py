"""Memory as users hold it: what buffers, accessors and USM arrays share with NumPy."""
