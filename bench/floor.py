"""The least a client can take: the same requests, sent again over one connection, the answers read and thrown away.

A program of its own, with nothing but the standard library: `python -I floor.py HOST:PORT FILE`. FILE holds one JSON
object a line, `{"path": …, "body": …}`.
"""

import http.client
import json
import sys


def main(address: str, file: str) -> None:
    with open(file, encoding="utf-8") as lines:
        requests = [json.loads(line) for line in lines]
    prepared = [(request["path"], request["body"].encode()) for request in requests]
    connection = http.client.HTTPConnection(address)
    for path, body in prepared:
        connection.request("POST", path, body, {"Content-Type": "application/json"})
        connection.getresponse().read()


if __name__ == "__main__":
    main(*sys.argv[1:])
