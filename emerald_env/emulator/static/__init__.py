"""What makes games faster where mGBA is compiled in: `make fast`."""
