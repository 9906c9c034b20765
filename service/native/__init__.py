"""What takes most of the processor's time in answering, in C++.

Law: the wire's format and nothing else: no bank, no message classes, no memory kept from one call to the next.
"""
