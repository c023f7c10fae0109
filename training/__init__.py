"""Training of the models that come with the package. Not part of it."""
