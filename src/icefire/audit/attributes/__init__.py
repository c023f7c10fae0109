"""The question of hidden values: what does the release tell about the sensitive columns of known people?"""
