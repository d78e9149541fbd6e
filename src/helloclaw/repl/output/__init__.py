"""What the terminal shows, as text with colours: answers, tools, questions, the HUD. It knows no screen."""
