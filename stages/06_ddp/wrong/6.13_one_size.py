    choices = []
    for cap in {0.0, *(sum(g.nbytes for g in gradients[: n + 1]) for n in range(len(gradients)))}:
        counts, end, held, ready = [], 0.0, 0.0, 0.0
        for one in gradients:
            if not counts or held + one.nbytes > cap:
                end = max(end, ready) + seconds(held) if counts else 0.0
                counts, held = [*counts, 0], 0.0
            counts[-1] += 1
            held, ready = held + one.nbytes, one.ready
        choices.append((max(end, ready) + seconds(held), counts))
    return min(choices)[1]
