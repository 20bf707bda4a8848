"""What to press in any state of Jade: the story, the ways, the menus, the battles."""
