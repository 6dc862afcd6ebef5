"""Data sets, and the sample data that come with the library (`linnet.data.samples`)."""
