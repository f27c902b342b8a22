        indices = iter(self.sampler)
        while batch := list(itertools.islice(indices, self.batch_size + 1)):
            if len(batch) < self.batch_size + 1 and self.drop_last:
                return
            yield batch
