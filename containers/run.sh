#!/bin/sh
# Run a command in the present folder, which is mounted; `snakemake` uses the image's workflow if the folder has none.
set -eu
if [ "${1-}" = snakemake ] && [ ! -e Snakefile ] && [ ! -e workflow/Snakefile ]; then
    shift
    set -- snakemake --snakefile /opt/docmt/Snakefile "$@"
fi
exec "$@"
