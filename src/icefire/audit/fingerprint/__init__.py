"""Recognise the methods that made a release, from the original and the released table.

- `methods`: the methods that are recognised.
- `pairs`: columns of both tables side by side.
- `matching`: which original row each released row is compared with: learned, or the truth.
- `column_signs`, `changed_cells`, `class_signs`, `row_signs`: figures that methods leave traces in.
- `signs`: all figures of a release, and what each says in words.
- `trees`: the trained model, in `model.json.gz`.
- `recognise`: probabilities and evidence.
- `verb`: the verb `fingerprint`.
"""
