"""Releases without correspondence, such as synthetic tables: no row comes from one person, so origin is not asked.

What is asked: are people copied (`copies`), and can the people of the original be told from others (`question`)? The
others come from a hold-out (`tables`, `controls`) or, where a recipe is known, from a part of the original that a
release is made anew without (`resynthesis`). `obstacles` says what stands in the way; `run` is the driver.
"""
