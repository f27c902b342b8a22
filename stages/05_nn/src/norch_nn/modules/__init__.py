"""The layers, under the file names of PyTorch's torch.nn.modules; each calls `functional`."""
