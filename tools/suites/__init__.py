"""Other people's test suites on our adapters, on checkouts that the caller brings.

Law: nothing of a checkout is kept or changed. A suite runs in an environment of its own, in which the framework is
installed as it is released, or as the checkout has it; a plugin puts our class in the place of theirs.
"""
