"""The programs whose steps are timed and predicted, in pairs: before an edit and after it."""
