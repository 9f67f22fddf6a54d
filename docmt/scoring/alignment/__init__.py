"""Word alignment: links between the words of a sentence and the words of its translation."""
