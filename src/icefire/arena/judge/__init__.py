"""The judge: workers that take jobs from the queue, and the confined child process that computes."""
