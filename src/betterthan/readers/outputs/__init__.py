"""Raw outputs of systems, scored against gold by the tasks."""
