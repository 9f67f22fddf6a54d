"""G-Transformer: attention inside the sentence in all layers, and to the whole document in the top layers too.

Paper: Bao et al. 2021, "G-Transformer for Document-level Machine Translation".

The model differs from the Transformer of `transformer.py` in its attention. In self-attention a token attends only to
its group, that is, to the tokens of its sentence; in cross-attention a token of target sentence i attends to source
sentence i. The top K layers have a second, global attention with its own parameters. A gate computes the weighted sum
of group and global attention. The ablations of the paper (Tables 3, 5 and 6) are settings.

| paper | here |
| --- | --- |
| section 4, group tags | `Layout.sentences`: the tag of a token is the number of its sentence in the batch |
| section 4.1, eq. 6 to 9, GroupMHA | attention of scope "sentence" |
| section 4.2, GlobalMHA | attention of scope "instance" |
| section 4.2, eq. 10, gate-sum | `CombinedAttention` |
| section 4.3, tags while decoding | `docmt.nn.growing_caches.Progress` |
| Table 3, without target-side or source-side context | the settings `..._combined_layers`, each of which may be 0 |
| Table 5, without language or translation locality | `language_locality`, `translation_locality` |
| Table 6, group or global attention alone | `top_attention` |

Our reading of Table 5: an attention without locality is plain attention to the whole instance in all layers. Removing
the locality removes the group mask, and then the gate of the top K layers would choose between two attentions of the
same kind. Therefore the settings K and `top_attention` have no effect on an attention without locality. Without
language locality and translation locality the model has exactly the parameters of the document Transformer, as section
5.4 says ("downgrades to a document-level Transformer").

Departs: K can be set separately for encoder self-attention, decoder self-attention and cross-attention, as in the
authors' code. The authors' decoder has a step from `</s>` to the next `<s>`; the frame `closed` has this step too, and
the frame `wrapped` does not (`docmt.nn.frames`).
"""

from typing import Literal

import torch
from torch import Tensor, nn

from docmt.models.transformer import Role, Transformer, plain_attention
from docmt.nn.attention import Place
from docmt.nn.layers import CrossAttention, Linear, SelfAttention
from docmt.settings.models import GTransformerConfig


class CombinedAttention(nn.Module):
    """Group attention and global attention over the same input, with a gate. Paper: section 4.2, eq. 10."""

    token_wise = ("merge",)

    def __init__(
        self, width: int, group: SelfAttention | CrossAttention, global_: SelfAttention | CrossAttention
    ) -> None:
        """Combine the two attentions `group` and `global_`, which return vectors of `width` values."""
        super().__init__()
        self.group, self.global_ = group, global_
        self.gate = Linear(2 * width, width)
        nn.init.xavier_uniform_(self.gate.weight)
        nn.init.zeros_(self.gate.bias)

    def forward(self, x: Tensor, place: Place) -> Tensor:
        """Return the gated sum of group and global attention."""
        return self.merge(self.group(x, place), self.global_(x, place))

    def merge(self, local: Tensor, global_: Tensor) -> Tensor:
        """Return the sum of the results of group and global attention, weighted by the gate."""
        # Eq. 10: g = sigmoid([H_L; H_G] W + b)
        g = torch.sigmoid(self.gate(torch.cat((local, global_), dim=-1)))
        # H = H_L * g + H_G * (1 - g)
        return torch.lerp(global_, local, g)


class GTransformer(Transformer):
    """The G-Transformer. Paper: section 4."""

    config: GTransformerConfig

    def attention(self, role: Role, layer: int) -> nn.Module:
        """Return the attention of a layer; layer 0 is at the bottom."""
        # It is group attention in the lower layers, and the attention that `top_attention` names in the top K layers.
        # An attention without locality is global in all layers.
        kind = self.kind(role, layer)
        if kind != "combined":
            return plain_attention(self.config, role, "sentence" if kind == "group" else "instance")
        group, global_ = (plain_attention(self.config, role, scope) for scope in ("sentence", "instance"))
        return CombinedAttention(self.config.width, group, global_)

    def kind(self, role: Role, layer: int) -> Literal["combined", "group", "global"]:
        """Return the kind of attention in a layer. Paper: section 4.2, and Tables 5 and 6."""
        config = self.config
        is_local = config.translation_locality if role == "cross" else config.language_locality
        if not is_local:
            return "global"
        layers = config.encoder_layers if role == "encoder_self" else config.decoder_layers
        is_top = layer >= layers - config.combined()[f"{role}_combined_layers"]
        return config.top_attention if is_top else "group"

    def transfer_source(self, name: str) -> str | None:
        """Return the parameter of the sentence model from which the parameter `name` starts; None: from random values.

        Paper: section 5, "fine-tuned on sentence-level Transformer", for the combined attention.
        """
        # The gates, and the global attentions that are combined with group attention, start from random values.
        if ".global_." in name or ".gate." in name:
            return None
        # Group attention starts from the attention of the sentence model, and so does an attention that is not
        # combined.
        return name.replace(".group.", ".")
