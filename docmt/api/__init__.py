"""What a user does with several stages at once, as functions: translate, score, import a model of fairseq."""
