"""Verifies the requests of a file with the program of docs/webhooks.md, and prints the id of each event, null where it refuses."""

import base64
import json
import sys

from documented import verified

with open(sys.argv[1], encoding="utf-8") as file:
    requests = json.load(file)
events = [verified(r["secret"], r["headers"], base64.b64decode(r["body"])) for r in requests]
print(json.dumps([None if event is None else event["id"] for event in events]))
