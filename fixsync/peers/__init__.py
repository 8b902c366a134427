"""Plays any game between processes, over UDP and a bad network, and compares their logs.

`run` plays the match, `peer` is one process of it, `relay` the network, `plan` its settings, and
`faults` are mistakes that can be planted in a peer."""
