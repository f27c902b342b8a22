    def arrival(counts):
        end, start = 0.0, 0
        for count in counts:
            bucket = gradients[start : start + count]
            end = max(end, bucket[-1].ready) + seconds(sum(one.nbytes for one in bucket))
            start += count
        return end

    def ways(many):
        if not many:
            yield []
        for count in range(1, many + 1):
            for rest in ways(many - count):
                yield [count, *rest]

    return min(ways(len(gradients)), key=arrival)
