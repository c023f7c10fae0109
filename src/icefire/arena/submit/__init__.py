"""Handing in: releases (ice) and guesses (fire), their checks and their receipts."""
