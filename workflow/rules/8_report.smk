# Stage 8: report.
#
# needs: for a table, figure or passage the files of its own systems; for a sheet the test set and the translations of two
#        systems; for the page of a study every score, the records
#        and curves of its trainings, the cards of its corpora
# makes: results/8_report/<scale>/<study>/<item>.{html, json, csv, parquet}, a page for each table, figure and passage
#        results/8_report/<scale>/<study>/<item>.{tex, md} of a table, and <item>.{svg, pdf} of a figure of lines, which
#        its manifest lists; other items have none
#        results/8_report/<scale>/<study>/<table>.sheet.{csv, html, key.json}, the blind sheet of a table of judgements
#        results/8_report/<scale>/<study>/index.html, with all of them
#        results/8_report/<scale>/<study>/documents/index.html, the list of test documents, and beside it
#        <corpus>/<n>.html, a page for each of them, which the manifest of the study's page lists
# steps: draw sentences for annotators | fill tables with published and measured numbers | draw figures | write pages that work offline
#
# `snakemake --report` embeds what `report(...)` marks here: each page once, and the tables as CSV. Scores are not marked:
# they have a row for each document, and the numbers of the tables are in their CSV files.


rule item:
    input:
        manifests_of("item"),
    output:
        manifest=REPORT / "{item}.manifest.json",
        page=report(
            REPORT / "{item}.html",
            caption="../report/item.rst",
            category="{study}",
            subcategory=report_group,
            labels=report_labels("page"),
        ),
        json=REPORT / "{item}.json",
        csv=report(
            REPORT / "{item}.csv",
            caption="../report/item.rst",
            category="{study}",
            subcategory=report_group,
            labels=report_labels("table (CSV)"),
        ),
        parquet=REPORT / "{item}.parquet",
    log:
        REPORT.log("{item}"),
    localrule: True
    conda:
        "../../envs/docmt.yaml"
    params:
        job=recipe_of("item"),
    shell:
        "exec docmt job item {params.job:q} > {log:q} 2>&1"


# The page of the study needs the sheet; the page of the table needs only the judgements, which a person enters later.
rule sheet:
    input:
        manifests_of("sheet"),
    output:
        manifest=REPORT / "{item}.sheet.manifest.json",
        sheet=REPORT / "{item}.sheet.csv",
        page=REPORT / "{item}.sheet.html",
        key=REPORT / "{item}.sheet.key.json",
    log:
        REPORT.log("{item}.sheet"),
    localrule: True
    conda:
        "../../envs/docmt.yaml"
    params:
        job=recipe_of("sheet"),
    shell:
        "exec docmt job sheet {params.job:q} > {log:q} 2>&1"


rule report:
    input:
        manifests_of("report"),
    output:
        manifest=REPORT / "manifest.json",
        page=report(
            REPORT / "index.html",
            caption="../report/study.rst",
            category="{study}",
            subcategory=WHOLE_STUDY,
            labels=report_labels_of_study,
        ),
    log:
        REPORT.log(),
    localrule: True
    conda:
        "../../envs/docmt.yaml"
    params:
        job=recipe_of("report"),
    shell:
        "exec docmt job report {params.job:q} > {log:q} 2>&1"


# The page of the demo study again, in results/ itself; its links lead to the same pages of items. At a scale other than
# `paper` the scale is in its name, so that a trial run leaves the page of the papers' sizes alone.
rule demo_report:
    input:
        manifests_of("demo_report"),
    output:
        manifest=DEMO_REPORT.replace(".html", ".manifest.json"),
        page=DEMO_REPORT,
    log:
        DEMO_REPORT_LOG,
    wildcard_constraints:
        at_scale=AT_SCALE,
    localrule: True
    conda:
        "../../envs/docmt.yaml"
    params:
        job=recipe_of("demo_report"),
    shell:
        "exec docmt job demo_report {params.job:q} > {log:q} 2>&1"
