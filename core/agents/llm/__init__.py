"""The five roles on a language model, behind the ChatModel port."""
