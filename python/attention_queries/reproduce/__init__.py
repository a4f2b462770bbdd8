"""`attnq reproduce`: check every proof, run every algorithm exactly, and print one table of both."""
