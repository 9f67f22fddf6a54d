# Stage 8: pages, and the sheets of tables of judgements.


use rule checkpoint as page with:
    input:
        needs("page"),
    output:
        update(paths.PAGE / "manifest.json"),
    localrule: True


use rule checkpoint as sheet with:
    input:
        needs("sheet"),
    output:
        update(paths.SHEET / "manifest.json"),
    localrule: True


use rule checkpoint as front with:
    input:
        needs("front"),
    output:
        update(paths.FRONT / "manifest.json"),
    localrule: True


# The paths at which people open pages are links, or copies where links are impossible. The identity of the page is a
# parameter, so that a change, and a change back, sets a link again.
rule show:
    input:
        lambda wildcards: or_refuse(DRIVER.made, path_of(wildcards))[0],
    output:
        report(
            f"{paths.RESULTS}/{{link}}",
            caption="../report/page.rst",
            category=lambda wildcards: Path(paths.RESULTS, wildcards.link).parent.name,
            labels={"page": "{link}"},
        ),
    wildcard_constraints:
        link=LINK,
    localrule: True
    params:
        identity=lambda wildcards: or_refuse(DRIVER.made, path_of(wildcards))[0],
        # Alone, since Snakemake compares no parameter that depends on outputs with that of the last run.
        place=lambda wildcards, output: or_refuse(DRIVER.place_of_page, path_of(wildcards), output[0]),
    shell:
        'from="$(dirname {input:q})"; to="$(dirname {output:q})"; shopt -s nullglob;'
        ' for file in "$from/"*.* "$from/documents"; do [ -e "$file" ] || continue; name="$(basename "$file")";'
        ' case "$name" in manifest.json|record.json|job.json|log.*) continue;; esac;'
        ' rm -rf "$to/$name"; ln -srfn "$file" "$to/$name" 2> /dev/null || cp -r "$file" "$to/$name"; done'
