"""The run as entities of a crate: an action for each artifact, for each step of the workflow, and for the whole run."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from docmt.base.recipe import JOB
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
    each step. `artifacts`, `created`: the entities of the artifacts and of their actions, by their folders.
    """

    graph: Graph
    run: FinishedRun
    outputs: Outputs
    agent: Reference | None = None
    address: str | None = None
    tools: dict[str, list[Reference]] = field(default_factory=dict)
    artifacts: dict[str, Reference] = field(default_factory=dict)
    created: dict[str, Reference] = field(default_factory=dict)

    def add(self) -> None:
        """Add all artifacts and the actions that wrote them, inputs first."""
        for folder, artifact in self.run.artifacts.items():
            self.artifacts[folder] = self.outputs.add(artifact)
            self.created[folder] = self._create(artifact)

    def _create(self, artifact: RunArtifact) -> Reference:
        """Add the action that wrote an artifact."""
        command = tool(self.graph, artifact, self.address)
        commands = self.tools.setdefault(artifact.recipe.step, [])
        if command not in commands:
            commands.append(command)
        record = artifact.record
        reference = self.graph.add(
            f"#action/{artifact.name}",
            "CreateAction",
            name=f"{artifact.recipe.step}: {artifact.name}",
            description=f"The step {artifact.recipe.step} of the workflow, with the parameters that {JOB} has.",
            identifier=f"docmt-identity:{artifact.manifest.identity}",
            instrument=command,
            agent=self.agent,
            startTime=record["began"],
            endTime=record["finished"],
            object=self._inputs(artifact),
            result=self.artifacts[artifact.folder],
            actionStatus=COMPLETED,
            resourceUsage=self._measures(record),
            additionalProperty=self._machine(record),
        )
        self.graph.mention(reference)
        return reference

    def _inputs(self, artifact: RunArtifact) -> list[Reference]:
        """Return what a job read: its recipe, artifacts, files from outside, and the corpus that it reads."""
        inputs = []
        for role, content in artifact.manifest.inputs.items():
            folder = artifact.recipe.inputs[role].as_posix()
            present = self.run.artifacts.get(folder)
            if present and present.manifest.content == content.content:
                inputs.append(self.artifacts[folder])
            else:
                inputs.append(self._absent(role, content.identity, content.content))
        outside = add_outside_files(self.graph, artifact)
        if artifact.recipe.step == "corpus":
            grid, names = self.run.plan.grid, self.run.job_of[artifact.folder].names
            outside.append(add_corpus(self.graph, grid, grid.corpus_in(names["corpus"], artifact.name)))
        return [*inputs, *outside, {"@id": quote(f"{artifact.folder}/{JOB}")}]

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

        `steps`: the step of the workflow by its name. `inputs`: the settings of the run. Returns the action of the
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
            result=[self.artifacts[folder] for folder in self.run.folders],
            **common,
        )
        controls = [
            self.graph.add(
                f"#control/{self.run.artifacts[folder].name}",
                "ControlAction",
                name=f"snakemake: {self.run.artifacts[folder].recipe.step} {self.run.artifacts[folder].name}",
                instrument=steps[self.run.artifacts[folder].recipe.step],
                object=action,
                actionStatus=COMPLETED,
            )
            for folder, action in self.created.items()
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
