"""Human evaluation: blind sheets of two systems' translations, and what annotators preferred."""
