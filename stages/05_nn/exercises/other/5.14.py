#: triangle_of_infinities
#: a table of minus infinity keeps its upper triangle, and `triu` writes zeros elsewhere. One line
#: and one table less; it stands on `triu` choosing and not multiplying, where 0 times infinity
#: would be nan.
        return full((sz, sz), -math.inf, device=device, dtype=dtype).triu(1)
