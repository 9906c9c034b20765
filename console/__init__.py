"""The console: pages in a browser that look into a memory. `memorybank console` serves them.

Law: it is a client. It knows the contract and the Python client, nothing of the server: what it shows, a call answered,
and what it changes, a call changed. Looking counts nothing. What a memory holds is shown as text, and is never markup,
a link, a script or an address.
"""
