#include "medallion/ledger/assets.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>

#include "medallion/base/text.h"

namespace medallion::ledger {
namespace {

// The codes of each exponent, sorted; all have three letters.
constexpr std::string_view kNone = "BIFCLPDJFGNFISKJPYKMFKRWPYGRWFUGXUYIVNDVUVXAFXOFXPF";
constexpr std::string_view kTwo =
    "AEDAFNALLAMDANGAOAARSAUDAWGAZNBAMBBDBDTBGNBMDBNDBOBBOVBRLBSDBTNBWPBYNBZDCADCDFCHECHFCHWCNYCOPCOUCRCCUCCU"
    "P"
    "CVECZKDKKDOPDZDEGPERNETBEURFJDFKPGBPGELGHSGIPGMDGTQGYDHKDHNLHRKHTGHUFIDRILSINRIRRJMDKESKGSKHRKPWKYDKZTLA"
    "K"
    "LBPLKRLRDLSLMADMDLMGAMKDMMKMNTMOPMRUMURMVRMWKMXNMXVMYRMZNNADNGNNIONOKNPRNZDPABPENPGKPHPPKRPLNQARRONRSDRU"
    "B"
    "SARSBDSCRSDGSEKSGDSHPSLESLLSOSSRDSSPSTNSVCSYPSZLTHBTJSTMTTOPTRYTTDTWDTZSUAHUSDUSNUYUUZSVEDVESWSTXCDXCGYE"
    "R"
    "ZARZMWZWGZWL";
constexpr std::string_view kThree = "BHDIQDJODKWDLYDOMRTND";
constexpr std::string_view kFour = "CLFUYW";

bool Lists(std::string_view codes, std::string_view code) {
  constexpr size_t kSize = 3;
  size_t low = 0, high = codes.size() / kSize;
  while (low < high) {
    const size_t middle = (low + high) / 2;
    const std::string_view at = codes.substr(middle * kSize, kSize);
    if (at == code) return true;
    if (at < code) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return false;
}

std::optional<int> IsoExponent(std::string_view code) {
  if (code.size() != 3) return std::nullopt;
  if (Lists(kTwo, code)) return 2;
  if (Lists(kNone, code)) return 0;
  if (Lists(kThree, code)) return 3;
  if (Lists(kFour, code)) return 4;
  return std::nullopt;
}

bool IsSymbol(std::string_view symbol) {
  constexpr size_t kSymbolMax = 16;
  const auto allowed = [](char c) {
    const char lower = AsciiLower(c);
    return (lower >= 'a' && lower <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '_';
  };
  return !symbol.empty() && symbol.size() <= kSymbolMax && std::all_of(symbol.begin(), symbol.end(), allowed);
}

// What stands behind the slash; nothing where the asset is no SYMBOL/scale.
std::optional<int> OwnScale(std::string_view asset) {
  constexpr int kScaleMax = 36;
  const size_t slash = asset.find('/');
  if (slash == std::string_view::npos || !IsSymbol(asset.substr(0, slash))) return std::nullopt;
  const std::string_view text = asset.substr(slash + 1);
  if (!IsDigits(text) || text.size() > 2 || (text.size() == 2 && text[0] == '0')) return std::nullopt;
  int scale = 0;
  std::from_chars(text.data(), text.data() + text.size(), scale);
  if (scale > kScaleMax) return std::nullopt;
  return scale;
}

}  // namespace

std::optional<int> AssetExponent(std::string_view asset) {
  const std::optional<int> scale = OwnScale(asset);
  if (!scale) return IsoExponent(asset);
  if (IsoExponent(asset.substr(0, asset.find('/')))) return std::nullopt;
  return scale;
}

bool ContradictsIso(std::string_view asset) {
  const std::optional<int> scale = OwnScale(asset), iso = IsoExponent(asset.substr(0, asset.find('/')));
  return scale && iso && scale != iso;
}

}  // namespace medallion::ledger
