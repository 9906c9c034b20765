"""The memory itself: banks, their structure and their agents.

Law: nothing below this package knows gRPC, protobuf, SQL, HTTP, the environment, a clock
or randomness of its own. What it needs from outside it asks for through `core.ports`.
"""
