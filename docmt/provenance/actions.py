"""The run as entities of a crate: an action for each artifact, for each step of the workflow, and for the whole run."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from docmt.plan.jobs import Job
from docmt.provenance.artifacts import FinishedRun, RunArtifact
from docmt.provenance.entities import COMPLETED, Graph, Reference
from docmt.provenance.outputs import Outputs
from docmt.provenance.software import engine, tool
from docmt.provenance.sources import add_corpus, add_outside_files

UNITS = {"seconds": "SEC", "device_hours": "HUR", "cores": "C62", "threads": "C62", "memory_mib": "E63"}
"""The measured facts of records, with their units (UN/CEFACT): seconds, hours, a number, mebibytes."""
FACTS = ("processor", "device")
"""The facts of records about the machine that are no measures."""


@dataclass
class Actions:
    """The actions of a run.

    `agent`: who ran the workflow; None = not stated. `address`: where others get the code. `tools`: the commands of
    each rule. `artifacts`: the entities of the artifacts.
    """

    graph: Graph
    run: FinishedRun
    outputs: Outputs
    agent: Reference | None = None
    address: str | None = None
    tools: dict[str, list[Reference]] = field(default_factory=dict)
    artifacts: dict[Job, Reference] = field(default_factory=dict)
    created: dict[Job, Reference] = field(default_factory=dict)

    def add(self) -> None:
        """Add all artifacts and the actions that wrote them, inputs first."""
        for job, artifact in self.run.artifacts.items():
            self.artifacts[job] = self.outputs.add(artifact)
            self.created[job] = self._create(artifact)

    def _create(self, artifact: RunArtifact) -> Reference:
        """Add the action that wrote an artifact."""
        command = tool(self.graph, artifact, self.address)
        commands = self.tools.setdefault(artifact.job.rule, [])
        if command not in commands:
            commands.append(command)
        record = artifact.record
        reference = self.graph.add(
            f"#action/{artifact.name}",
            "CreateAction",
            name=f"docmt job {record['command']}: {artifact.name}",
            description=f"The rule {artifact.job.rule} of the workflow, with the settings that settings.json has.",
            identifier=f"docmt-identity:{artifact.manifest.identity}",
            instrument=command,
            agent=self.agent,
            startTime=record["began"],
            endTime=record["finished"],
            object=self._inputs(artifact),
            result=self.artifacts[artifact.job],
            actionStatus=COMPLETED,
            resourceUsage=self._measures(record),
            additionalProperty=self._machine(record),
        )
        self.graph.mention(reference)
        return reference

    def _inputs(self, artifact: RunArtifact) -> list[Reference]:
        """Return what a job read: artifacts, files from outside, and the corpus that it reads."""
        inputs = []
        for role, content in artifact.manifest.inputs.items():
            job = artifact.reads.get(role)
            present = self.run.artifacts.get(job) if job else None
            if job and present and present.manifest.content == content.content:
                inputs.append(self.artifacts[job])
            else:
                inputs.append(self._absent(role, content.identity, content.content))
        outside = add_outside_files(self.graph, artifact)
        if artifact.job.rule == "corpus":
            grid = self.run.planner.jobs.grid
            outside.append(add_corpus(self.graph, grid, grid.corpus_in(artifact.job.names["corpus"], artifact.name)))
        settings = [{"@id": part["@id"]} for part in self._settings(artifact)]
        return [*inputs, *outside, *settings]

    def _settings(self, artifact: RunArtifact) -> list[Reference]:
        """Return the file with the settings of a job, where it is there."""
        if artifact.asked is None:
            return []
        path = artifact.job.settings_path
        return [self.graph.add_file(artifact.root / path, path)]

    def _absent(self, role: str, identity: str | None, content: str | None) -> Reference:
        """Add an input that is not there any more, by its identity and its content."""
        names = [f"docmt-identity:{identity}", f"docmt-content:{content}"]
        return self.graph.add(f"#absent/{content}", "CreativeWork", name=f"the input {role}", identifier=names)

    def _measures(self, record: Mapping[str, Any]) -> list[Reference]:
        """Return the measured facts of a record."""
        facts = {**record["hardware"], **record}
        return [
            self.graph.value(name, facts[name], unit) for name, unit in UNITS.items() if facts.get(name) is not None
        ]

    def _machine(self, record: Mapping[str, Any]) -> list[Reference]:
        """Return the facts of a record about the machine."""
        facts = {**record["hardware"], **record}
        return [self.graph.value(name, facts[name]) for name in FACTS if facts.get(name)]

    def times(self) -> tuple[str, str]:
        """Return the begin of the first action and the end of the last."""
        records = [artifact.record for artifact in self.run.artifacts.values()]
        return min(str(record["began"]) for record in records), max(str(record["finished"]) for record in records)

    def organise(self, workflow: Reference, steps: Mapping[str, Reference], inputs: list[Reference]) -> Reference:
        """Add the run of the workflow: its own action, a control action for each artifact, and what organised them.

        `steps`: the step of the workflow of each rule. `inputs`: the settings of the run. Returns the action of the
        workflow.
        """
        began, finished = self.times()
        common = {"agent": self.agent, "startTime": began, "endTime": finished, "actionStatus": COMPLETED}
        whole = self.graph.add(
            "#run",
            "CreateAction",
            name=f"snakemake {self.run.target}",
            description="The run of the workflow that made the target.",
            instrument=workflow,
            object=inputs,
            result=[self.artifacts[job] for job in self.run.jobs],
            **common,
        )
        controls = [
            self.graph.add(
                f"#control/{self.run.artifacts[job].name}",
                "ControlAction",
                name=f"snakemake: {job.rule} {self.run.artifacts[job].name}",
                instrument=steps[job.rule],
                object=action,
                actionStatus=COMPLETED,
            )
            for job, action in self.created.items()
        ]
        self.graph.add(
            "#organised",
            "OrganizeAction",
            name=f"Snakemake makes {self.run.target}",
            instrument=engine(self.graph),
            object=controls,
            result=whole,
            **common,
        )
        self.graph.mention(whole, {"@id": "#organised"})
        return whole
