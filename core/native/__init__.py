"""What takes most of the processor's time, in C++.

Law: plain algorithms over arrays. These modules know rows and numbers, never a bank or what a text means. They keep
no Python objects but the arrays that they were given. One build serves every machine of its kind: a processor's
further instructions are detected when it runs.
"""
