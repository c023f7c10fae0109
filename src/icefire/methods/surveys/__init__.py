"""Methods for a survey of people that move whole records, or leave some out, within a limit of loss (iloss)."""
