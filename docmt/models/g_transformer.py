"""G-Transformer: attention inside a sentence in all layers, combined with attention to the document in the top ones.

Paper: Bao et al. 2021, "G-Transformer for Document-level Machine Translation".
New against `transformer.py`: a token attends to its own group, that is sentence, and cross-attention goes from target
sentence i to source sentence i; the top K layers add a second, global attention with its own parameters; a gate sums
the two.

| paper | here |
| --- | --- |
| section 4, group tags | `Layout.sentences`: a tag is the number of the sentence run |
| section 4.1, eq. 6 to 9, GroupMHA | attention of scope "sentence" |
| section 4.2, GlobalMHA | attention of scope "instance" |
| section 4.2, eq. 10, gate-sum | `CombinedAttention` |
| section 4.3, tags while decoding | `docmt.nn.caches.Progress` |

Departs: K is given for encoder self-attention, decoder self-attention and cross-attention apart (as in the authors'
code). Their step from `</s>` to the next `<s>` is no step here (see `docmt.nn.streams`).
"""

import torch
from torch import nn

from docmt.core.config import GTransformerConfig
from docmt.models.transformer import Role, Transformer, plain_attention
from docmt.nn.caches import Cache
from docmt.nn.multihead import CrossAttention, SelfAttention
from docmt.nn.shapes import HypothesisStates, States


class CombinedAttention(nn.Module):
    """Group and global attention over the same input, summed by a gate.

    Paper: section 4.2, eq. 10: g = sigmoid([H_L; H_G] W + b), H = H_L * g + H_G * (1 - g).
    """

    def __init__(
        self, width: int, group: SelfAttention | CrossAttention, global_: SelfAttention | CrossAttention
    ) -> None:
        super().__init__()
        self.group, self.global_ = group, global_
        self.gate = nn.Linear(2 * width, width)
        nn.init.xavier_uniform_(self.gate.weight)
        nn.init.zeros_(self.gate.bias)

    def forward(self, x: States, *seen: object) -> States:
        """`seen` is what the two attentions take after `x`."""
        return self.merge(self.group(x, *seen), self.global_(x, *seen))

    def step(self, x: HypothesisStates, cache: Cache) -> HypothesisStates:
        return self.merge(self.group.step(x, cache), self.global_.step(x, cache))

    def merge(self, local: States, global_: States) -> States:
        g = torch.sigmoid(self.gate(torch.cat((local, global_), dim=-1)))
        return torch.lerp(global_, local, g)


class GTransformer(Transformer):
    """See above. Paper: section 4."""

    config: GTransformerConfig

    def attention(self, role: Role, layer: int) -> nn.Module:
        """Group attention; in the top K layers together with global attention."""
        layers = self.config.encoder_layers if role == "encoder_self" else self.config.decoder_layers
        group = plain_attention(self.config, role, scope="sentence")
        if layer < layers - self.config.combined()[f"{role}_combined_layers"]:
            return group
        return CombinedAttention(self.config.width, group, plain_attention(self.config, role, scope="instance"))

    def taken_from(self, name: str) -> str | None:
        """Group attention starts from the sentence model's attention; global attention and gate start anew.

        Paper: section 5, "fine-tuned on sentence-level Transformer".
        """
        if ".global_." in name or ".gate." in name:
            return None
        return name.replace(".group.", ".")
