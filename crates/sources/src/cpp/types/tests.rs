use super::*;
use crate::File;

fn names(text: &str) -> TypeNames {
    TypeNames::of(&[File {
        path: "a.cpp",
        bytes: text.as_bytes(),
    }])
}

fn read(names: &TypeNames, text: &str, scope: &str) -> String {
    match names.read(text, Place { file: 0, scope }) {
        Ok(ty) => ty.to_string(),
        Err(Unknown(why)) => why.into(),
    }
}

#[test]
fn spellings_of_one_type_are_equal() {
    let names = TypeNames::default();
    for (written, shown) in [
        ("const at::Tensor& self", "const at::Tensor &"),
        ("Tensor const &self", "const at::Tensor &"),
        ("torch::Tensor", "at::Tensor"),
        ("c10::ArrayRef<long> size", "at::IntArrayRef"),
        ("at::ArrayRef<int64_t> size = {}", "at::IntArrayRef"),
        ("const c10::ArrayRef<at::Tensor>", "const at::TensorList"),
        (
            "c10::optional<c10::string_view> mode=c10::nullopt",
            "std::optional<c10::string_view>",
        ),
        (
            "::std::optional<std::string_view>",
            "std::optional<c10::string_view>",
        ),
        ("std::array<bool, 3ul>", "std::array<bool, 3>"),
        (
            "std::tuple<Tensor, std::vector<Tensor>>",
            "std::tuple<at::Tensor, std::vector<at::Tensor>>",
        ),
        ("unsigned long int n", "unsigned long"),
        ("long long", "long long"),
        ("std::size_t", "unsigned long"),
        ("at::ITensorListRef const&", "const at::ITensorListRef &"),
        ("static inline TORCH_API Tensor&", "at::Tensor &"),
        ("public : static at::Tensor", "at::Tensor"),
        ("char const *name", "const char *"),
        ("at::Tensor && a", "at::Tensor &&"),
    ] {
        assert_eq!(read(&names, written, ""), shown, "{written}");
    }
}

#[test]
fn aliases_are_followed_where_they_are_unambiguous() {
    let names = names(
        "#define HANDLE int64_t\n\
         namespace acme { using Sizes = at::IntArrayRef; typedef std::vector<Sizes> Many;\n\
         using at::Tensor; namespace deep { using Sizes = c10::SymIntArrayRef; }\n\
         struct Box { using Item = double; static void f(Item a); }; }\n\
         namespace one { using Odd = float; } namespace two { using Odd = double; }\n",
    );
    for (written, scope, shown) in [
        ("Sizes size", "acme", "at::IntArrayRef"),
        ("acme::Sizes", "other", "at::IntArrayRef"),
        ("Sizes", "acme::deep", "c10::SymIntArrayRef"),
        ("Many", "acme", "std::vector<at::IntArrayRef>"),
        ("Item", "acme::Box", "double"),
        ("HANDLE", "", "int64_t"),
        ("const Tensor&", "acme", "const at::Tensor &"),
        ("one::Odd", "", "float"),
        ("Odd", "", "`Odd` is declared in several ways"),
    ] {
        assert_eq!(read(&names, written, scope), shown, "{written} in {scope}");
    }
}

#[test]
fn what_only_a_build_knows_is_unknown() {
    let names = names("namespace acme { class Tensor; template <class T> using Vec = T; }\n");
    for (written, scope, why) in [
        ("Held self", "acme", "`Held` is declared elsewhere"),
        (
            "const Tensor&",
            "acme",
            "`Tensor` is declared in the sources",
        ),
        ("Vec<int>", "acme", "`Vec` is declared in the sources"),
        ("auto x", "", "`auto` leaves the type to the compiler"),
        ("typename T::type x", "", "`T::type` is declared elsewhere"),
        ("int64_t sizes[2]", "", "a parameter is not a plain type"),
        ("void (*f)(int)", "", "a parameter is not a plain type"),
    ] {
        assert_eq!(read(&names, written, scope), why, "{written} in {scope}");
    }
    assert_eq!(read(&names, "const Tensor&", "other"), "const at::Tensor &");
}

#[test]
fn repeated_declarations_may_differ_in_spelling() {
    let names = names(
        "namespace at { class Tensor; }\nnamespace a { using Tensor = at::Tensor; using at::Tensor;\n\
         using Tensor = torch::Tensor; }\n",
    );
    assert_eq!(read(&names, "Tensor", "a"), "at::Tensor");
}

#[test]
fn an_alias_of_another_file_does_not_hide_a_type_of_pytorch() {
    let alias = b"namespace a { using TensorList = std::vector<at::Tensor>; using Mine = double; }";
    let files = [("a.cpp", &b""[..]), ("b.h", &alias[..])];
    let names = TypeNames::of(&files.map(|(path, bytes)| File { path, bytes }));
    let why = "`TensorList` is declared in several ways";
    assert_eq!(read(&names, "TensorList", "a"), why);
    assert_eq!(read(&names, "TensorList", "b"), "at::TensorList");
    assert_eq!(read(&names, "Mine", "a"), "double");
}

#[test]
fn types_that_grow_are_bounded() {
    let mut text = String::from("using T0 = int64_t;\n");
    for level in 1..11 {
        let inner = vec![format!("T{}", level - 1); 8].join(", ");
        text += &format!("using T{level} = std::tuple<{inner}>;\n");
    }
    let why = "the type is nested too deeply";
    assert_eq!(read(&names(&text), "T10", ""), why);
    assert_eq!(read(&names("using A = B; using B = A;"), "A", ""), why);
}

#[test]
fn instances_have_their_arguments() {
    let parameters = ["const T & a".into(), "int64_t n".into()];
    let returns = "template < typename T , bool Flag > static at : : Tensor";
    let found = instance(returns, &parameters, &["at::Tensor", "false"]).unwrap();
    assert_eq!(&*found.parameters[0], "const at::Tensor & a");
    assert_eq!(&*found.returns, "static at : : Tensor");
    assert!(instance(returns, &parameters, &["at::Tensor"]).is_err());
    assert!(instance("at : : Tensor", &parameters, &["int"]).is_err());
}
