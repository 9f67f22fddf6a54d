# docmt: from raw text to the papers' tables, in eight stages (workflow/rules/, numbered like the folders of results/).
#
#   snakemake                              the demo study on the embedded corpus
#   snakemake --profile slurm all          every study of config.yaml, on a cluster
#   docmt list-targets                     list all other targets


report: "workflow/report/workflow.rst"


include: "workflow/rules/common.smk"
include: "workflow/rules/0_models.smk"
include: "workflow/rules/1_corpus.smk"
include: "workflow/rules/2_tokens.smk"
include: "workflow/rules/3_views.smk"
include: "workflow/rules/4_chains.smk"
include: "workflow/rules/5_training.smk"
include: "workflow/rules/6_translations.smk"
include: "workflow/rules/7_scores.smk"
include: "workflow/rules/8_report.smk"
include: "workflow/rules/growth.smk"
include: "workflow/rules/clusters.smk"
include: "workflow/rules/groups.smk"


group_small_steps()
or_refuse(check_study_names, TARGET_STUDIES, {"all", *(rule.name for rule in workflow.rules)})


# One target per study. The first of them is the default target of snakemake.
for study_name in TARGET_STUDIES:

    rule:
        name:
            study_name
        input:
            study_pages(study_name),
        localrule: True


rule all:
    input:
        study_pages(*GRID.active),
    localrule: True
