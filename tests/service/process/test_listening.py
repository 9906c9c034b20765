"""What is said of an address that cannot be listened on names the way out."""

import socket

from service.process.listening import cannot_listen


def test_a_port_that_is_taken_leads_to_another_one() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]

        told = cannot_listen("127.0.0.1", port)

    assert told.startswith(f"cannot listen on 127.0.0.1:{port}: another program listens there")
    assert "--listen 127.0.0.1:0" in told
    assert "make serve PORT=" in told


def test_an_address_of_another_machine_is_said_to_be_none_of_this_one() -> None:
    assert "this machine has no such address" in cannot_listen("192.0.2.1", 7700)


def test_of_an_address_that_is_free_nothing_is_said() -> None:
    assert cannot_listen("127.0.0.1", 0) == ""
