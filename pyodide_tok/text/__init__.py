"""What a text is made of: Unicode tables, code points, escapes, beginnings."""
