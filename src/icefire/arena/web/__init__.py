"""The web server of a competition: pages that work without JavaScript, an API, and live boards."""
