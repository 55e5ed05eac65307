#include "zstd_codec.h"

#include <zstd.h>

#include <algorithm>
#include <memory>
#include <vector>

namespace medallion::launchpad {
namespace {

constexpr int kWindowLogMax = 23;

}  // namespace

bool DecodeZstd(NextPiece next, TakePiece take) {
  const std::unique_ptr<ZSTD_DCtx, size_t (*)(ZSTD_DCtx*)> context(ZSTD_createDCtx(), ZSTD_freeDCtx);
  if (context == nullptr) return false;
  ZSTD_DCtx_setParameter(context.get(), ZSTD_d_windowLogMax, kWindowLogMax);
  std::vector<char> piece(ZSTD_DStreamOutSize());
  size_t left = 1;  // of the frame; 0 where a frame has just ended
  for (std::string_view bytes = next(); !bytes.empty(); bytes = next()) {
    ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
    bool more = true;  // the decoder may hold output that did not fit
    while (in.pos < in.size || more) {
      ZSTD_outBuffer out{piece.data(), piece.size(), 0};
      left = ZSTD_decompressStream(context.get(), &out, &in);
      if (ZSTD_isError(left) != 0) return false;
      if (out.pos > 0 && !take({piece.data(), out.pos})) return true;
      more = out.pos == out.size && left != 0;
    }
  }
  return left == 0;
}

// With a checksum, so that a flipped bit is found.
std::string CompressZstd(std::string_view content, int level) {
  const std::unique_ptr<ZSTD_CCtx, size_t (*)(ZSTD_CCtx*)> context(ZSTD_createCCtx(), ZSTD_freeCCtx);
  std::string compressed(ZSTD_compressBound(content.size()), '\0');
  if (context == nullptr) return {};
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, level);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1);
  const size_t size =
      ZSTD_compress2(context.get(), compressed.data(), compressed.size(), content.data(), content.size());
  compressed.resize(ZSTD_isError(size) != 0 ? 0 : size);  // a bound that is kept leaves nothing to fail
  return compressed;
}

}  // namespace medallion::launchpad
