"""Notebooks: magics, pictures and tables that survive wherever a notebook is shown."""
