"""What takes most of the processor's time, in C++: vectors near a vector.

Law: plain algorithms over arrays. These modules know rows and numbers, never a key, a bank or a text's meaning,
and keep no references to Python objects but the arrays they were given. One build serves every machine of its kind: what a
processor can do more than the least of them is asked when it runs.
"""
