"""The forms of corpus files: a module for each form, whose name is the value of `reader.kind`.

The module of a form has

- a dataclass of its settings, a subclass of `docmt.catalogue.forms: ReaderConfig` (`FileReaderConfig` where it reads
  files, `SplitsReaderConfig` where it has `splits`; `docmt.corpus.contrastive_items: ContrastiveReaderConfig` for
  contrastive sets), whose `kind` is a `Literal` of the form's name and whose `PATHS` are the fields that hold paths;
- `documents(config, inputs)`, which yields the documents of the files in order, one at a time; for contrastive sets
  `items(config, inputs)`; or both functions. Markup is resolved and outer white space is stripped, but nothing is
  normalised, since the spelling of the references is a part of the corpus;
- `write(config, stock)`, which yields the files of a fixture with the documents that `stock` draws. A form without
  `write` can be read, but not at a scale that uses fixtures.

Planning reads the settings, so these modules do not import slow libraries at their top.
"""
