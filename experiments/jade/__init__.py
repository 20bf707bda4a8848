"""What drew data of Jade by lot."""
