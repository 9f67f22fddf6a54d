# Stage 8: report.
#
# needs: of a table, figure or passage what it shows, and nothing else; of a study every score, the records and curves of
#        its trainings, the cards of its corpora
# makes: results/8_report/<study>/<item>.{html, json, csv}, a page for each table, figure and passage
#        results/8_report/<study>/index.html, which has all of them
# steps: tables with published beside measured | figures | pages that work offline


rule item:
    input:
        unpack(item_inputs),
        settings="results/8_report/{study}/{item}/settings.json",
    output:
        page="results/8_report/{study}/{item}.html",
        json="results/8_report/{study}/{item}.json",
        csv="results/8_report/{study}/{item}.csv",
    log:
        "logs/8_report/{study}.{item}.log",
    localrule: True
    conda:
        "../../envs/docmt.yaml"
    shell:
        "exec docmt report --settings {input.settings:q} --results results --output {output.page:q} > {log:q} 2>&1"


rule report:
    input:
        unpack(report_inputs),
        settings="results/8_report/{study}/settings.json",
    output:
        "results/8_report/{study}/index.html",
    log:
        "logs/8_report/{study}.log",
    localrule: True
    conda:
        "../../envs/docmt.yaml"
    shell:
        "exec docmt report --settings {input.settings:q} --results results --output {output:q} > {log:q} 2>&1"


# The same page at another place, from which the links lead to the same items.
rule demo_report:
    input:
        page="results/8_report/demo/index.html",
        settings="results/8_report/demo/settings.json",
    output:
        "results/report.html",
    log:
        "logs/8_report/demo_copy.log",
    localrule: True
    conda:
        "../../envs/docmt.yaml"
    shell:
        "exec docmt report --settings {input.settings:q} --results results --output {output:q} > {log:q} 2>&1"
