"""Login by a provider of OpenID Connect: authorization code with PKCE."""
