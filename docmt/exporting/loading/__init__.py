"""The file by which the library transformers loads an exported model; `docmt.exporting.hub_folder` copies it."""
