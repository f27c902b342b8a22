"""Operations element by element, of one tensor or of several that broadcast."""
