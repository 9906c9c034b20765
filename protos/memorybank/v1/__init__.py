"""The contract, as Python stubs made from the protos beside them."""
