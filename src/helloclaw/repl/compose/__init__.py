"""What a person types: the input line with its history, completion, pastes, mentions and shell lines."""
