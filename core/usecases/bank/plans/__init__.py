"""The insight document's future: the Planner asked, and what core keeps true of its answer."""
