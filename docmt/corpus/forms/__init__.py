"""The forms of corpus files, one a file, which `reader.kind` names by the file's name; nothing lists them.

A form's file has

- a dataclass of its settings, a subclass of `docmt.catalogue.forms: ReaderConfig` (`FileReaderConfig` where it reads
  files, `SplitsReaderConfig` where it has `splits`; `docmt.corpus.contrastive_items: ContrastiveReaderConfig` for
  contrastive sets), whose `kind` is a `Literal` of the form's name and whose `PATHS` are the fields that hold paths;
- `documents(config, inputs)`, which gives the documents of the files, one at a time, in order; of contrastive sets
  `items(config, inputs)`; or both. Text is taken as it stands: markup is resolved and outer white space stripped, but
  nothing is normalised, since what the references look like is part of a corpus;
- `write(config, stock)`, which gives the files of a fixture with the documents that `stock` deals out; a form without
  it can be read all the same, but at no scale that says `fixtures`.

Planning reads settings, so nothing that takes long is imported at the top of these files.
"""
