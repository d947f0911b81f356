"""Images, their formats, accessors and samplers."""
