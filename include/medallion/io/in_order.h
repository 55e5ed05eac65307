// Work done on several threads, its results taken in the order in which the work was added.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace medallion {

// One thread adds work and takes results; it works too while it waits. With one thread there are no others, and work is
// done when its result is taken; where the system gives no more threads, those there are do it all. The work must not
// throw.
template <class Result>
class InOrder {
 public:
  explicit InOrder(size_t threads) {
    try {
      for (size_t i = 1; i < threads; ++i) threads_.emplace_back([this] { Help(); });
    } catch (const std::system_error&) {  // no more threads than these
    }
  }
  ~InOrder() {
    {
      const std::lock_guard lock(mutex_);
      waiting_.clear();
      ended_ = true;
    }
    added_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }
  InOrder(const InOrder&) = delete;
  InOrder& operator=(const InOrder&) = delete;

  void Add(std::function<Result()> work) {
    const auto task = std::make_shared<Task>(Task{.work = std::move(work)});
    tasks_.push_back(task);
    {
      const std::lock_guard lock(mutex_);
      waiting_.push_back(task);
    }
    added_.notify_one();
  }

  // Added and not taken yet.
  size_t size() const { return tasks_.size(); }

  // The result of the oldest work; there must be some.
  Result Next() {
    const std::shared_ptr<Task> task = std::move(tasks_.front());
    tasks_.pop_front();
    std::unique_lock lock(mutex_);
    while (!task->result.has_value()) {
      if (!waiting_.empty()) {
        DoOne(lock);
      } else {
        done_.wait(lock);
      }
    }
    return *std::move(task->result);
  }

 private:
  struct Task {
    std::function<Result()> work;
    std::optional<Result> result = {};  // guarded by mutex_
  };

  void Help() {
    std::unique_lock lock(mutex_);
    while (true) {
      added_.wait(lock, [&] { return ended_ || !waiting_.empty(); });
      if (ended_) return;
      DoOne(lock);
    }
  }

  // Does the oldest work that nobody has begun; not under the lock.
  void DoOne(std::unique_lock<std::mutex>& lock) {
    const std::shared_ptr<Task> task = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    Result result = task->work();
    task->work = nullptr;
    lock.lock();
    task->result = std::move(result);
    done_.notify_all();
  }

  std::deque<std::shared_ptr<Task>> tasks_;  // not taken yet; the adding thread's own
  std::mutex mutex_;
  std::condition_variable added_, done_;
  std::deque<std::shared_ptr<Task>> waiting_;  // not begun; guarded by mutex_
  bool ended_ = false;                         // guarded by mutex_
  std::vector<std::thread> threads_;
};

}  // namespace medallion
