#include <array>

#include "medallion/ocpp/refine.h"

int main() {
  const std::array<medallion::BronzeRecord, 1> feed = {{{.payload = "{}"}}};
  return medallion::ocpp::Refine(feed, {}).elements.size() == 1 ? 0 : 1;
}
