"""The layers, under the file names of torch.nn.modules."""
