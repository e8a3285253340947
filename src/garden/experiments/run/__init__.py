"""Running experiments: jobs, executors, stored results and the policies they share."""
