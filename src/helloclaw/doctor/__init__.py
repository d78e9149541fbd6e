"""What may be wrong with this installation, checked one by one, each problem with its fix."""
