"""Gives each generated request an idempotency key of its own.

A key belongs to one request: with another one it is refused with 422. No schema can say that, and generated keys repeat.
"""

import re
import uuid

import schemathesis

KEY = "Idempotency-Key"
VALID = re.compile(r"[\x20-\x7e]{1,200}")


@schemathesis.hook
def before_call(context, case, kwargs):
    key = (case.headers or {}).get(KEY)
    # Other keys are invalid on purpose.
    if isinstance(key, str) and VALID.fullmatch(key):
        case.headers[KEY] = f"{key}-{uuid.uuid4()}"
