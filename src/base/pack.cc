#include "medallion/base/pack.h"

#include <cassert>

namespace medallion {

Vocabulary::Vocabulary(std::initializer_list<std::string_view> words) : words_(words) {
  assert(words_.size() <= 255);
  for (size_t i = 0; i < words_.size(); ++i) {
    size_t at = Place(words_[i]);
    while (places_[at % places_.size()] != 0) ++at;
    places_[at % places_.size()] = static_cast<uint8_t>(i + 1);
  }
}

}  // namespace medallion
