"""Waits for coroutines in tests that share their process with the tests of the browser."""

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any


def result_of(coroutine: Coroutine[Any, Any, Any]) -> Any:
    """Return the result of a coroutine, which runs in a thread of its own.

    The browser of a test session keeps an event loop running in the main thread, where `asyncio.run` then refuses.
    """
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, coroutine).result()
