"""Results for pipelines: JUnit, SARIF and Markdown, all made of one list of checks."""
