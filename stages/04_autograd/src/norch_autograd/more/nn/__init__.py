"""Further operations of layers: images of other sizes, recurrent layers, weights of int8."""
