"""What the page of ``linnet look`` shows, as plain data, and the application that serves it."""
