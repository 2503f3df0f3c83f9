"""A client that lives on an event loop of its own, in a thread beside the tests'."""

import asyncio
import threading
from concurrent.futures import TimeoutError as FutureTimeoutError

TIMEOUT = 60  # s


class OnItsOwnLoop:
    """Its `_close` is awaited when it is closed, by `close` or with its block."""

    def _begin(self, work):
        """Starts the loop with that work."""
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        try:
            self._run(work)
        except BaseException:
            self.close()
            raise

    def _run(self, work):
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result(TIMEOUT)
        except FutureTimeoutError:
            future.cancel()
            raise

    def close(self):
        if not self._thread.is_alive():
            return
        try:
            self._run(self._close())
        finally:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join(TIMEOUT)
            self._loop.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
