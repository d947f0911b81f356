"""What queues, events and handles are made of: threads, deliveries, properties, drawings."""
