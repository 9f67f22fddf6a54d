"""The look of systems: the same on all pages of a study, different for different systems, and a label for each."""

from docmt.reporting.look import Style, styles, styles_of_lines

LABELS = {name: name.upper() for name in ("sentence", "concat_3", "long_short", "han")}


def looks(style: Style) -> tuple[str, str, str]:
    return style.colour, style.dash, style.marker


def test_two_hundred_systems_hardly_share_a_look():
    names = {f"system{n}": "" for n in range(196)}
    assert len({looks(style) for style in styles(names).values()}) == 196


def test_a_line_has_the_look_of_its_system_whatever_else_is_in_the_figure():
    look = styles(LABELS)
    alone = styles_of_lines({"Ours": ["long_short"]}, look)
    among = styles_of_lines({"Others": ["han"], "Ours": ["long_short"]}, look)
    assert looks(alone["Ours"]) == looks(among["Ours"]) == looks(look["long_short"])
    assert (alone["Ours"].label, alone["Ours"].systems) == ("Ours", ("long_short",))


def test_lines_of_one_figure_differ_even_where_they_share_systems():
    look = styles(LABELS)
    lines = {"A": ["han", "sentence"], "B": ["sentence", "concat_3"], "C": ["sentence"], "published": []}
    drawn = styles_of_lines(lines, look)
    assert looks(drawn["A"]) == looks(look["sentence"]) and looks(drawn["B"]) == looks(look["concat_3"])
    assert len({looks(style) for style in drawn.values()}) == 4
    assert not {looks(drawn[name]) for name in ("C", "published")} & {looks(style) for style in look.values()}


def test_all_pages_of_a_study_have_one_look_and_one_label(world):
    world.settings["systems"] = [{"system": name, "label": label} for name, label in LABELS.items()]
    whole = world.load()
    world.settings["entries"] = [entry for entry in world.settings["entries"] if entry.system.name == "concat_3"]
    item = world.load()
    assert item.systems == ("concat_3",)
    assert item.look["concat_3"] == whole.look["concat_3"] and item.labels.items() <= whole.labels.items()
    assert item.labels["concat_3"] == "CONCAT_3"
