// SPDX-License-Identifier: MIT
#include "net/egress.hpp"

#include <catch2/catch.hpp>

using tidemark::net::egress;
using tidemark::net::may_connect;

TEST_CASE("which addresses a connection may go to", "[egress]") {
  enum class verdict { open, private_only, never };
  struct row {
    const char* address;
    verdict is;
  };
  const row rows[] = {
      {"1.1.1.1", verdict::open},
      {"93.184.216.34", verdict::open},
      {"9.255.255.255", verdict::open},
      {"11.0.0.0", verdict::open},
      {"172.15.255.255", verdict::open},
      {"172.32.0.0", verdict::open},
      {"192.167.255.255", verdict::open},
      {"192.169.0.0", verdict::open},
      {"100.63.255.255", verdict::open},
      {"100.128.0.0", verdict::open},
      {"126.255.255.255", verdict::open},
      {"128.0.0.0", verdict::open},
      {"198.17.255.255", verdict::open},
      {"198.20.0.0", verdict::open},
      {"223.255.255.255", verdict::open},
      {"168.63.129.17", verdict::open},
      {"10.0.0.0", verdict::private_only},
      {"10.255.255.255", verdict::private_only},
      {"127.0.0.1", verdict::private_only},
      {"127.255.255.255", verdict::private_only},
      {"172.16.0.0", verdict::private_only},
      {"172.31.255.255", verdict::private_only},
      {"192.168.0.0", verdict::private_only},
      {"192.168.255.255", verdict::private_only},
      {"0.0.0.0", verdict::never},
      {"0.1.2.3", verdict::never},
      {"100.64.0.0", verdict::never},
      {"100.100.100.200", verdict::never},
      {"100.127.255.255", verdict::never},
      {"168.63.129.16", verdict::never},
      {"169.254.0.1", verdict::never},
      {"169.254.169.254", verdict::never},
      {"192.0.0.192", verdict::never},
      {"192.0.2.1", verdict::never},
      {"192.88.99.1", verdict::never},
      {"198.18.0.1", verdict::never},
      {"198.19.255.255", verdict::never},
      {"198.51.100.1", verdict::never},
      {"203.0.113.1", verdict::never},
      {"224.0.0.1", verdict::never},
      {"239.255.255.255", verdict::never},
      {"240.0.0.1", verdict::never},
      {"255.255.255.255", verdict::never},
      {"2606:4700:4700::1111", verdict::open},
      {"2a00:1450:4001::1", verdict::open},
      {"2001:200::1", verdict::open},
      {"::1", verdict::private_only},
      {"fc00::1", verdict::private_only},
      {"fdff:ffff::1", verdict::private_only},
      {"fd00:ec2::253", verdict::private_only},
      {"fd00:ec2::254", verdict::never},
      {"fd20:ce::254", verdict::never},
      {"::", verdict::never},
      {"::2", verdict::never},
      {"::7f00:1", verdict::never},
      {"fe80::1", verdict::never},
      {"febf::1", verdict::never},
      {"fec0::1", verdict::never},
      {"ff02::1", verdict::never},
      {"100::1", verdict::never},
      {"2001::1", verdict::never},
      {"2001:1ff::1", verdict::never},
      {"2001:db8::1", verdict::never},
      {"3fff:fff::1", verdict::never},
      {"4000::1", verdict::never},
      {"5f00::1", verdict::never},
      {"64:ff9b:1::1", verdict::never},
      {"::ffff:1.1.1.1", verdict::open},
      {"::ffff:10.0.0.1", verdict::private_only},
      {"::ffff:127.0.0.1", verdict::private_only},
      {"::ffff:169.254.169.254", verdict::never},
      {"64:ff9b::1.1.1.1", verdict::open},
      {"64:ff9b::10.0.0.1", verdict::never},
      {"64:ff9b::127.0.0.1", verdict::never},
      {"64:ff9b::169.254.169.254", verdict::never},
      {"2002:0101:0101::1", verdict::open},
      {"2002:7f00:0001::1", verdict::never},
      {"2002:c0a8:0101::1", verdict::never},
      {"2002:a9fe:a9fe::1", verdict::never},
  };
  for (const auto& r : rows) {
    INFO(r.address);
    const auto address = boost::asio::ip::make_address(r.address);
    CHECK(may_connect(address, egress::anything));
    CHECK(may_connect(address, egress::private_ok) == (r.is != verdict::never));
    CHECK(may_connect(address, egress::public_only) == (r.is == verdict::open));
  }
}
