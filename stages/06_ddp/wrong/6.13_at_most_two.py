    whole, many = sum(one.nbytes for one in gradients), len(gradients)
    choices = [(gradients[-1].ready + seconds(whole), [many])] if gradients else [(0.0, [])]
    for count in range(1, many):
        first = sum(one.nbytes for one in gradients[:count])
        end = gradients[count - 1].ready + seconds(first)
        end = max(end, gradients[-1].ready) + seconds(whole - first)
        choices.append((end, [count, many - count]))
    return min(choices)[1]
