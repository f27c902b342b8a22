"""The ladder of the capstone: what is yours, then eight rungs, each with its page of the book.

`make project 7` stops at the first that does not hold. What each looks at is a file of
`course/norch_course/capstone`.
"""

from norch_course.capstone import (
    broadcasting,
    confine,
    gradients,
    layers,
    memory,
    optimizers,
    order,
    sharing,
    training,
)
from norch_course.projects import claim

yours = claim("yours", "capstone")(confine.yours)
rung_1 = claim("1 gradients", "capstone/1_gradients")(gradients.check)
rung_2 = claim("2 shared nodes", "capstone/2_shared_nodes")(sharing.check)
rung_3 = claim("3 order", "capstone/3_order")(order.check)
rung_4 = claim("4 broadcasting", "capstone/4_broadcasting")(broadcasting.check)
rung_5 = claim("5 memory", "capstone/5_memory")(memory.check)
rung_6 = claim("6 layer and loss", "capstone/6_layer_and_loss")(layers.check)
rung_7 = claim("7 optimizer", "capstone/7_optimizer")(optimizers.check)
rung_8 = claim("8 digits", "capstone/8_digits")(training.check)
