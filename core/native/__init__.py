"""What takes most of the processor's time, in C++.

Law: plain algorithms over arrays. These modules know rows and numbers, never a key, a bank or what a text means,
and keep no Python objects but the arrays they were given. One build serves every machine of its kind: what a
processor can do beyond the least of them is asked when it runs.
"""
