"""The download of files from several sources: transfers that resume, and checks of the content."""
