"""All services of the contract, put together over one house."""

from collections.abc import Mapping

from core.usecases.house import House
from service.api import (
    conversation,
    deep_retrieval,
    instructions,
    long_term,
    memory_bank,
    operations,
    query_graph,
    retrieval,
)
from service.api.endpoint import Endpoint
from service.api.rows import endpoints

SERVICES = (
    memory_bank,
    query_graph,
    retrieval,
    deep_retrieval,
    instructions,
    conversation,
    long_term,
    operations,
)


def services(house: House) -> Mapping[str, Mapping[str, Endpoint]]:
    """Endpoints by method, by the service's full name."""
    return {each.SERVICE.full_name: endpoints(each.SERVICE, each.ROWS, house) for each in SERVICES}
