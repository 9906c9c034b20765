"""Rows read together look like plain values to whoever takes them one by one."""

import numpy as np
import pytest

from core.bank.rows import NodeRows
from core.bank.steps import NodePut
from core.ids import NodeId
from core.index.rows import VectorRows
from tests.support import changes as a

N1, N2, N3 = NodeId("n1"), NodeId("n2"), NodeId("n3")
SIZE = len(a.vector(1))


def puts() -> list[NodePut]:
    return [a.node_put("n1", 1), NodePut(node=a.node("n2")), a.node_put("n3", 3)]


def test_vectors_in_one_matrix_are_the_mapping_they_were_made_of() -> None:
    plain = {N3: a.vector(3), N1: a.vector(1)}

    rows = VectorRows.of(plain, SIZE)

    assert list(rows) == [N3, N1]
    assert {key: vector.tobytes() for key, vector in rows.items()} == {
        key: vector.tobytes() for key, vector in plain.items()
    }
    assert N2 not in rows
    assert rows.matrix.dtype == np.float32


def test_rows_are_made_of_rows_without_a_copy() -> None:
    vectors = VectorRows.of({N1: a.vector(1)}, SIZE)
    nodes = NodeRows.of(puts(), SIZE)

    assert VectorRows.of(vectors, SIZE) is vectors
    assert NodeRows.of(nodes, SIZE) is nodes


def test_a_matrix_that_has_not_a_row_for_each_key_is_refused() -> None:
    with pytest.raises(ValueError, match="2 keys"):
        VectorRows([N1, N2], np.zeros((3, SIZE), np.float32))


def test_nodes_come_back_with_the_vectors_they_have() -> None:
    rows = NodeRows.of(puts(), SIZE)

    assert [put.node for put in rows] == [put.node for put in puts()]
    assert [put.vector is None for put in rows] == [False, True, False]
    assert rows[2].vector is not None
    assert rows[2].vector.tobytes() == a.vector(3).tobytes()
    assert [put.node.node_id for put in rows[1:]] == [N2, N3]
    assert list(rows.vectors) == [N1, N3]


def test_nothing_makes_empty_rows() -> None:
    rows = NodeRows.of((), SIZE)

    assert len(rows) == 0
    assert rows.vectors.matrix.shape == (0, SIZE)
