"""Measurements that anybody can repeat: HelloClaw and its peers, in one run, against one scripted model server."""
