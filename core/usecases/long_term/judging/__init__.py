"""Facts found, judged and kept; reflections made and made anew."""
