// A bare device: PrivateUse1 on the memory of the host, with a few kernels of its own. Every other
// kernel is the boxed CPU fallback, and only where the caller asks for it.
//
// Composite operators run on it as on any device without kernels of its own.

#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <ATen/ATen.h>
#include <ATen/EmptyTensor.h>
#include <ATen/native/CPUFallback.h>
#include <ATen/ops/_reshape_alias_native.h>
#include <ATen/ops/as_strided_native.h>
#include <ATen/ops/unfold_native.h>
#include <ATen/ops/view_as_complex_native.h>
#include <ATen/ops/view_as_real_native.h>
#include <ATen/ops/view_native.h>
#include <c10/core/Allocator.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <torch/library.h>
#include <torch/version.h>

#if __has_include(<ATen/detail/PrivateUse1HooksInterface.h>)
#define OPATLAS_HAS_HOOKS 1
#include <ATen/CPUGeneratorImpl.h>
#include <ATen/detail/PrivateUse1HooksInterface.h>
#endif

#include "bare_device.h"

#define OPATLAS_TORCH (TORCH_VERSION_MAJOR * 100 + TORCH_VERSION_MINOR)

#if OPATLAS_TORCH >= 203
template <class T>
using Maybe = std::optional<T>;
#else
template <class T>
using Maybe = c10::optional<T>;
#endif

namespace {

constexpr auto kDevice = c10::DeviceType::PrivateUse1;
const c10::DispatchKeySet kKeys(c10::DispatchKey::PrivateUse1);

void release(void* memory) {
  std::free(memory);
}

struct HostAllocator final : c10::Allocator {
#if OPATLAS_TORCH >= 203
  c10::DataPtr allocate(size_t bytes) override {
    return make(bytes);
  }
  void copy_data(void* to, const void* from, std::size_t bytes) const override {
    std::memcpy(to, from, bytes);
  }
#else
  c10::DataPtr allocate(size_t bytes) const override {
    return make(bytes);
  }
#endif
  c10::DeleterFnPtr raw_deleter() const override {
    return &release;
  }

  static c10::DataPtr make(size_t bytes) {
    // Zeros, so that what a device leaves unset does not differ from run to run.
    void* memory = bytes ? std::calloc(1, bytes) : nullptr;
    TORCH_CHECK(memory || !bytes, "the bare device is out of memory: ", bytes, " bytes");
    return {memory, memory, &release, c10::Device(kDevice, 0)};
  }
};

HostAllocator allocator;

// One device and one stream.
struct Guard final : c10::impl::DeviceGuardImplInterface {
  c10::DeviceType type() const override {
    return kDevice;
  }
  c10::Device exchangeDevice(c10::Device) const override {
    return c10::Device(kDevice, 0);
  }
  c10::Device getDevice() const override {
    return c10::Device(kDevice, 0);
  }
  void setDevice(c10::Device) const override {}
  void uncheckedSetDevice(c10::Device) const noexcept override {}
  c10::Stream getStream(c10::Device) const noexcept override {
    return c10::Stream(c10::Stream::DEFAULT, c10::Device(kDevice, 0));
  }
  c10::Stream exchangeStream(c10::Stream) const noexcept override {
    return c10::Stream(c10::Stream::DEFAULT, c10::Device(kDevice, 0));
  }
  c10::DeviceIndex deviceCount() const noexcept override {
    return 1;
  }
  void record(void**, const c10::Stream&, const c10::DeviceIndex, const c10::EventFlag) const override {}
  void block(void*, const c10::Stream&) const override {}
  bool queryEvent(void*) const override {
    return true;
  }
  void destroyEvent(void*, const c10::DeviceIndex) const noexcept override {}
};

C10_REGISTER_GUARD_IMPL(PrivateUse1, Guard);

at::Tensor empty_memory_format(at::IntArrayRef size, Maybe<at::ScalarType> type, Maybe<at::Layout>,
                               Maybe<at::Device>, Maybe<bool>, Maybe<at::MemoryFormat> format) {
  return at::Tensor(at::detail::empty_generic(size, &allocator, kKeys,
                                              c10::dtype_or_default(type), format));
}

at::Tensor empty_strided(at::IntArrayRef size, at::IntArrayRef stride, Maybe<at::ScalarType> type,
                         Maybe<at::Layout>, Maybe<at::Device>, Maybe<bool>) {
  return at::Tensor(at::detail::empty_strided_generic(size, stride, &allocator, kKeys,
                                                      c10::dtype_or_default(type)));
}

at::Tensor as_strided(const at::Tensor& self, at::IntArrayRef size, at::IntArrayRef stride,
                      Maybe<int64_t> offset) {
  return at::native::as_strided_tensorimpl(self, size, stride, offset);
}

// The memory of a tensor as one of the CPU. Only `_copy_from` may look at it.
at::Tensor memory_of(const at::Tensor& tensor) {
  auto* impl = tensor.unsafeGetTensorImpl();
  auto* start = static_cast<char*>(const_cast<void*>(static_cast<const void*>(impl->storage().data())));
  void* first = start ? start + impl->storage_offset() * tensor.element_size() : nullptr;
  if (!first || tensor.numel() == 0) {
    return at::empty(tensor.sizes(), tensor.options().device(c10::kCPU));
  }
  return at::from_blob(first, tensor.sizes(), tensor.strides(),
                       at::TensorOptions().dtype(tensor.scalar_type()).device(c10::kCPU));
}

at::Tensor on_host(const at::Tensor& tensor) {
  if (tensor.device().is_cpu()) {
    return tensor;
  }
  auto host = memory_of(tensor);
  if (tensor.is_conj()) {
    host = host.conj();
  }
  return tensor.is_neg() ? at::_neg_view(host) : host;
}

at::Tensor copy_from(const at::Tensor& self, const at::Tensor& dst, bool) {
  at::AutoDispatchBelowADInplaceOrView below;
  on_host(dst).copy_(on_host(self));
  return dst;
}

void grow(c10::StorageImpl* storage, size_t bytes) {
  if (storage->nbytes() >= bytes) {
    return;
  }
  auto larger = HostAllocator::make(bytes);
  if (storage->nbytes()) {
    std::memcpy(larger.get(), storage->data_ptr().get(), storage->nbytes());
  }
  storage->set_data_ptr_noswap(std::move(larger));
  storage->set_nbytes(bytes);
}

const at::Tensor& resize_(const at::Tensor& self, at::IntArrayRef size, Maybe<at::MemoryFormat> format) {
  auto* impl = self.unsafeGetTensorImpl();
  if (impl->sizes() != size) {
    grow(impl->unsafe_storage().unsafeGetStorageImpl(),
         at::detail::computeStorageNbytesContiguous(size, self.element_size(), self.storage_offset()));
    impl->set_sizes_contiguous(size);
  }
  if (format.has_value()) {
    impl->empty_tensor_restride(*format);
  }
  return self;
}

at::Tensor copy_from_and_resize(const at::Tensor& self, const at::Tensor& dst) {
  resize_(dst, self.sizes(), Maybe<at::MemoryFormat>());
  return copy_from(self, dst, false);
}

void fallback(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
  at::native::cpu_fallback(op, stack);
}

// The convolution of a device without one. Its default kernel only raises.
void convolution(const c10::OperatorHandle&, torch::jit::Stack* stack) {
  auto op = c10::Dispatcher::singleton().findSchemaOrThrow("aten::convolution", "");
  at::native::cpu_fallback(op, stack);
}

void convolution_backward(const c10::OperatorHandle&, torch::jit::Stack* stack) {
  auto op = c10::Dispatcher::singleton().findSchemaOrThrow("aten::convolution_backward", "");
  // The size of the bias stands behind the three tensors, and has no default.
  const auto& weight = (*stack)[stack->size() - 8].toTensor();
  const auto is_transposed = (*stack)[stack->size() - 4].toBool();
  const auto groups = (*stack)[stack->size() - 2].toInt();
  std::vector<int64_t> bias{is_transposed ? weight.size(1) * groups : weight.size(0)};
  stack->insert(stack->end() - 7, c10::IValue(bias));
  at::native::cpu_fallback(op, stack);
}

#ifdef OPATLAS_HAS_HOOKS
// What releases ask of a device besides kernels. Their interfaces differ, hence no `override`.
struct Hooks : at::PrivateUse1HooksInterface {
  bool isBuilt() const {
    return true;
  }
  bool isAvailable() const {
    return true;
  }
  bool hasPrimaryContext(c10::DeviceIndex) const {
    return true;
  }
  void init() const {}
  void initPrivateUse1() const {}
  c10::DeviceIndex deviceCount() const {
    return 1;
  }
  c10::DeviceIndex getCurrentDevice() const {
    return 0;
  }
  const at::Generator& getDefaultGenerator(c10::DeviceIndex) const {
    return at::detail::getDefaultCPUGenerator();
  }
  void resizePrivateUse1Bytes(const c10::Storage& storage, size_t bytes) const {
    grow(storage.unsafeGetStorageImpl(), bytes);
  }
};
#endif

torch::CppFunction kernel_of(const std::string& name) {
  if (name == "empty.memory_format") return torch::CppFunction(TORCH_FN(empty_memory_format));
  if (name == "empty_strided") return torch::CppFunction(TORCH_FN(empty_strided));
  if (name == "_copy_from") return torch::CppFunction(TORCH_FN(copy_from));
  if (name == "_copy_from_and_resize") return torch::CppFunction(TORCH_FN(copy_from_and_resize));
  if (name == "as_strided") return torch::CppFunction(TORCH_FN(as_strided));
  if (name == "view") return torch::CppFunction(TORCH_FN(at::native::view));
  if (name == "resize_") return torch::CppFunction(TORCH_FN(resize_));
  if (name == "_reshape_alias") return torch::CppFunction(TORCH_FN(at::native::_reshape_alias));
  if (name == "unfold") return torch::CppFunction(TORCH_FN(at::native::unfold));
  if (name == "view_as_real") return torch::CppFunction(TORCH_FN(at::native::view_as_real));
  if (name == "view_as_complex") return torch::CppFunction(TORCH_FN(at::native::view_as_complex));
  if (name == "convolution_overrideable") return torch::CppFunction::makeFromBoxedFunction<&convolution>();
  if (name == "convolution_backward_overrideable")
    return torch::CppFunction::makeFromBoxedFunction<&convolution_backward>();
  return torch::CppFunction::makeFromBoxedFunction<&fallback>();
}

}  // namespace

void serve(const std::vector<std::string>& names) {
  c10::SetAllocator(kDevice, &allocator);
#ifdef OPATLAS_HAS_HOOKS
  static auto* hooks = new Hooks();
  [[maybe_unused]] static const bool is_registered = (at::RegisterPrivateUse1HooksInterface(hooks), true);
#endif
  // Registrations live as long as the process.
  static auto* library =
      new torch::Library(torch::Library::IMPL, "aten", c10::DispatchKey::PrivateUse1, __FILE__, __LINE__);
  // Lazy conjugates and negatives are resolved by copies, so the copy itself must take them.
  [[maybe_unused]] static auto* lazy = [] {
    auto* both = new std::vector<std::unique_ptr<torch::Library>>();
    for (auto key : {c10::DispatchKey::Conjugate, c10::DispatchKey::Negative}) {
      both->push_back(std::make_unique<torch::Library>(torch::Library::IMPL, "aten", key, __FILE__, __LINE__));
      both->back()->impl("_copy_from", torch::CppFunction::makeFallthrough());
    }
    return both;
  }();
  for (const auto& name : names) {
    library->impl(name.c_str(), kernel_of(name));
  }
}
