"""The content of each kind of table, figure and passage, in a module of the same name as in `docmt/kinds`."""
