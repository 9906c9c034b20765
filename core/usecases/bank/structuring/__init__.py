"""From segments to nodes: merges, conflicts, edges, verdicts, and what a round leaves."""
