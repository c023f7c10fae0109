"""The gate: releases that must not pass and releases that must, by kind of data, each a sentence."""
