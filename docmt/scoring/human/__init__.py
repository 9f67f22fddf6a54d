"""Human evaluation: blind sheets of two systems' translations, and the preferences of annotators."""
