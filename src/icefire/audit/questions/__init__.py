"""The questions of an audit: whose row, member or not, which hidden value, which pseudonyms."""
