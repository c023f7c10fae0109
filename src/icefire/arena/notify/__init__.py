"""Messages to people and servers outside, when phases change: by mail, and to the organisers' own server (webhook).

They are rows of the database, written from the lines of the log, and sent by a thread of the server: no page waits for
them.
"""
