#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A handler for Tidemark with Python's standard library alone: checks the signature, books each
message once in SQLite, takes back what the chain took back.

    TIDEMARK_SECRET=whsec_… PORT=3000 LEDGER=ledger.db python3 handler.py

POST / takes messages, one or a batch; GET / shows the balances.
"""
import base64
import hashlib
import hmac
import json
import os
import sqlite3
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECRET = base64.b64decode(os.environ["TIDEMARK_SECRET"].removeprefix("whsec_"))
LEDGER = os.environ.get("LEDGER", "ledger.db")
TOLERANCE = 300  # seconds that a message may be old
LONGEST = 16 * 1024 * 1024

SCHEMA = """
PRAGMA journal_mode = WAL;
CREATE TABLE IF NOT EXISTS inbox (id TEXT PRIMARY KEY) STRICT;
CREATE TABLE IF NOT EXISTS lines (
  message TEXT NOT NULL REFERENCES inbox (id), account TEXT NOT NULL,
  amount TEXT NOT NULL  -- decimal: a token's amounts are larger than 64 bits
) STRICT;
CREATE INDEX IF NOT EXISTS lines_message ON lines (message);
"""


def open_ledger():
    db = sqlite3.connect(LEDGER, timeout=10, isolation_level=None)
    db.execute("PRAGMA synchronous = FULL")
    return db


def verified(body, headers):
    message, at = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not message or not at.isdigit() or abs(time.time() - int(at)) > TOLERANCE:
        return False
    own = hmac.new(SECRET, f"{message}.{at}.".encode() + body, hashlib.sha256).digest()
    own = b"v1," + base64.b64encode(own)
    return any(
        hmac.compare_digest(own, given.encode())
        for given in headers.get("webhook-signature", "").split(" ")
    )


def lines_of(db, message):
    """What a message books: account and amount."""
    data = message["data"]
    if message["type"] == "tidemark.event.confirmed":
        args = data["args"]
        return [(args["from"], -int(args["value"])), (args["to"], int(args["value"]))]
    if message["type"] == "tidemark.event.rolled_back":
        # Never delete what was booked: book the reverse of just what the message undoes.
        booked = db.execute("SELECT account, amount FROM lines WHERE message = ?", (data["undoes"],))
        return [(account, -int(amount)) for account, amount in booked]
    return []  # pending, and whatever a later version may send


def book(db, messages):
    """All of them in one transaction; what the inbox has already changes nothing."""
    db.execute("BEGIN IMMEDIATE")
    try:
        for message in messages:
            fresh = db.execute("INSERT OR IGNORE INTO inbox VALUES (?)", (message["id"],))
            if fresh.rowcount == 1:
                db.executemany(
                    "INSERT INTO lines VALUES (?, ?, ?)",
                    [(message["id"], a, str(n)) for a, n in lines_of(db, message)],
                )
        db.execute("COMMIT")
    except BaseException:
        db.execute("ROLLBACK")
        raise


def balances(db):
    sums = {}
    for account, amount in db.execute("SELECT account, amount FROM lines"):
        sums[account] = sums.get(account, 0) + int(amount)
    return {a: str(n) for a, n in sorted(sums.items()) if n != 0}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self, status, body=b""):
        self.send_response(status)
        if status != 204:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        length = self.headers.get("Content-Length", "")
        if not length.isdigit() or int(length) > LONGEST:
            self.close_connection = True
            return self.answer(413)
        body = self.rfile.read(int(length))  # the signature is over these bytes
        if not verified(body, self.headers):
            return self.answer(401)
        message = json.loads(body)
        db = open_ledger()
        try:
            book(db, message if isinstance(message, list) else [message])
        except sqlite3.Error as error:
            self.log_error("not booked: %s", error)
            return self.answer(500)  # and it comes again
        finally:
            db.close()
        self.answer(204)  # only now that it is committed

    def do_GET(self):
        db = open_ledger()
        try:
            self.answer(200, json.dumps({"balances": balances(db)}).encode())
        finally:
            db.close()

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    ledger = open_ledger()
    ledger.executescript(SCHEMA)
    ledger.close()
    server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "3000"))), Handler)
    print(f"listening on 127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever()
