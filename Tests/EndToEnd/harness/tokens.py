"""100ms' tokens, made by hand so that wrong ones can be made too."""

import base64
import hashlib
import hmac
import json
import time
import uuid

ACCESS_KEY = "end-to-end-key"
SECRET = "end-to-end-secret-of-more-than-32-bytes"
LIFETIME = 3600  # s


def sign(claims, secret=SECRET, algorithm="HS256"):
    header = {"alg": algorithm, "typ": "JWT"}
    text = f"{_part(header)}.{_part(claims)}"
    if algorithm == "none":
        return f"{text}."
    digest = hmac.new(secret.encode(), text.encode(), hashlib.sha256).digest()
    return f"{text}.{_base64(digest)}"


def room_token(room, user="ann", role="host", secret=SECRET, algorithm="HS256", **changes):
    claims = _common("app") | {"room_id": room, "user_id": user, "role": role}
    return sign(claims | changes, secret, algorithm)


def management_token(secret=SECRET, algorithm="HS256", **changes):
    return sign(_common("management") | changes, secret, algorithm)


def recordings_token(**changes):
    """For looking at recordings only."""
    return sign(_common("recordings") | changes, SECRET, "HS256")


def _common(kind):
    now = int(time.time())
    return {
        "access_key": ACCESS_KEY,
        "type": kind,
        "version": 2,
        "iat": now,
        "nbf": now,
        "exp": now + LIFETIME,
        "jti": str(uuid.uuid4()),
    }


def _part(value):
    return _base64(json.dumps(value).encode())


def _base64(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
