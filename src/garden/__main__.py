"""``python -m garden`` is ``garden``."""

from garden.cli.main import main

main()
