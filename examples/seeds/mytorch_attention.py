"""MyTorch's attention: queries, keys and values, a mask, and a projection of what was read."""

import norch
import norch.nn as nn


class Attention(nn.Module):
    """Attention with several heads."""

    def __init__(self, embed_dim, num_heads, attn_dropout_p=0.1):
        """Make the projections."""
        super().__init__()
        ### Sanity Checks ###
        assert embed_dim % num_heads == 0, "Double check embedding dim divisible by number of heads"

        ### Attention Head Dim ###
        self.embed_dim = embed_dim
        self.num_heads = num_heads
        self.head_dim = embed_dim // num_heads

        ### Attention Projections ###
        self.q_proj = nn.Linear(embed_dim, embed_dim)
        self.k_proj = nn.Linear(embed_dim, embed_dim)
        self.v_proj = nn.Linear(embed_dim, embed_dim)
        self.softmax = nn.Softmax(dim=-1)
        self.attn_drop = nn.Dropout(p=attn_dropout_p)

        ### Post Attention Projection ###
        self.out_proj = nn.Linear(embed_dim, embed_dim)
        self.proj_drop = nn.Dropout(p=attn_dropout_p)

    def forward(self, x, attention_mask=None):
        """Let each place of x (N, T, embed_dim) read from the others."""
        ### Store Shape ###
        batch, seq_len, embed_dim = x.shape

        ### Flatten Batch and Seq Len Dimension ###
        x = x.reshape(batch*seq_len, embed_dim)

        ### Compute Attention with Flash Attention ###
        q = self.q_proj(x).reshape(batch, seq_len, self.num_heads, self.head_dim).transpose(1, 2)
        k = self.k_proj(x).reshape(batch, seq_len, self.num_heads, self.head_dim).transpose(1, 2)
        v = self.v_proj(x).reshape(batch, seq_len, self.num_heads, self.head_dim).transpose(1, 2)

        ### Compute Attention (Attention Mask has shape Batch x Sequence len x Sequence len) ###
        scores = (q @ k.transpose(-2, -1)) / self.head_dim**0.5

        ### Add attention mask if it exists ###
        if attention_mask is not None:
            scores += attention_mask

        attention = self.softmax(scores)
        attention = self.attn_drop(attention)

        output = attention @ v
        output = output.transpose(1, 2).reshape(batch*seq_len, embed_dim)

        ### Compute Output Projection (on flattened dimension) ###
        output = self.out_proj(output)
        output = self.proj_drop(output)

        output = output.reshape(batch, seq_len, embed_dim)

        return output


norch.manual_seed(0)
model = Attention(embed_dim=8, num_heads=2).eval()
x = norch.randn(3, 5, 8)
causal = norch.full((5, 5), float("-inf")).triu(1)
output = model(x, causal)
output.mean().backward()
print(tuple(output.shape))
cut = model(x[:, :3], causal[:3, :3])
print("a place reads only from those before it:", norch.allclose(output[:, :3], cut, atol=1e-6))
