"""Tables, figures and passages of a study: what each kind states."""
