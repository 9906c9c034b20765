"""Taking records back: what rests on them, and covering what they mention."""
