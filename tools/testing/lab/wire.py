# SPDX-License-Identifier: GPL-2.0
"""What of a link's rate is payload."""

# Payload of a full packet over its length on the wire: MSS with timestamps,
# and MTU with the Ethernet header, which netem counts.
PAYLOAD_SHARE = 1448 / 1514


def payload_mb_per_s(rate_mbit: float) -> float:
    """What a link of a rate carries."""
    return rate_mbit / 8 * PAYLOAD_SHARE
