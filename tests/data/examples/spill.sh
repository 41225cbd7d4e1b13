# What the examples of spill need besides: a session.
S=$(mewctl session new)
