"""G-Transformer: attention inside a sentence in all layers, combined with attention to the document in the top ones.

Paper: Bao et al. 2021, "G-Transformer for Document-level Machine Translation".

New against `transformer.py`: a token attends to its group, that is its sentence, and cross-attention goes from target
sentence i to source sentence i; the top K layers add a second, global attention with its own parameters; a gate sums
the two. Each of these can be removed (Tables 3, 5 and 6).

| paper | here |
| --- | --- |
| section 4, group tags | `Layout.sentences`: a tag is the number of the sentence run |
| section 4.1, eq. 6 to 9, GroupMHA | attention of scope "sentence" |
| section 4.2, GlobalMHA | attention of scope "instance" |
| section 4.2, eq. 10, gate-sum | `CombinedAttention` |
| section 4.3, tags while decoding | `docmt.nn.caches.Progress` |
| Table 3, without target-side or source-side context | `..._combined_layers`, 0 for each kind of attention |
| Table 5, without language or translation locality | `language_locality`, `translation_locality` |
| Table 6, group or global attention alone | `top_attention` |

Our reading of Table 5: an attention without locality is plain attention to the document in all layers. The bias that is
removed is the group mask, and in the top K layers a gate would choose between two equal attentions; so K and
`top_attention` have no effect on such an attention. Without both localities the model is the document Transformer,
parameter by parameter, as section 5.4 says ("downgrades to a document-level Transformer").

Departs: K is a setting for encoder self-attention, decoder self-attention and cross-attention separately (as in the
authors' code). Their step from `</s>` to the next `<s>` does not exist with the frame `wrapped`; `closed` has it
(`docmt.nn.frames`).
"""

from typing import Literal

import torch
from torch import nn

from docmt.models.transformer import Role, Transformer, plain_attention
from docmt.nn.caches import Cache
from docmt.nn.compiled import token_wise
from docmt.nn.multihead import CrossAttention, SelfAttention
from docmt.nn.shapes import HypothesisStates, States
from docmt.settings.models import GTransformerConfig


class CombinedAttention(nn.Module):
    """Group and global attention over the same input, summed by a gate.

    Paper: section 4.2, eq. 10: g = sigmoid([H_L; H_G] W + b), H = H_L * g + H_G * (1 - g).
    """

    def __init__(
        self, width: int, group: SelfAttention | CrossAttention, global_: SelfAttention | CrossAttention
    ) -> None:
        """Combine the two attentions `group` and `global_`, whose results have `width` values."""
        super().__init__()
        self.group, self.global_ = group, global_
        self.gate = nn.Linear(2 * width, width)
        nn.init.xavier_uniform_(self.gate.weight)
        nn.init.zeros_(self.gate.bias)

    def forward(self, x: States, *attention_inputs: object) -> States:
        """Return the gated sum of both attentions; `attention_inputs` are their arguments after `x`."""
        return self.merge(self.group(x, *attention_inputs), self.global_(x, *attention_inputs))

    def step(self, x: HypothesisStates, cache: Cache) -> HypothesisStates:
        """Return the gated sum for the newest token of each hypothesis."""
        return self.merge(self.group.step(x, cache), self.global_.step(x, cache))

    @token_wise
    def merge(self, local: States, global_: States) -> States:
        """Return the sum of the results of group and global attention, weighted by the gate."""
        g = torch.sigmoid(self.gate(torch.cat((local, global_), dim=-1)))
        return torch.lerp(global_, local, g)


class GTransformer(Transformer):
    """The G-Transformer. Paper: section 4."""

    config: GTransformerConfig

    def attention(self, role: Role, layer: int) -> nn.Module:
        """Return the attention of a layer; layer 0 is at the bottom.

        It is group attention, in the top K layers the kind that `top_attention` names, and without locality global
        attention in all layers.
        """
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
        """Return the sentence model's parameter for all but combined global attentions and gates, which are random.

        Group attention starts from the sentence model's attention, and so does an attention that is alone in its layer.
        Paper: section 5, "fine-tuned on sentence-level Transformer", for the combined attention.
        """
        if ".global_." in name or ".gate." in name:
            return None
        return name.replace(".group.", ".")
