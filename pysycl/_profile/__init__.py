"""Profiles: what a block's commands took, as a table, a timeline and a trace."""
