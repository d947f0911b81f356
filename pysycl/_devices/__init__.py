"""Properties of devices: aspects, queries, features."""
