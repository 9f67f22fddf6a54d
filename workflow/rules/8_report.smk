# Stage 8: report.
#
# needs: for a table, figure or passage the files of its own systems; for the page of a study every score, the records
#        and curves of its trainings, the cards of its corpora
# makes: results/8_report/<scale>/<study>/<item>.{html, json, csv}, a page for each table, figure and passage
#        results/8_report/<scale>/<study>/index.html, with all of them
# steps: fill tables with published and measured numbers | draw figures | write pages that work offline


rule item:
    input:
        unpack(item_inputs),
        settings=ITEM / "settings.json",
    output:
        page=REPORT / "{item}.html",
        json=REPORT / "{item}.json",
        csv=REPORT / "{item}.csv",
    log:
        REPORT.log("{item}"),
    localrule: True
    conda:
        "../../envs/docmt.yaml"
    shell:
        "exec docmt job write-report --settings {input.settings:q} --results results --output {output.page:q} > {log:q} 2>&1"


rule report:
    input:
        unpack(report_inputs),
        settings=REPORT / "settings.json",
    output:
        REPORT / "index.html",
    log:
        REPORT.log(),
    localrule: True
    conda:
        "../../envs/docmt.yaml"
    shell:
        "exec docmt job write-report --settings {input.settings:q} --results results --output {output:q} > {log:q} 2>&1"


# The page of the demo study again, in results/ itself; its links lead to the same pages of items. At a scale other than
# `paper` the scale is in its name, so that a trial run leaves the page of the papers' sizes alone.
rule demo_report:
    input:
        unpack(demo_page),
    output:
        DEMO_REPORT,
    log:
        DEMO_REPORT_LOG,
    wildcard_constraints:
        at_scale=AT_SCALE,
    localrule: True
    conda:
        "../../envs/docmt.yaml"
    shell:
        "exec docmt job write-report --settings {input.settings:q} --results results --output {output:q} > {log:q} 2>&1"
