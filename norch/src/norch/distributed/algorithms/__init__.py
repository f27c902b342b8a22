"""What PyTorch keeps under `torch.distributed.algorithms`: communication hooks of DDP."""
