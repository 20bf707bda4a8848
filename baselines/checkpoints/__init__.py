"""What a checkpoint holds, and how it is read without running anything of a stranger's."""
