"""Events, errors and conversations put into the person's words, the same for every front end. Pure."""
