#!/usr/bin/env python3
"""Receives Muster's webhooks, verifies them (Standard Webhooks), and prints each message once.
Needs only the standard library:

    WEBHOOK_SECRET=whsec_… python3 examples/receive.py 8080

Responds with status 401 to a POST request that has no valid signature, or whose timestamp is more than 5 minutes from
the current time. In production, store the IDs of handled messages where they survive a restart.
"""
import base64, hashlib, hmac, json, os, sys, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECRET = os.environ.get("WEBHOOK_SECRET", "")
if not SECRET.startswith("whsec_"):
    print("WEBHOOK_SECRET must be the secret of the webhook, which begins with whsec_", file=sys.stderr)
    sys.exit(2)
KEY = base64.b64decode(SECRET.removeprefix("whsec_"))
TOLERANCE = 300  # seconds
handled = {}  # the time at which each webhook-id was handled


def is_genuine(headers, body):
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    expected = b"v1," + base64.b64encode(hmac.digest(KEY, signed, hashlib.sha256))
    # During the rotation of a secret, the header contains two signatures.
    given = (headers["webhook-signature"] or "").split(" ")
    stamp = headers["webhook-timestamp"] or ""
    is_fresh = stamp.isdecimal() and abs(time.time() - int(stamp)) <= TOLERANCE
    return is_fresh and any(hmac.compare_digest(expected, one.encode()) for one in given)


def is_new(message_id):
    """Muster can send a message more than once. To detect repeats, the receiver keeps IDs for two days."""
    now = time.time()
    for old in [one for one, when in list(handled.items()) if now - when > 172_800]:
        del handled[old]
    return handled.setdefault(message_id, now) is now


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        length = int(self.headers["content-length"] or 0)
        # Verify the bytes as received: JSON that is parsed and serialized again can have different bytes.
        body = self.rfile.read(length) if length <= 1 << 20 else b""
        genuine = is_genuine(self.headers, body)
        if genuine and is_new(self.headers["webhook-id"]):
            message = json.loads(body)
            print(message["type"], json.dumps(message["data"]), flush=True)
        # After a 2xx status, Muster does not send the message again.
        self.send_response(204 if genuine else 401)
        self.end_headers()

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1]) if len(sys.argv) > 1 else 8080), Receiver)
    print(f"listening at http://127.0.0.1:{server.server_port}/", flush=True)
    server.serve_forever()
