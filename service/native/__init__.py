"""What takes most of the processor's time in answering, embedding and reading what is stored, in C++.

Law: the wire's format, values out of rows, a model's arithmetic: no bank, no message classes, no memory kept from one
call to the next but a model's weights.
"""
