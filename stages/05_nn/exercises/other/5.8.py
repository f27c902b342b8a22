#: one_by_one
#: a plain loop fills a list and hands it over when it is full. Nothing of itertools has to be
#: known; each index passes through a line of Python, which is slower for large batches.
        batch = []
        for index in self.sampler:
            batch.append(index)
            if len(batch) == self.batch_size:
                yield batch
                batch = []
        if batch and not self.drop_last:
            yield batch
