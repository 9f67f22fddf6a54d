"""The comparison of docmt with other toolkits: `python benchmarks/peers.py`; the page is `README.md` beside it."""
