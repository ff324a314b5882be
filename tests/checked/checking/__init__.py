"""What run.py and right.py are made of."""
