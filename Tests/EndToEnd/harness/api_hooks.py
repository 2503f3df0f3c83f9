"""What schemathesis is told about this server beyond its description, in a process of its own
(schemathesis.toml)."""

import json
import os
import zlib

import schemathesis

# The ids of what there is, by the names of the parameters of paths. Otherwise nearly every request
# would find nothing.
KNOWN = json.loads(os.environ["API_FUZZING_KNOWN"])


@schemathesis.hook
def map_case(context, case):
    if case.meta is None or case.meta.generation.mode.is_negative:
        return case
    for name, value in case.path_parameters.items():
        # The same request becomes the same one again.
        sum = zlib.crc32(str(value).encode())
        if sum % 4 and (known := KNOWN.get(name)):
            case.path_parameters[name] = known[sum // 4 % len(known)]
    return case


@schemathesis.hook
def filter_failure(context, failure, case, response):
    """What is no fault though it looks like one."""
    # A server that has as many streams as it may says when to come again.
    is_full = response.status_code == 503 and "retry-after" in response.headers
    # An optional field that is null counts as missing. The description says so in words: in each
    # field's type it would only disturb those who read it.
    is_missing = failure.title == "Schema-violating request accepted" and has_null(case.body)
    # No schema tells which bytes are a picture.
    is_no_picture = response.status_code == 415 and case.path == "/v2/pictures"
    return not is_full and not is_missing and not is_no_picture


def has_null(value):
    if isinstance(value, dict):
        value = list(value.values())
    return value is None or isinstance(value, list) and any(map(has_null, value))
