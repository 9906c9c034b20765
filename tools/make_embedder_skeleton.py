"""Makes what the local embedder ships: the graph without weights, and the calibration.

    python -m tools.make_embedder_skeleton

Writes `skeleton.onnx` (needs `onnx`, a development dependency) and `calibration.npz` into
`service/adapters/local_embedder`. Law: both follow from the model's weights and the texts in
`tools/calibration` alone; to change either file is to change the embedding space, and its name.
"""

from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper

from service.adapters.embedding_text import cleaned
from service.adapters.local_embedder.calibration import Calibration
from service.adapters.local_embedder.quantise import initialisers
from service.adapters.local_embedder.tokens import Tokenizer
from service.adapters.local_embedder.weights import F32, Model, Weights, installed_model
from tools.e5_reference import ReferenceEncoder

Constant = NDArray[np.generic]

FOLDER = Path(__file__).parents[1] / "service/adapters/local_embedder"
TEXTS = Path(__file__).parent / "calibration"
OPSET = 18
COMPARED_LAYER = 8  # of 12: its states tell contradictions better than the last layer's, which tell topics
_TYPES = {"float32": TensorProto.FLOAT, "int8": TensorProto.INT8}


class Skeleton:
    """The encoder as nodes: embedded tokens [1, tokens, hidden] in, the mean of the last states out.

    Beside it the states of `COMPARED_LAYER`, [1, tokens, hidden], come out for who asks for them.
    """

    def __init__(self, weights: Weights) -> None:
        self._weights = weights
        self._nodes: list[onnx.NodeProto] = []

    def model(self, constants: dict[str, Constant]) -> onnx.ModelProto:
        states = self._norm("emb.ln", "embedded")
        for layer in range(self._weights.layers):
            states = self._layer(f"l{layer}", states)
            if layer + 1 == COMPARED_LAYER:
                self._add("Identity", [states], "states")
        self._add("ReduceMean", [states, "tokens_axis"], "pooled", keepdims=0)
        hidden = self._weights.hidden
        graph = helper.make_graph(
            self._nodes,
            "multilingual-e5-small",
            [helper.make_tensor_value_info("embedded", TensorProto.FLOAT, [1, "tokens", hidden])],
            [
                helper.make_tensor_value_info("pooled", TensorProto.FLOAT, [1, hidden]),
                helper.make_tensor_value_info("states", TensorProto.FLOAT, [1, "tokens", hidden]),
            ],
            [helper.make_tensor("tokens_axis", TensorProto.INT64, [1], [1])]
            + [_external(name, array) for name, array in constants.items()],
        )
        opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid("com.microsoft", 1)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=9)

    def _layer(self, at: str, states: str) -> str:
        packed = self._dense(f"{at}.qkv", states)
        parts = [f"{at}.{name}.out" for name in ("q", "k", "v")]
        self._nodes.append(helper.make_node("Split", [packed], parts, axis=-1, num_outputs=3))
        mixed = self._add("MultiHeadAttention", parts, f"{at}.mixed", num_heads=self._weights.heads)
        states = self._residual(f"{at}.aln", states, self._dense(f"{at}.ao", mixed))
        raised = self._add("Gelu", [self._dense(f"{at}.fi", states)], f"{at}.raised")
        return self._residual(f"{at}.oln", states, self._dense(f"{at}.fo", raised))

    def _dense(self, name: str, states: str) -> str:
        calm = self._add("Mul", [states, f"{name}.calm"], f"{name}.in")
        inputs = [calm, f"{name}.w", f"{name}.scale", "", f"{name}.b"]
        return self._add("DynamicQuantizeMatMul", inputs, f"{name}.out")

    def _residual(self, norm: str, states: str, change: str) -> str:
        return self._norm(norm, self._add("Add", [states, change], f"{norm}.in"))

    def _norm(self, name: str, states: str) -> str:
        inputs = [states, f"{name}.w", f"{name}.b"]
        return self._add("LayerNormalization", inputs, f"{name}.out", axis=-1, epsilon=self._weights.epsilon)

    def _add(self, operator: str, inputs: list[str], output: str, **attributes: Any) -> str:
        contributed = operator in ("DynamicQuantizeMatMul", "Gelu", "MultiHeadAttention")
        domain = "com.microsoft" if contributed else ""
        self._nodes.append(helper.make_node(operator, inputs, [output], domain=domain, **attributes))
        return output


def _external(name: str, array: Constant) -> onnx.TensorProto:
    """Returns a constant by name, type and shape; the session is given its content."""
    tensor = onnx.TensorProto(name=name, data_type=_TYPES[array.dtype.name], dims=array.shape)
    tensor.data_location = onnx.TensorProto.EXTERNAL
    tensor.external_data.add(key="location", value="given-at-start")
    return tensor


def calibrate(model: Model, english: list[str], chinese: list[str]) -> Calibration:
    """Activation ranges over all texts with both prefixes; mean and language from the passages."""
    ranges: dict[str, F32] = {}

    def widen(name: str, states: F32) -> None:
        if not name.endswith((".k", ".v")):  # they read what q reads
            known, largest = name.replace(".q", ".qkv"), np.abs(states).max(axis=0)
            ranges[known] = np.maximum(ranges[known], largest) if known in ranges else largest

    encoder, tokenizer = ReferenceEncoder(model.weights, widen), Tokenizer(model.vocabulary)

    def unit(prefix: str, text: str) -> F32:
        pooled = encoder.pooled(tokenizer.framed(tokenizer.ids(prefix), tokenizer.ids(cleaned(text))))
        return pooled / np.linalg.norm(pooled)

    for text in english + chinese:
        unit("query:", text)
    centres = [np.mean([unit("passage:", text) for text in texts], axis=0) for texts in (english, chinese)]
    language = centres[1] - centres[0]
    return Calibration(
        ranges=ranges, mean=(centres[0] + centres[1]) / 2, language=language / np.linalg.norm(language)
    )


def main() -> None:
    model = installed_model()
    english, chinese = (
        (TEXTS / f"{name}.txt").read_text(encoding="utf-8").splitlines() for name in ("english", "chinese")
    )
    calibration = calibrate(model, english, chinese)
    calibration.save(FOLDER / "calibration.npz")
    constants = dict(initialisers(model.weights, calibration.ranges))
    onnx.save(Skeleton(model.weights).model(constants), FOLDER / "skeleton.onnx")


if __name__ == "__main__":
    main()
