"""The five agents' roles and their implementations. They give typed opinions; core decides."""
