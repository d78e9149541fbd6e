"""What the model may see of the web: `web_fetch` and `web_search`. Light to import; what is heavy comes when used."""
