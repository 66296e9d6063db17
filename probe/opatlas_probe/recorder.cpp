// Records the operators that the dispatcher calls, as a tree: one event per call on the device.
//
// Below an operator that a kernel of its own serves nothing is recorded: what a kernel does inside is
// no call that a device must serve. Calls that have nothing to do with the device are left out too.

#include <algorithm>
#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <ATen/core/ivalue.h>
#include <ATen/record_function.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "bare_device.h"

namespace {

struct Event {
  int64_t name;
  int64_t parent;    // place of the caller, -1 for none
  int64_t sequence;  // number of the backward node that the call makes or is; -1 for none
  int64_t kind;      // 0 operator, 1 backward node
  int64_t state;     // 0 running, 1 returned, 2 raised
};

struct Frame {
  int64_t event;  // -1: nothing was recorded
  bool opens_shadow;
};

struct Context final : at::ObserverContext {
  explicit Context(Frame frame_, int raising_) : frame(frame_), raising(raising_) {}
  Frame frame;
  int raising;
};

std::mutex lock;
std::vector<Event> events;
std::vector<std::string> names;
std::unordered_map<std::string, int64_t> numbers;
std::unordered_set<std::string> leaves;
c10::DeviceType device = c10::DeviceType::PrivateUse1;
at::CallbackHandle handle = 0;
std::atomic<bool> is_recording{false};

thread_local std::vector<int64_t> callers;
thread_local int shadow = 0;

bool is_on_device(const c10::IValue& value) {
  if (value.isTensor()) {
    const auto& tensor = value.toTensor();
    return tensor.defined() && tensor.device().type() == device;
  }
  if (value.isDevice()) {
    return value.toDevice().type() == device;
  }
  if (value.isList()) {
    for (const auto& each : value.toListRef()) {
      if (is_on_device(each)) {
        return true;
      }
      if (!each.isTensor() && !each.isNone()) {
        return false;
      }
    }
  }
  return false;
}

int64_t number_of(const std::string& name) {
  auto known = numbers.find(name);
  if (known != numbers.end()) {
    return known->second;
  }
  names.push_back(name);
  return numbers[name] = static_cast<int64_t>(names.size()) - 1;
}

std::string name_of(const at::RecordFunction& function) {
  auto op = function.operator_name();
  if (!op.has_value()) {
    return "";
  }
  return op->overload_name.empty() ? op->name : op->name + "." + op->overload_name;
}

std::unique_ptr<at::ObserverContext> enter(const at::RecordFunction& function) {
  const auto raising = std::uncaught_exceptions();
  const bool is_node = function.scope() == at::RecordScope::BACKWARD_FUNCTION;
  const auto name = is_node ? std::string(function.name()) : name_of(function);
  if (!is_recording || shadow > 0 || name.empty()) {
    return std::make_unique<Context>(Frame{-1, false}, raising);
  }
  const auto inputs = function.inputs();
  if (!is_node && device != c10::DeviceType::CPU && !std::any_of(inputs.begin(), inputs.end(), is_on_device)) {
    ++shadow;
    return std::make_unique<Context>(Frame{-1, true}, raising);
  }
  std::lock_guard<std::mutex> held(lock);
  const auto place = static_cast<int64_t>(events.size());
  events.push_back({number_of(name), callers.empty() ? -1 : callers.back(), function.seqNr(), is_node, 0});
  callers.push_back(place);
  const bool is_leaf = !is_node && leaves.count(name) > 0;
  shadow += is_leaf;
  return std::make_unique<Context>(Frame{place, is_leaf}, raising);
}

void leave(const at::RecordFunction&, at::ObserverContext* given) {
  auto* context = static_cast<Context*>(given);
  if (context == nullptr) {
    return;
  }
  shadow -= context->frame.opens_shadow;
  if (context->frame.event < 0) {
    return;
  }
  callers.pop_back();
  std::lock_guard<std::mutex> held(lock);
  if (static_cast<size_t>(context->frame.event) < events.size()) {
    events[context->frame.event].state = std::uncaught_exceptions() > context->raising ? 2 : 1;
  }
}

void start(const std::vector<std::string>& served, const std::string& of) {
  std::lock_guard<std::mutex> held(lock);
  leaves = {served.begin(), served.end()};
  device = of == "meta" ? c10::DeviceType::Meta : of == "cuda" ? c10::DeviceType::CUDA
      : of == "mps" ? c10::DeviceType::MPS : of == "cpu" ? c10::DeviceType::CPU : c10::DeviceType::PrivateUse1;
  events.clear();
  is_recording = true;
  if (handle == 0) {
    handle = at::addGlobalCallback(at::RecordFunctionCallback(&enter, &leave)
                                       .needsInputs(true)
                                       .scopes({at::RecordScope::FUNCTION, at::RecordScope::BACKWARD_FUNCTION}));
  }
}

pybind11::tuple take() {
  std::lock_guard<std::mutex> held(lock);
  pybind11::list rows;
  for (const auto& event : events) {
    rows.append(pybind11::make_tuple(event.name, event.parent, event.sequence, event.kind, event.state));
  }
  events.clear();
  return pybind11::make_tuple(names, rows);
}

void resume() {
  is_recording = true;
}

void stop() {
  is_recording = false;
}

}  // namespace

PYBIND11_MODULE(TORCH_EXTENSION_NAME, module) {
  module.def("serve", &serve);
  module.def("start", &start);
  module.def("take", &take);
  module.def("resume", &resume);
  module.def("stop", &stop);
}
