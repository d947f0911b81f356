"""Parts of queues, events and handles: threads, deliveries, properties, drawings."""
