        indices = iter(self.sampler)
        while batch := list(itertools.islice(indices, self.batch_size)):
            yield batch
