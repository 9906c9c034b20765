"""What a query finds of a bank beside its hits: passages, candidates of a prompt, a reranker asked."""
