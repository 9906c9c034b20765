"""Memory of other systems, read into what this one keeps: facts about users, and conversations.

Law: nothing is sent before all of a file is read. What cannot be read names its line and its field. Ids come of the ids
that things had there, so that bringing a file twice adds nothing.
"""
