"""A trained model with its text: it is opened from its folder, and translates documents."""
