    counts, now, start = [], 0.0, 0
    while start < len(gradients):
        now, end = max(now, gradients[start].ready), start
        while end < len(gradients) and gradients[end].ready <= now:
            end += 1
        now += seconds(sum(gradient.nbytes for gradient in gradients[start:end]))
        counts.append(end - start)
        start = end
    return counts
