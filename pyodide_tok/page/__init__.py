"""What the page's worker calls."""
