"""Programs that docmt starts in other environments; they import nothing of docmt."""
