"""The settings of searches, prompts and vectors."""

from typing import Annotated, Literal

from pydantic import Field, SecretStr, model_validator

from service.settings.section import Address, Key, Positive, Seconds, Section

Weight = Annotated[float, Field(ge=0, le=10)]


class StructureSection(Section):
    """What the places of segments count for beside the plain formula's 1; 0 switches one off. The defaults were
    chosen on a development set (tests/bench/figures/retrieval.md)."""

    near: Weight = 0.4
    """Weight of the segments before and after in a search for segments, relative to the plain score's 1
    ([how](internals/ranking.md))."""
    reply: Weight = 0.3
    """Weight of following a fitting question, without being one."""
    speaker: Weight = 0.1
    """Weight of a speaker whom the query names, saying something of themselves."""
    time: Weight = 0.3
    """Weight of having happened at a time that the query speaks of."""
    topic: Weight = 0.5
    """Weight of the best node that summarises the segment."""
    quote: Weight = 1.0
    """Weight of holding the query word for word."""
    user: Weight = 0.3
    """Weight of being the user's own words in a chat with an assistant, by the message's `role`."""
    diversity: float = Field(default=0.3, ge=0, le=1)
    """Share of its score that a repetition of a better hit loses."""
    conflicts: bool = True
    """Whether the other sides of an open conflict come with the one found."""
    newer: float = Field(default=0.4, ge=0, le=1)
    """Share of its score by which an older hit on the same may be better, and still comes behind the newer."""


class RerankerSection(Section):
    """A cross-encoder, or whatever else reads the best candidates beside the query, behind an endpoint."""

    base_url: Address = ""
    """Address of an endpoint that reranks, `/rerank` left out ([how](retrieval.md#a-reranker)); empty: none."""
    api_key: Key = SecretStr("")
    """Its key."""
    model: str = ""
    """The endpoint's name for it."""
    scale: Literal["share", "logit"] = "share"
    """What its scores are: `share`, 0 to 1, or `logit`."""
    candidates: int = Field(default=30, ge=1, le=100)
    """How many of a search's best it reads."""
    characters: int = Field(default=2_000, ge=1, le=16_000)
    """Characters that it reads of each, and of the query."""
    weight: float = Field(default=1.0, gt=0, le=10)
    """Weight of its opinion, relative to the search's own score."""
    timeout_seconds: Seconds = 0.5
    """How long a search waits for it; then it is answered without."""
    concurrency: Positive = 4
    """Requests at a time."""
    breaker_failures: int = Field(default=5, ge=0)
    """Failures in a row after which it is left alone; 0: never."""
    breaker_seconds: Seconds = 30.0
    """Seconds for which it is left alone."""

    @model_validator(mode="after")
    def _is_whole(self) -> "RerankerSection":
        if bool(self.base_url) != bool(self.model) or (self.api_key and not self.base_url):
            raise ValueError("a reranker needs both `base_url` and `model`")
        return self


class RetrievalSection(Section):
    """What a bank that does not say otherwise uses."""

    top_k: int = Field(ge=1, le=1_000)
    """How many nodes a search finds, and how many candidates a new node is judged against."""
    alpha: float = Field(ge=0, le=1)
    """Weight of words against meaning."""
    chunk_ratio: float = Field(gt=0, le=1)
    """Share of the Clusterer's window that one chunk fills."""
    token_budget: int = Field(default=16_000, ge=1, le=10_000_000)
    """Tokens of an assembled prompt."""
    history_share: float = Field(default=0.25, gt=0, le=0.5)
    """Share of these that completed tasks may take; older ones are condensed."""
    min_score: float = Field(default=0.0, ge=0, le=1)
    """Least score of a hit of `Search`, where the request does not say; 0: whatever fits by words or meaning at all."""
    validation_floor: float = Field(default=0.0, ge=0, le=1)
    """Least confidence of a conflict for which a validation is planned; a less sure one is recorded and shown only."""
    judge_assistants: bool = False
    """Whether what an assistant says in messages that are memorized, by their `role`, opens conflicts as well."""
    structure: StructureSection = StructureSection()
    reranker: RerankerSection = RerankerSection()


class JudgingSection(Section):
    """What the offline judge compares sentences by, and what reads those of users."""

    model: Literal["local", "none"] = "local"
    """`local`: the model that ships, whatever embedder a bank uses, loaded when it is first asked; `none`: the offline
    judge finds no contradictions and merges only what is said in the same words, and the offline extractor finds no
    facts in what users say."""
    cache_bytes: int = Field(default=64_000_000, ge=0)
    """Memory for what was read of the sentences compared last; a purge empties it."""


class EmbedderSection(Section):
    """What makes vectors. All below `cached_texts` describes the endpoint of kind openai.

    `cosine_floor` and `cosine_ceiling` are the cosines of unrelated and of equal texts in its space; the
    thresholds lie on the scale between them. No model's are another's: measure them for yours.
    """

    kind: Literal["local", "light", "openai"] = "local"
    """`local`: multilingual-e5-small, English, Chinese and some ninety other languages; `light`: smaller, English
    first (`pip install .[light]`); `openai`: any compatible endpoint."""
    query_threads: Positive = 1
    """Threads for the vectors of queries."""
    passage_threads: Positive = 1
    """Threads for the vectors of what is remembered."""
    cached_texts: int = Field(default=10_000, ge=0)
    """Texts whose vectors are kept in memory."""
    base_url: str = ""
    """Address of the embeddings endpoint, `/v1` included (kind `openai`, as all below)."""
    api_key: SecretStr = SecretStr("")
    """Its key."""
    model: str = ""
    """The endpoint's name for it."""
    dimension: int = Field(default=0, ge=0, le=8_192)
    """Numbers per vector."""
    shortened: bool = False
    """Ask a model that makes more for `dimension` numbers."""
    query_prefix: str = ""
    """Put before queries, where the model wants it."""
    passage_prefix: str = ""
    """Put before what is remembered."""
    timeout_seconds: Seconds = 30.0
    """Of one call of the endpoint."""
    cosine_floor: float = Field(default=0.1, ge=-1, lt=1)
    """Cosine of unrelated texts in its space: scores 0."""
    cosine_ceiling: float = Field(default=0.9, gt=-1, le=1)
    """Cosine of equal texts: scores 1."""
    topic_threshold: float = Field(default=0.25, ge=0, le=1)
    """Similarity, on that scale, of texts of one topic."""
    related_threshold: float = Field(default=0.3, ge=0, le=1)
    """Similarity of related texts."""
    cluster_threshold: float = Field(default=0.42, ge=0, le=1)
    """Similarity above which a turn joins a cluster of its conversation."""
    same_threshold: float = Field(default=0.75, ge=0, le=1)
    """Similarity of texts about the same matter."""

    @model_validator(mode="after")
    def _endpoint_is_described(self) -> "EmbedderSection":
        if self.kind == "openai" and not (self.base_url and self.model and self.dimension):
            raise ValueError("kind openai needs `base_url`, `model` and `dimension`")
        if not self.cosine_floor < self.cosine_ceiling:
            raise ValueError("`cosine_floor` must lie below `cosine_ceiling`")
        return self
