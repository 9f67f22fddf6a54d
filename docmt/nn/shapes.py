"""The axes of tensors, and the names of tensor types in signatures.

| letter | axis |
| --- | --- |
| T | tokens of a packed stream (queries) |
| S | tokens of another stream: the source, the keys |
| D | width of hidden states |
| H | attention heads |
| K | width of a head |
| V | vocabulary |
| R | runs of a partition |
| N | hypotheses in decoding, instance by instance |
| W | sentences stored for each hypothesis: previous ones, and the one being written |
| I | instances in decoding |
| C | tokens that all hypotheses of an instance have in common |
| B | rows of a padded batch |
| Q | queries of a row of a padded batch |
| L | keys of a row of a padded batch, tokens of a cache |
| M | lexical chains |
| P | members of all chains, chain after chain |
| Z | width of a latent variable |

Only the tests check these types, by the import hook of jaxtyping; without jaxtyping all types are plain tensors.
"""

from torch import Tensor

try:
    from jaxtyping import Bool, Float, Int
except ModuleNotFoundError:

    class _Unchecked:
        def __class_getitem__(cls, _: object) -> type[Tensor]:
            return Tensor

    Bool = Float = Int = _Unchecked

Tokens = Int[Tensor, "T"]
Flags = Bool[Tensor, "T"]
Numbers = Int[Tensor, "_"]  # A flat list of whole numbers: positions, numbers of runs, offsets
AnyNumbers = Int[Tensor, "..."]
RowKeys = Int[Tensor, "_"]  # The noise key of each row (`docmt.nn.noise`)
RowDraws = Float[Tensor, "_ _"]  # Random numbers, with a row for each key
States = Float[Tensor, "T D"]
AnyStates = Float[Tensor, "*axes"]
AnyRows = Float[Tensor, "... _"]  # Rows of any width, under any number of axes
SourceStates = Float[Tensor, "S D"]
TwoStreams = Float[Tensor, "_ D"]  # The rows of a long stream, then the same number of rows of a short stream
Logits = Float[Tensor, "T V"]
EmbeddingTable = Float[Tensor, "V D"]
EmbeddingRows = Float[Tensor, "_ D"]  # Any number of rows of a table of embeddings
Queries = Float[Tensor, "T H K"]
Keys = Float[Tensor, "S H K"]
HeadRows = Float[Tensor, "_ H K"]  # Any number of rows, with the width cut into heads
PaddedQueries = Float[Tensor, "B Q H K"]
PaddedKeys = Float[Tensor, "B L H K"]
Pairs = Float[Tensor, "2 B H K"]  # A key and a value for each row
PaddedPairs = Float[Tensor, "2 B H L K"]  # The keys and values of a cache
MemberStates = Float[Tensor, "P D"]
ContextRows = Float[Tensor, "_ D"]  # A row for each look of a token at a previous sentence
ChainStates = Float[Tensor, "M _"]
Latents = Float[Tensor, "M Z"]
Weights = Float[Tensor, "*queries H L"]  # The attention weights of each query and head to each key
RunWeights = Float[Tensor, "_ _"]  # The attention weights of each query of a run to each key of the run
KeyMask = Bool[Tensor, "B L"]  # True where a key is visible
HypothesisTokens = Int[Tensor, "N"]
HypothesisFlags = Bool[Tensor, "N"]
HypothesisStates = Float[Tensor, "N D"]
HypothesisHeads = Float[Tensor, "N H K"]
HypothesisRows = Float[Tensor, "N W D"]  # A state for each sentence that is stored for a hypothesis
SeenRows = Bool[Tensor, "N W"]  # True for the rows that a hypothesis may attend to
