"""Loss between records of numbers and categories (iloss): candidates, nearest rows, swaps."""
