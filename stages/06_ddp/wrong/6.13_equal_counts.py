    def arrival(counts):
        end, start = 0.0, 0
        for count in counts:
            bucket = gradients[start : start + count]
            end = max(end, bucket[-1].ready) + seconds(sum(one.nbytes for one in bucket))
            start += count
        return end

    many, choices = len(gradients), [[]] if not gradients else []
    for count in range(1, many + 1):
        choices.append([min(count, many - start) for start in range(0, many, count)])
    return min(choices, key=arrival)
