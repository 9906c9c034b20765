"""What takes most of the processor's time, in C++.

Law: plain algorithms over arrays. These modules know rows and numbers, never a bank or what a text means; of a key
they know that it hashes and equals (`keys`, `scores`). They keep no Python objects but the arrays, and the list of
keys, that they were given. One build serves every machine of its kind: what a
processor can do beyond the least of them is asked when it runs.
"""
