"""What a device is and has: aspects, queries, features."""
