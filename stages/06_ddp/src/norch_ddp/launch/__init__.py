"""How processes start, find each other and end: launcher, `spawn`, rendezvous, stores, abort.

Nothing here moves a tensor or knows of a group; user code runs only in what is started.
"""
