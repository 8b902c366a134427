"""Match logs: reading, writing, replaying, comparing and recording them."""
