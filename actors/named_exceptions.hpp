// SPDX-License-Identifier: MIT
#pragma once

#include <caf/error.hpp>
#include <caf/scheduled_actor.hpp>
#include <caf/sec.hpp>

#include <exception>
#include <string>

namespace tidemark::actors {

/// An exception that leaves a handler ends its actor with the exception's words, so that the
/// supervisor can log why; CAF's own way is a line of plain text on stdout.
inline void name_exceptions(caf::scheduled_actor* self) {
  self->set_exception_handler([](std::exception_ptr& e) -> caf::error {
    try {
      std::rethrow_exception(e);
    } catch (const std::exception& what) {
      return caf::make_error(caf::sec::runtime_error, std::string(what.what()));
    } catch (...) {
      return caf::make_error(caf::sec::runtime_error, std::string("an exception without words"));
    }
  });
}

} // namespace tidemark::actors
