# docmt: from raw text to the papers' tables; the rules are in workflow/.
#
#   snakemake                              the demo study on the embedded corpus
#   snakemake --profile slurm all          every study of config.yaml, on a cluster
#   docmt list-targets                     list all other targets


include: "workflow/Snakefile"


# Snakemake takes no default target from a file that is included.
rule default:
    input:
        lambda wildcards: or_refuse(DRIVER.links, DRIVER.default),
    localrule: True
