"""Who calls, and whether the call may be made: decided before anything is looked up."""
