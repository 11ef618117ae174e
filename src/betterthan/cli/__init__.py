"""The command line: read, call a public function, render. Nothing is computed here."""
