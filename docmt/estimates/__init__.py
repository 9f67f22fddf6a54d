"""What trainings and translations cost: multiplications, passes over the data, and rates of devices."""
