"""The folder in which a job works where docmt is a module of another workflow."""

from pathlib import Path

from docmt.cli.job_folder import in_job_folder


def test_paths_of_the_command_line_are_of_the_workflow_and_all_others_of_the_prefix(tmp_path, monkeypatch):
    (tmp_path / "docmt").mkdir()
    monkeypatch.setenv("DOCMT_TOP", str(tmp_path))
    monkeypatch.setenv("DOCMT_FOLDER", "docmt")
    monkeypatch.chdir(tmp_path)
    values = {"output": Path("docmt/x"), "parts": [Path("y"), Path("/z")], "beam": 4, "none": None}
    for _ in range(2):  # as a rank does, which starts in the folder of its launcher
        with in_job_folder(values) as placed:
            assert Path.cwd() == tmp_path / "docmt"
            assert placed == {
                "output": tmp_path / "docmt/x",
                "parts": [tmp_path / "y", Path("/z")],
                "beam": 4,
                "none": None,
            }
            monkeypatch.chdir(tmp_path / "docmt")
    monkeypatch.delenv("DOCMT_TOP")
    with in_job_folder(values) as placed:
        assert placed == values
