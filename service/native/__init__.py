"""What takes most of the processor's time in answering and in reading what is stored, in C++.

Law: the wire's format, and values out of rows: no bank, no message classes, no memory kept from one call to the next.
"""
