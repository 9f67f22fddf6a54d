"""What a user does with several stages at once, as functions: translate, train, import a model of fairseq."""
