"""Where an element lives: layouts, views, broadcasting, indexing."""
