# Stage 8: pages, and the sheets of tables of judgements. People open them through links at stable paths, which the rules
# `show` set: their parameter is the identity of the page, so that a change, and a change back, sets a link again.


rule page:
    input:
        needs("page"),
    output:
        update(paths.PAGE / "manifest.json"),
    localrule: True
    conda:
        "../../envs/docmt.yaml"
    shell:
        'exec docmt job page "$(dirname {output:q})"'


rule sheet:
    input:
        needs("sheet"),
    output:
        update(paths.SHEET / "manifest.json"),
    localrule: True
    conda:
        "../../envs/docmt.yaml"
    shell:
        'exec docmt job sheet "$(dirname {output:q})"'


rule front:
    input:
        needs("front"),
    output:
        update(paths.FRONT / "manifest.json"),
    localrule: True
    conda:
        "../../envs/docmt.yaml"
    shell:
        'exec docmt job front "$(dirname {output:q})"'


rule show:
    input:
        page("page"),
    output:
        f"{paths.RESULTS}/{paths.PAGE.stage}/{{scale}}/{{study}}/{{item}}.html",
    localrule: True
    params:
        identity=page("page"),
    shell:
        LINK


rule show_sheet:
    input:
        page("sheet"),
    output:
        f"{paths.RESULTS}/{paths.PAGE.stage}/{{scale}}/{{study}}/{{item}}.sheet.csv",
    localrule: True
    params:
        identity=page("sheet"),
    shell:
        LINK


rule show_front:
    input:
        page("front"),
    output:
        f"{paths.RESULTS}/report{{at_scale}}.html",
    wildcard_constraints:
        at_scale="(?:@[^/]+)?",
    localrule: True
    params:
        identity=page("front"),
    shell:
        LINK
