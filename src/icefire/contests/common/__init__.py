"""What contests share: the type `Contest` and checks of their files."""
