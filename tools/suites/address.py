"""Where the memory listens that a framework's own tests run on."""

import os

ADDRESS = os.environ.get("MEMORYBANK_SUITE", "127.0.0.1:7700")
