"""Produces a run of a Millrace server from another process, with the standard library only."""

import http.client
import itertools
import json
import os
import re
import sys
import threading
import time
import urllib.error
import urllib.request

BATCH = 4
PACE_SECONDS = float(os.environ.get("PACE_SECONDS", "0.2"))
RETRY_SECONDS = 0.2


class Refused(Exception):
    """The server has refused a request; `reason` tells why, such as `over` or `epoch`."""

    def __init__(self, error):
        super().__init__(error["message"])
        self.reason = error.get("reason", error["code"])


class Producer:
    """Appends events to the run of a session, each exactly once, and reads the commands to it."""

    def __init__(self, url, session, token=None):
        self.url = f"{url}/agent/{session}"
        self.headers = {"content-type": "application/json"}
        if token:
            self.headers["authorization"] = f"Bearer {token}"
        self.is_stopped = False

    def open(self):
        """Becomes the producer of the run. An earlier one can no longer append."""
        run = self.post({})
        self.epoch, self.next, self.steers = run["epoch"], run["next"], run["steers"]
        threading.Thread(target=self.listen, args=[run["cursor"]], daemon=True).start()
        return run

    def append(self, events):
        """Stores events. The number of the first one makes a repeated request harmless."""
        while True:
            body = {"epoch": self.epoch, "seq": self.next, "events": events, "steers": self.steers}
            try:
                self.next = self.post(body)["next"]
                return
            except Refused as refused:
                if refused.reason != "steers_unread":
                    raise
                time.sleep(RETRY_SECONDS)

    def post(self, body):
        """Sends a request until the server replies, also if it is restarted or the connection is cut."""
        data = json.dumps(body).encode()
        while True:
            try:
                request = urllib.request.Request(f"{self.url}/events", data, self.headers)
                with urllib.request.urlopen(request, timeout=60) as response:
                    return json.load(response)
            except urllib.error.HTTPError as error:
                if error.code < 500 and error.code != 429:
                    raise Refused(json.load(error)["error"]) from None
            except (OSError, http.client.HTTPException, json.JSONDecodeError):
                pass
            time.sleep(RETRY_SECONDS)

    def listen(self, cursor):
        """Reads the commands, and continues after the last one if the connection is cut."""
        while True:
            try:
                headers = {**self.headers, "last-event-id": cursor}
                request = urllib.request.Request(f"{self.url}/commands", headers=headers)
                with urllib.request.urlopen(request, timeout=60) as stream:
                    for line in stream:
                        field, _, value = line.decode().rstrip("\n").partition(": ")
                        if field == "id":
                            cursor = value
                        elif field == "data":
                            self.take(json.loads(value))
            except (OSError, http.client.HTTPException):
                pass
            time.sleep(RETRY_SECONDS)

    def take(self, command):
        print(command, flush=True)
        if command["type"] == "stop":
            self.is_stopped = True
        if command["type"] == "steer":
            self.steers = max(self.steers, command["number"])


def count(prompt):
    """The work. A real job calls a model here; this one gives the same events each time, so that it can continue anywhere."""
    for number in range(1, int(re.search(r"\d+|$", prompt)[0] or 20) + 1):
        yield {"type": "text", "text": f"{number} "}
        if number % 10 == 0:
            yield {"type": "tool_call", "callId": f"call_{number}", "name": "check", "input": {"number": number}}
            yield {"type": "step_end"}
            yield {"type": "tool_result", "callId": f"call_{number}", "text": f"{number} is right. "}
    yield {"type": "end", "stopReason": "end_turn"}


def main(url, session):
    producer = Producer(url, session, os.environ.get("MILLRACE_TOKEN"))
    run = producer.open()
    events = itertools.islice(count(run["prompt"]), run["next"], None)
    while batch := list(itertools.islice(events, BATCH)):
        if producer.is_stopped:
            return
        producer.append(batch)
        time.sleep(PACE_SECONDS)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("Usage: producer.py SERVER_URL SESSION_ID")
    try:
        main(*sys.argv[1:])
    except Refused as refused:
        sys.exit(f"The run takes no more events: {refused}")
