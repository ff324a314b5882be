"""What `bench/run.py` measures, one module for each kind of cost."""
