"""The commands of queues and command groups: a class for each concept, between the C type and its face."""
