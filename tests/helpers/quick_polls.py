"""snakemake that asks a cluster for its jobs every POLL_S seconds, 0.2 by default, whatever the plugin does.

FAKE_PODS=FILE: the client of Kubernetes creates no job; it notes what it would create in FILE, and every job fails.
"""

import asyncio
import json
import os
import sys
from pathlib import Path
from types import SimpleNamespace

from snakemake.cli import main
from snakemake_interface_executor_plugins.executors.remote import RemoteExecutor


async def _sleep(self) -> None:
    await asyncio.sleep(float(os.environ.get("POLL_S", "0.2")))


def fake_pods(notes: Path) -> None:
    """Replace the calls of the client of Kubernetes."""
    import kubernetes

    def create(self, namespace, body):
        plain = kubernetes.client.ApiClient().sanitize_for_serialization(body)
        with notes.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps({"namespace": namespace, **plain}) + "\n")

    def nothing(self, *words, **named):
        return SimpleNamespace(items=[])

    def status(self, *words, **named):
        return SimpleNamespace(status=SimpleNamespace(failed=1, succeeded=0))

    kubernetes.config.load_kube_config = lambda: None
    kubernetes.client.BatchV1Api.create_namespaced_job = create
    kubernetes.client.BatchV1Api.read_namespaced_job_status = status
    for name in ("create_namespaced_secret", "delete_namespaced_secret", "list_namespaced_pod"):
        setattr(kubernetes.client.CoreV1Api, name, nothing)


if __name__ == "__main__":
    RemoteExecutor.sleep = _sleep
    if "FAKE_PODS" in os.environ:
        fake_pods(Path(os.environ["FAKE_PODS"]))
    # Snakemake ends so long after its last choice of jobs.
    sys.exit(main([*sys.argv[1:], "--max-jobs-per-timespan", "100/1s"]))
