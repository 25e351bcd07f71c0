// SPDX-License-Identifier: MIT
#pragma once

#include "evm/result.hpp"

#include <catch2/catch.hpp>

/// A failed CHECK(result) prints the error's text. Without this Catch tries to print the value,
/// which most have no way to.
template <class T> struct Catch::StringMaker<boost::system::result<T, tidemark::evm::error>> {
  static std::string convert(const boost::system::result<T, tidemark::evm::error>& r) {
    return r ? "a value" : "error at " + std::to_string(r.error().at) + ": " + r.error().text;
  }
};
