#!/usr/bin/env python3
"""Sends a signed GraphQL request to Muster with only the standard library, and prints the response:

    python3 examples/query.py                          # the first devices
    python3 examples/query.py '{ login { email } }'
    python3 examples/query.py 'query ($n: Int) { login { devices(size: $n) { total } } }' '{"n": 5}'

Reads MUSTER_URL, MUSTER_ACCESS_KEY_ID, and MUSTER_SECRET_ACCESS_KEY from the environment, or from the section [default]
of the file that MUSTER_CREDENTIALS names. If that variable is not set, reads the file $MUSTER_DATA/credentials (by
default, data/credentials) or, if that file does not exist, ~/.muster/credentials. Exits with 0 only if there is a
response without errors.
"""
import base64, configparser, hashlib, hmac, json, os, sys, time, urllib.error, urllib.request
from urllib.parse import urlsplit

DEVICES = "{ login { devices(size: 5) { total items { id name state } } } }"


def settings():
    defaults = [os.path.join(os.environ.get("MUSTER_DATA") or "data", "credentials"), os.path.expanduser("~/.muster/credentials")]
    file = os.environ.get("MUSTER_CREDENTIALS") or next(filter(os.path.exists, defaults), defaults[-1])
    ini = configparser.ConfigParser(interpolation=None)
    ini.read(file, encoding="utf-8")
    for name in ("MUSTER_URL", "MUSTER_ACCESS_KEY_ID", "MUSTER_SECRET_ACCESS_KEY"):
        value = os.environ.get(name) or ini.get("default", name, fallback="")
        if not value:
            sys.exit(f"{name} is not set. Set it in the environment, or in the section [default] of the file {file}.")
        yield value


def signed_headers(url, body, key_id, secret):
    """Returns headers with a signature (RFC 9421, hmac-sha256). It covers the method, host, path, and content type, and
    a digest of the body (RFC 9530)."""
    digest = base64.b64encode(hashlib.sha256(body).digest()).decode()
    covered = {"@method": "POST", "@authority": urlsplit(url).netloc.lower(), "@path": urlsplit(url).path,
               "content-type": "application/json", "content-digest": f"sha-256=:{digest}:"}
    names = " ".join(f'"{name}"' for name in covered)
    parameters = f'({names});created={int(time.time())};keyid="{key_id}";alg="hmac-sha256"'
    base = "".join(f'"{name}": {value}\n' for name, value in covered.items()) + f'"@signature-params": {parameters}'
    signature = base64.b64encode(hmac.digest(base64.b64decode(secret), base.encode(), "sha256")).decode()
    return {"Content-Type": covered["content-type"], "Content-Digest": covered["content-digest"],
            "Signature-Input": f"sig1={parameters}", "Signature": f"sig1=:{signature}:"}


def main(query=DEVICES, variables="{}"):
    url, key_id, secret = settings()
    url = url.rstrip("/") + "/graphql/v1"
    body = json.dumps({"query": query, "variables": json.loads(variables)}).encode()
    request = urllib.request.Request(url, body, signed_headers(url, body, key_id, secret))
    try:
        response = urllib.request.urlopen(request, timeout=60).read()
    except urllib.error.HTTPError as error:
        response = error.read()
    except urllib.error.URLError as error:
        sys.exit(f"{url}: {error.reason}")
    print(response.decode())
    return 1 if "errors" in json.loads(response) else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]) if len(sys.argv) < 4 else __doc__)
