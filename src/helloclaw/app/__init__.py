"""The composition root: the one place that knows every part and puts a session together from settings."""

from helloclaw.agent.opening import SessionBusy
from helloclaw.app.opening import open_session
from helloclaw.app.options import SessionOptions

__all__ = ["SessionBusy", "SessionOptions", "open_session"]
