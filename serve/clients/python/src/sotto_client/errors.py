"""What can go wrong. No error shows anything of a text: the service never returns it."""


class SottoError(Exception):
    """The base of all errors of this package."""


class RequestError(SottoError):
    """The service refused a request. Its message says why."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(f"{message} (status {status})")
        self.status = status


class BusyError(RequestError):
    """The service has no room now. The request may be sent again later."""


class CallLostError(RequestError):
    """The service no longer knows a live call, so its numbers cannot continue."""
