"""Tasks: started and taken on, and the prompt of each. Law: above banks and contexts; nothing imports it."""
