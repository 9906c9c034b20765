"""What language models are told, one Markdown file per task. Read by `core.agents.llm.prompts` alone."""
