"""Choices of data parallel training: how gradients travel, and what ranks without inputs do."""
