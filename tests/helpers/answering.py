"""A program of the protocol of `docmt.base.programs`, which fails in the way that its arguments say.

`answering.py STATE WAY [NUMBER]`: it appends a line to the file STATE when it starts and for each request that it
reads. WAY is what it does with the request of the id NUMBER, once in all or, where WAY ends with `!`, always: `late`,
`crash`, `short`, `error`, `twice`, `garbage`, `stranger`, `number`, `broken`, `nothing`, `kill`. Translations are the
sentences in capitals.
"""

import json
import os
import signal
import sys
import time
from pathlib import Path


def note(state: Path, text: str) -> None:
    with state.open("a", encoding="utf-8") as file:
        file.write(text + "\n")


def answer(request: dict, way: str) -> None:
    sentences = [sentence.upper() for sentence in request["sentences"]]
    lines = [{"id": request["id"], "translations": sentences}]
    match way:
        case "late":
            time.sleep(60)
        case "crash":
            raise SystemExit(3)
        case "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        case "short":
            lines[0]["translations"] = sentences[:-1]
        case "error":
            lines = [{"id": request["id"], "error": "quota used up"}]
        case "twice":
            lines *= 2
        case "garbage":
            lines = ["Loading the model"]
        case "stranger":
            lines[0]["id"] = "no such id"
        case "number":
            lines[0]["translations"] = [1] * len(sentences)
        case "broken":
            lines[0]["translations"] = [f"{sentence}\n" for sentence in sentences]
        case "nothing":
            lines = [{"id": request["id"]}]
    for line in lines:
        print(line if isinstance(line, str) else json.dumps(line), flush=True)


def main() -> None:
    state, way, *number = sys.argv[1:]
    path = Path(state)
    note(path, "start")
    for line in sys.stdin:
        request = json.loads(line)
        before = path.read_text(encoding="utf-8").splitlines()
        note(path, request["id"])
        chosen = number == [request["id"]] and (way.endswith("!") or request["id"] not in before)
        answer(request, way.rstrip("!") if chosen else "")
    note(path, "end")


if __name__ == "__main__":
    main()
