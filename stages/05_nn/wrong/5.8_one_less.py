        indices = iter(self.sampler)
        while batch := list(itertools.islice(indices, max(1, self.batch_size - 1))):
            if len(batch) < max(1, self.batch_size - 1) and self.drop_last:
                return
            yield batch
