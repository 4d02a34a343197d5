"""The encoders: one plain-text fragment to ids. A module each; none imports another encoder."""
