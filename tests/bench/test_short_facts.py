from itertools import islice

from tests.bench.bench_short_facts import facts


def test_no_fact_comes_twice_so_that_none_is_known_again_and_not_judged() -> None:
    told = list(islice(facts(), 2_000))

    assert len(set(told)) == len(told)
