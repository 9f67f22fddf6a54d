# Stage 3: views: documents cut into sentences, windows, instances or sub-documents.


use rule corpus as views with:
    input:
        needs("views"),
    output:
        update(paths.VIEW / "manifest.json"),
