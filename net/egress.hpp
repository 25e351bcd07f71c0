// SPDX-License-Identifier: MIT
#pragma once

#include <boost/asio/ip/address.hpp>

namespace tidemark::net {

/// Where a connection may go. Checked on the resolved address, at connect time.
enum class egress {
  anything,    ///< the operator's own endpoint: no check
  private_ok,  ///< public, loopback, RFC 1918 and ULA
  public_only, ///< global unicast alone
};

/// Link-local, metadata services, CGNAT, multicast, unspecified, reserved and documentation ranges
/// are refused in both checked modes (IANA special-purpose registries). An address that carries an
/// IPv4 one (mapped, NAT64, 6to4) is judged by what it carries.
bool may_connect(const boost::asio::ip::address& address, egress mode);

} // namespace tidemark::net
