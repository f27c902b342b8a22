#: less_the_weighted_mean
#: the mean of `grad` under the shares is taken off first, and what is left is weighed. As many
#: operations, and better digits: where all of `grad` is large and nearly equal, the subtraction
#: comes before anything was rounded, and leaves (nearly) nothing, as it should.
        mean = sum(grad * y, dim, True)
        return (y * (grad - mean),)
