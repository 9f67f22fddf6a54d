# Stage 8: report.
#
# needs: every score of a study, the records and curves of its trainings, the cards of its corpora
# makes: results/8_report/<study>/index.html, with tables.json and a CSV a table beside it
# steps: tables with published beside measured | figures | one page that works offline


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
        "docmt report --settings {input.settings:q} --results results --output {output:q} 2>&1 | tee {log:q}"


rule demo_report:
    input:
        "results/8_report/demo/index.html",
    output:
        "results/report.html",
    log:
        "logs/8_report/demo_copy.log",
    localrule: True
    conda:
        "../../envs/docmt.yaml"
    shell:
        "cp {input:q} {output:q} 2> {log:q}"
