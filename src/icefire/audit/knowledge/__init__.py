"""What the attackers of an audit know: views, registers, recipes, people outside."""
