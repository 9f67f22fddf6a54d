"""Servers on the loopback, in a thread of the test."""

import http.server
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def serving(handler: type[http.server.BaseHTTPRequestHandler]) -> Iterator[str]:
    """Serve requests by `handler` in the block, which gets the address of the server."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as listening:
        thread = threading.Thread(target=listening.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.server_address[1]}"
        finally:  # else the thread of a test that fails never ends, and pytest waits for it
            listening.shutdown()
            thread.join()
