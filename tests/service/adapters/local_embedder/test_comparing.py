"""Networks asked together: of all the mean where the first is in doubt, the first alone where it is not."""

import numpy as np
import pytest

from service.adapters.local_embedder.comparing import FILES, IN_DOUBT, Network, Networks
from service.adapters.local_embedder.weights import F32

HIDDEN = 384
TOKENS = 12


def sentences(count: int, seed: int) -> F32:
    """States of sentences by chance."""
    return np.random.default_rng(seed).normal(size=(count, TOKENS, HIDDEN)).astype(np.float32)


@pytest.mark.parametrize("size", [0, 1, 40])
def test_the_mean_counts_where_the_first_is_in_doubt(size: int) -> None:
    networks, alone = Networks.load(), [Network.load(path) for path in FILES]
    ours, theirs = sentences(size, 1), sentences(size, 2)
    theirs[::2] = ours[::2] + theirs[::2] / 2  # some are near each other

    found = networks.likelihoods(networks.projected(ours), networks.projected(theirs))

    each = np.stack([one.likelihoods(one.projected(ours), one.projected(theirs)) for one in alone])
    doubtful = each[0, :, 1:].max(axis=1, initial=0) >= IN_DOUBT
    expected = np.where(doubtful[:, None], each.mean(axis=0), each[0])
    np.testing.assert_allclose(found, expected, atol=1e-5)
    np.testing.assert_allclose(found.sum(axis=1), 1, atol=1e-5)
