"""How each kind of table, figure and passage is shown: a module of the name that it has in `docmt/kinds`."""
