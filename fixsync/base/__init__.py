"""Values, numbers, fields and names; strict JSON; files that are written whole or not at all.

Every other room may use it. It uses `_native` alone."""
