"""Right and wrong spellings of types for generated kernels."""

import random
import re

# Other spellings of the same type.
_SAME = {
    "at::Tensor": ["torch::Tensor", "at::Tensor"],
    "at::IntArrayRef": ["c10::IntArrayRef", "at::ArrayRef<int64_t>", "c10::ArrayRef<long>", "c10::ArrayRef<int64_t>"],
    "c10::SymIntArrayRef": ["at::SymIntArrayRef", "c10::ArrayRef<c10::SymInt>"],
    "at::TensorList": ["at::ArrayRef<at::Tensor>", "c10::ArrayRef<at::Tensor>", "torch::TensorList"],
    "at::ITensorListRef": ["c10::IListRef<at::Tensor>"],
    "at::OptionalIntArrayRef": ["c10::OptionalArrayRef<int64_t>", "c10::OptionalIntArrayRef"],
    "at::OptionalSymIntArrayRef": ["c10::OptionalArrayRef<c10::SymInt>"],
    "at::Scalar": ["c10::Scalar"],
    "at::ScalarType": ["c10::ScalarType"],
    "at::Layout": ["c10::Layout"],
    "at::Device": ["c10::Device", "torch::Device"],
    "at::MemoryFormat": ["c10::MemoryFormat"],
    "c10::SymInt": ["at::SymInt"],
    "int64_t": ["long", "std::int64_t", "long int"],
    "c10::string_view": ["std::string_view"],
}
_USED = {"at::Tensor": "Tensor", "at::IntArrayRef": "IntArrayRef", "at::TensorList": "TensorList", "at::Scalar": "Scalar",
         "at::ScalarType": "ScalarType", "c10::SymInt": "SymInt", "at::Generator": "Generator"}

# Wrong types that an author may write instead.
_OTHER = {
    "const at::Tensor &": ["at::Tensor", "at::Tensor &", "at::Tensor &&", "const std::optional<at::Tensor> &", "at::TensorList",
                           "at::Tensor*", "const at::TensorBase &"],
    "at::Tensor &": ["const at::Tensor &", "at::Tensor", "std::optional<at::Tensor> &"],
    "const ::std::optional<at::Tensor> &": ["std::optional<at::Tensor>", "const at::Tensor &", "std::optional<at::Tensor> &",
                                            "at::OptionalTensorRef"],
    "int64_t": ["int", "c10::SymInt", "size_t", "double", "bool", "std::optional<int64_t>", "const int64_t &", "int32_t",
                "uint32_t", "long long", "const c10::SymInt &", "int64_t &", "short", "uint64_t", "unsigned char"],
    "c10::SymInt": ["int64_t", "const c10::SymInt &", "int", "std::optional<c10::SymInt>", "c10::SymInt &", "double"],
    "double": ["float", "int64_t", "const double &", "at::Scalar", "std::optional<double>", "c10::SymFloat"],
    "bool": ["int64_t", "int", "const bool &", "std::optional<bool>", "c10::SymBool"],
    "const at::Scalar &": ["at::Scalar", "double", "at::Scalar &", "const std::optional<at::Scalar> &"],
    "const ::std::optional<at::Scalar> &": ["std::optional<at::Scalar>", "const at::Scalar &"],
    "at::IntArrayRef": ["const at::IntArrayRef &", "std::vector<int64_t>", "const std::vector<int64_t> &", "c10::SymIntArrayRef",
                        "c10::List<int64_t>", "std::vector<int>", "at::OptionalIntArrayRef", "std::initializer_list<int64_t>",
                        "at::ArrayRef<int>"],
    "c10::SymIntArrayRef": ["const c10::SymIntArrayRef &", "std::vector<c10::SymInt>", "const std::vector<c10::SymInt> &",
                            "at::IntArrayRef", "c10::List<c10::SymInt>", "at::OptionalSymIntArrayRef"],
    "at::OptionalIntArrayRef": ["std::optional<at::IntArrayRef>", "at::IntArrayRef", "const at::OptionalIntArrayRef &",
                                "at::OptionalSymIntArrayRef", "std::optional<std::vector<int64_t>>"],
    "at::OptionalSymIntArrayRef": ["std::optional<c10::SymIntArrayRef>", "at::OptionalIntArrayRef",
                                   "const at::OptionalSymIntArrayRef &"],
    "at::TensorList": ["const at::ITensorListRef &", "std::vector<at::Tensor>", "const std::vector<at::Tensor> &",
                       "c10::List<at::Tensor>", "const at::TensorList &"],
    "const at::ITensorListRef &": ["at::TensorList", "at::ITensorListRef", "const std::vector<at::Tensor> &"],
    "const c10::List<::std::optional<at::Tensor>> &": ["c10::List<std::optional<at::Tensor>>", "at::TensorList",
                                                       "const std::vector<std::optional<at::Tensor>> &"],
    "c10::string_view": ["std::string", "const std::string &", "const char*", "const c10::string_view &", "char*"],
    "::std::optional<c10::string_view>": ["std::optional<std::string>", "c10::string_view",
                                          "const std::optional<c10::string_view> &"],
    "at::ScalarType": ["std::optional<at::ScalarType>", "int64_t", "const at::ScalarType &", "at::TensorOptions"],
    "::std::optional<at::ScalarType>": ["at::ScalarType", "const std::optional<at::ScalarType> &", "std::optional<int64_t>"],
    "::std::optional<at::Generator>": ["at::Generator", "const std::optional<at::Generator> &"],
    "::std::optional<int64_t>": ["int64_t", "const std::optional<int64_t> &", "std::optional<int>", "std::optional<c10::SymInt>"],
    "::std::optional<c10::SymInt>": ["c10::SymInt", "const std::optional<c10::SymInt> &", "std::optional<int64_t>"],
    "::std::optional<double>": ["double", "std::optional<float>", "const std::optional<double> &"],
    "::std::optional<bool>": ["bool", "const std::optional<bool> &"],
    "::std::array<bool,2>": ["std::array<bool, 3>", "std::vector<bool>", "const std::array<bool, 2> &"],
    "::std::array<bool,3>": ["std::array<bool, 2>", "std::vector<bool>", "at::ArrayRef<bool>"],
    "at::Tensor": ["const at::Tensor &", "at::Tensor &", "std::tuple<at::Tensor>", "std::vector<at::Tensor>", "void",
                   "std::optional<at::Tensor>", "const at::Tensor"],
    "void": ["at::Tensor", "bool"],
}

# Schema types, with C++ types that fit and that do not.
OF_SCHEMA = {
    "Tensor": (["const at::Tensor &", "at::Tensor", "at::Tensor &"], ["std::optional<at::Tensor>", "int64_t", "at::TensorList"]),
    "Tensor?": (["const std::optional<at::Tensor> &", "std::optional<at::Tensor>"], ["const at::Tensor &"]),
    "int": (["int64_t", "long", "const int64_t &", "int8_t"], ["int", "c10::SymInt", "double", "bool", "size_t",
                                                              "std::optional<int64_t>", "const c10::SymInt &", "at::Scalar"]),
    "SymInt": (["c10::SymInt", "int64_t"], ["double", "std::optional<int64_t>", "const c10::SymInt &"]),
    "SymInt?": (["std::optional<c10::SymInt>", "std::optional<int64_t>"], ["int64_t"]),
    "float": (["double", "const double &"], ["float", "int64_t", "at::Scalar"]),
    "bool": (["bool"], ["int64_t", "int"]),
    "str": (["c10::string_view", "std::string", "const std::string &"], ["const char*", "int64_t", "std::wstring"]),
    "str?": (["std::optional<c10::string_view>", "std::optional<std::string>"], ["std::string"]),
    "Scalar": (["const at::Scalar &", "at::Scalar"], ["double", "int64_t"]),
    "int[]": (["at::IntArrayRef", "std::vector<int64_t>", "const std::vector<int64_t> &", "c10::List<int64_t>"],
              ["c10::SymIntArrayRef", "std::vector<int>", "int64_t", "at::ArrayRef<double>", "at::ArrayRef<float>"]),
    "int[2]": (["at::IntArrayRef", "std::array<int64_t, 2>"], ["std::array<double, 2>"]),
    "int[]?": (["at::OptionalIntArrayRef", "std::optional<at::IntArrayRef>"], ["at::IntArrayRef"]),
    "SymInt[]": (["c10::SymIntArrayRef", "at::IntArrayRef", "std::vector<int64_t>"],
                 ["std::vector<c10::SymInt>", "const std::vector<c10::SymInt> &", "const c10::SymIntArrayRef &"]),
    "float[]": (["at::ArrayRef<double>", "std::vector<double>"], ["std::vector<float>", "at::IntArrayRef"]),
    "bool[]": (["c10::List<bool>"], ["std::vector<bool>", "at::ArrayRef<bool>"]),
    "bool[3]": (["std::array<bool, 3>"], ["std::array<int64_t, 3>"]),
    "Tensor[]": (["at::TensorList", "std::vector<at::Tensor>", "const at::ITensorListRef &", "c10::List<at::Tensor>"],
                 ["at::Tensor", "std::vector<std::optional<at::Tensor>>"]),
    "Tensor?[]": (["const c10::List<std::optional<at::Tensor>> &", "std::vector<std::optional<at::Tensor>>"], ["at::TensorList"]),
    "str[]": (["std::vector<std::string>", "at::ArrayRef<std::string>"], ["std::vector<const char*>", "std::string"]),
    "ScalarType": (["at::ScalarType"], ["int64_t", "std::optional<at::ScalarType>"]),
    "ScalarType?": (["std::optional<at::ScalarType>"], ["at::ScalarType", "std::optional<int64_t>"]),
    "Layout?": (["std::optional<at::Layout>"], ["at::Layout"]),
    "Device": (["at::Device", "const at::Device &"], ["std::string", "c10::DeviceType"]),
    "MemoryFormat?": (["std::optional<at::MemoryFormat>"], ["at::MemoryFormat"]),
    "Generator?": (["std::optional<at::Generator>", "at::Generator"], ["int64_t"]),
    "Dict(str, Tensor)": (["c10::Dict<std::string, at::Tensor>"], ["std::unordered_map<std::string, at::Tensor>",
                                                                 "std::map<std::string, at::Tensor>", "c10::Dict<std::string, int64_t>"]),
    "(Tensor, int)": (["std::tuple<at::Tensor, int64_t>"], ["std::tuple<at::Tensor, double>", "std::pair<at::Tensor, int64_t>"]),
    "Any": (["c10::IValue"], ["at::Tensor"]),
    "Storage": (["at::Storage"], ["at::Tensor"]),
}

_WORD = re.compile(r"(?:\w+::)*\w+")


def respelled(choose: random.Random, ty: str, is_used: bool) -> str:
    """Return another spelling of the type."""

    def one(match: re.Match) -> str:
        name = match[0]
        if is_used and name in _USED and choose.random() < 0.7:  # noqa: PLR2004
            return _USED[name]
        return choose.choice(_SAME[name]) if name in _SAME and choose.random() < 0.4 else name  # noqa: PLR2004

    text = _WORD.sub(one, ty)
    if choose.random() < 0.3:  # noqa: PLR2004
        text = text.replace("::std::optional", choose.choice(["std::optional", "c10::optional", "at::optional"]))
    if choose.random() < 0.3:  # noqa: PLR2004
        text = text.replace(" &", "&")
    is_value = not text.endswith(("&", "*")) and text != "void" and not text.startswith(("const ", "::"))
    return f"const {text}" if is_value and choose.random() < 0.1 and not text.startswith("std::tuple<") else text  # noqa: PLR2004


def replaced(choose: random.Random, returns: str, parameters: list[str]) -> tuple[str, str, list[str]]:
    """Return the name of the change, the return type and the parameters."""
    known = [place for place, ty in enumerate(parameters) if ty in _OTHER]
    doing = choose.random()
    if doing < 0.3:  # noqa: PLR2004
        return "right", returns, parameters
    if doing < 0.36:  # noqa: PLR2004
        return "keys first", returns, ["c10::DispatchKeySet", *parameters]
    if doing < 0.4:  # noqa: PLR2004
        return "keys elsewhere", returns, choose.choice([["const c10::DispatchKeySet &", *parameters],
                                                         [*parameters, "c10::DispatchKeySet"]])
    if doing < 0.46 and parameters:  # noqa: PLR2004
        place = choose.randrange(len(parameters))
        return "argument missing", returns, parameters[:place] + parameters[place + 1:]
    if doing < 0.5:  # noqa: PLR2004
        return "argument added", returns, [*parameters, choose.choice(["bool", "int64_t", "const at::Tensor &"])]
    if doing < 0.56 and len(parameters) > 1:  # noqa: PLR2004
        return "last argument first", returns, [parameters[-1], *parameters[:-1]]
    if (doing < 0.66 or not known) and returns in _OTHER:  # noqa: PLR2004
        return "other return", choose.choice(_OTHER[returns]), parameters
    if not known:
        return "right", returns, parameters
    place = choose.choice(known)
    other = choose.choice(_OTHER[parameters[place]])
    return "other type", returns, [*parameters[:place], other, *parameters[place + 1:]]
