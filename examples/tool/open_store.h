// The store that --store names. One thread at a time.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <type_traits>
#include <utility>

#include "absl/status/statusor.h"
#include "medallion/io/gold_keeper.h"
#include "medallion/io/store.h"
#include "medallion/io/tables.h"
#include "medallion/launchpad/run.h"
#include "medallion/ledger/run.h"
#include "medallion/ocpp/run.h"
#ifdef MEDALLION_WITH_SQLITE
#include "medallion/launchpad/run_sqlite.h"
#include "medallion/ledger/run_sqlite.h"
#include "medallion/ocpp/run_sqlite.h"
#endif

namespace medallion::tool {

template <class Pack>
struct OpenedStore {
  std::unique_ptr<Store<Pack>> store = {};
  Tables* tables = nullptr;            // of the same store
  GoldKeeper<Pack>* keeper = nullptr;  // of the same store, where it lasts
};

template <class Pack, class StoreType>
OpenedStore<Pack> Opened(std::unique_ptr<StoreType> store) {
  OpenedStore<Pack> opened{.tables = store.get()};
  if constexpr (std::is_base_of_v<GoldKeeper<Pack>, StoreType>) opened.keeper = store.get();
  opened.store = std::move(store);
  return opened;
}

// `sqlite_path` is made where it is missing; empty: in memory.
template <class Pack>
absl::StatusOr<OpenedStore<Pack>> OpenStore(const std::string& sqlite_path, bool read_only = false) {
  if (sqlite_path.empty()) return Opened<Pack>(std::make_unique<MemoryStore<Pack>>());
#ifdef MEDALLION_WITH_SQLITE
  auto store = SqliteStore<Pack>::Open(sqlite_path, {.read_only = read_only});
  if (!store.ok()) return store.status();
  return Opened<Pack>(*std::move(store));
#else
  return absl::InvalidArgumentError("--store sqlite:" + sqlite_path + ": this tool was built without SQLite");
#endif
}

// NotFound where there is no such store, or an empty file: what works on one must not make it.
template <class Pack>
absl::StatusOr<OpenedStore<Pack>> OpenExisting(const std::string& sqlite_path) {
  std::error_code error;
  const auto at = std::filesystem::status(sqlite_path, error);
  if (error == std::errc::permission_denied) {
    return absl::PermissionDeniedError("cannot look for the store " + sqlite_path + ": " + error.message() +
                                       ": a folder on the way to it may not be entered");
  }
  const bool empty = std::filesystem::is_regular_file(sqlite_path, error) &&
                     std::filesystem::file_size(sqlite_path, error) == 0;
  if (empty || !std::filesystem::exists(at)) {
    return absl::NotFoundError("there is no store " + sqlite_path + ": `medallion " +
                               std::string(Pack::kName) + " run --input FILE --store sqlite:" + sqlite_path +
                               "` makes it");
  }
  return OpenStore<Pack>(sqlite_path);
}

// The same for a command that writes nothing: it does with a store that may only be read.
template <class Pack>
absl::StatusOr<OpenedStore<Pack>> OpenToRead(const std::string& sqlite_path) {
  auto opened = OpenExisting<Pack>(sqlite_path);
  if (!absl::IsPermissionDenied(opened.status())) return opened;
  auto read_only = OpenStore<Pack>(sqlite_path, true);
  return read_only.ok() ? std::move(read_only) : std::move(opened);
}

}  // namespace medallion::tool
