"""Strategies whose agents tell their neighbours something before any message is sent."""
