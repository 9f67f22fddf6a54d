"""The download of files from several sources: transfers that resume, checks of the content, questions to sources."""
