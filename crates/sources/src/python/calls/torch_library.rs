//! Functions of `torch.library`, and methods of libraries and custom operators.

use super::{Call, Draft, Drafts, Key, Library, Value};
use crate::RegistrationKind;
use crate::name::CATCH_ALL;
use crate::python::functions::INFERRED;
use crate::python::keys::Operator;

impl<'t> Call<'_, 't> {
    pub(super) fn of_module(&self, function: &str) -> Drafts {
        let through = format!("torch.library.{function}");
        let library = self.library_argument(function)?;
        match (function, library) {
            ("impl", Some(library)) => self.kernels(1, 2, Some(&library), &through),
            ("define", Some(library)) => self.definition(1, &library, &through),
            ("impl" | "register_kernel", None) => self.kernels(0, 1, None, &through),
            ("define", None) => self.qualified_definition(&through),
            ("custom_op" | "triton_op", _) => self.custom_operator(&through),
            ("register_fake" | "impl_abstract", _) => self.with_key(Ok("Meta".into()), &through),
            ("register_autograd", _) => self.with_key(Ok("Autograd".into()), &through),
            ("register_vmap", _) => self.with_key(Ok("FuncTorchBatched".into()), &through),
            ("register_autocast", _) => self.autocast(&through),
            _ => Ok(Vec::new()),
        }
    }

    /// `torch._custom_ops` and `torch._custom_op.impl` of PyTorch 2.0 to 2.3.
    pub(super) fn of_old_module(&self, function: &str) -> Drafts {
        let through = format!("torch._custom_ops.{function}");
        match function {
            "custom_op" => self.qualified_definition(&through),
            "impl" => {
                let keys = self.devices("device_types", 1)?;
                let mut drafts = Vec::new();
                for key in keys {
                    drafts.extend(self.with_key(key, &through)?);
                }
                Ok(drafts)
            }
            "impl_abstract" => self.with_key(Ok("Meta".into()), &through),
            "impl_backward" => self.with_key(Ok("Autograd".into()), &through),
            _ => Ok(Vec::new()),
        }
    }

    /// The library that is the first argument of a function.
    fn library_argument(&self, function: &str) -> Result<Option<Library>, super::Needs> {
        let Some(first) = self.arguments.positional.first().copied() else {
            return Ok(None);
        };
        if !matches!(function, "impl" | "define") {
            return Ok(None);
        }
        let value = self.evaluated(first)?;
        if let Value::Library(library) = value {
            return Ok(Some(Library::clone(&library)));
        }
        let is_unknown = !matches!(value, Value::Text(_) | Value::Path(_) | Value::Operator(_));
        let is_library = is_unknown && self.looks_like_library(first);
        Ok(is_library.then(Library::default))
    }

    pub(super) fn of_library(&self, method: &str, library: &Library) -> Drafts {
        let through = format!("Library.{method}");
        match method {
            "impl" => self.kernels(0, 2, Some(library), &through),
            "define" => self.definition(0, library, &through),
            "_register_fake" => {
                let drafts = self.with_key(Ok("Meta".into()), &through)?;
                let drafts = drafts.into_iter();
                Ok(drafts.map(|draft| draft.within(library)).collect())
            }
            "_impl_with_aoti_compile" => self.kernels(0, 1, Some(library), &through),
            "fallback" => {
                let given = self.argument(1, "dispatch_key");
                let keys = given.map(|key| self.keys(key)).transpose()?;
                let key = keys.and_then(|keys| keys.into_iter().find(is_given));
                let draft = Draft {
                    key: key.or_else(|| library.key.clone()),
                    ..Draft::of(RegistrationKind::Fallback, Operator::default(), &through)
                };
                Ok(vec![draft.within(library)])
            }
            _ => Ok(Vec::new()),
        }
    }

    /// A method of an operator from `custom_op`.
    pub(super) fn of_operator(&self, method: &str, name: &str) -> Drafts {
        let through = format!("CustomOpDef.{method}");
        let key = match method {
            "register_fake" | "register_abstract" | "impl_abstract" => Ok("Meta".into()),
            "register_autograd" | "impl_backward" => Ok("Autograd".into()),
            "register_vmap" => Ok("FuncTorchBatched".into()),
            "register_kernel" => {
                let devices = self.argument(0, "device_types");
                let devices = devices.map(|node| self.keys(node)).transpose()?;
                let draft = |key| named(name, key, &through);
                return Ok(devices.unwrap_or_default().into_iter().map(draft).collect());
            }
            "impl" => {
                let devices = self.devices("device_types", 0)?.into_iter();
                return Ok(devices.map(|key| named(name, key, &through)).collect());
            }
            "register_autocast" => {
                let device = self.argument(0, "device_type");
                let device = device.map(|node| self.keys(node)).transpose()?;
                let draft = |key: Key| named(name, autocast_of(key), &through);
                return Ok(device.unwrap_or_default().into_iter().map(draft).collect());
            }
            _ => return Ok(Vec::new()),
        };
        Ok(vec![named(name, key, &through)])
    }

    /// Devices of the functions before `custom_op`, which are CPU and CUDA by default.
    fn devices(&self, name: &str, index: usize) -> Result<Vec<Key>, super::Needs> {
        match self.argument(index, name) {
            Some(node) => self.keys(node),
            None => Ok(vec![Ok("CPU".into()), Ok("CUDA".into())]),
        }
    }

    pub(super) fn kernels(
        &self,
        name: usize,
        key: usize,
        library: Option<&Library>,
        through: &str,
    ) -> Drafts {
        let name = self
            .argument(name, "op_name")
            .or_else(|| self.argument(name, "op"))
            .or_else(|| self.argument(name, "qualname"));
        let Some(name) = name else {
            let drafts = self.passed_on(through).into_iter();
            return Ok(match library {
                Some(library) => drafts.map(|draft| draft.within(library)).collect(),
                None => drafts.collect(),
            });
        };
        let key_names = ["dispatch_key", "types", "device_types"];
        let given = key_names.iter().find_map(|name| self.argument(key, name));
        let given = given.map(|node| self.keys(node)).transpose()?;
        let own = library.and_then(|library| library.key.clone());
        let own = own.unwrap_or_else(|| Ok(CATCH_ALL.into()));
        let keys = match given {
            Some(keys) => keys
                .into_iter()
                .map(|key| if is_given(&key) { key } else { own.clone() })
                .collect(),
            None => vec![own],
        };
        let mut drafts = Vec::new();
        for operator in self.operators(name)? {
            for key in &keys {
                let draft = Draft {
                    key: Some(key.clone()),
                    ..Draft::of(RegistrationKind::Impl, operator.clone(), through)
                };
                drafts.push(match library {
                    Some(library) => draft.within(library),
                    None => draft,
                });
            }
        }
        Ok(drafts)
    }

    /// A registration whose arguments come with `*` or `**`.
    pub(super) fn passed_on(&self, through: &str) -> Vec<Draft> {
        let why = "the arguments are passed with `*` or `**`";
        let draft = Draft::of(RegistrationKind::Impl, Operator::unknown(why), through);
        self.arguments
            .has_rest
            .then_some(draft)
            .into_iter()
            .collect()
    }

    /// `lib.define(schema)`.
    pub(super) fn definition(&self, index: usize, library: &Library, through: &str) -> Drafts {
        let Some(schema) = self.argument(index, "schema") else {
            return Ok(self.passed_on(through));
        };
        let found = self.operators(schema)?.into_iter();
        let schema = match self.evaluated(schema)? {
            Value::Text(text) => Some(text).filter(|text| !text.ends_with(INFERRED)),
            _ => None,
        };
        let drafts = found.map(|operator| {
            let draft = Draft {
                schema: schema.as_deref().map(Into::into),
                ..Draft::of(RegistrationKind::Def, operator, through)
            };
            draft.within(library)
        });
        Ok(drafts.collect())
    }

    /// `torch.library.define("ns::name", "(Tensor x) -> Tensor")`.
    fn qualified_definition(&self, through: &str) -> Drafts {
        let Some(name) = self.argument(0, "qualname") else {
            return Ok(self.passed_on(through));
        };
        let rest = self.argument(1, "schema");
        let rest = rest.map(|node| self.evaluated(node)).transpose()?;
        let rest = match &rest {
            Some(Value::Text(text)) if &**text != INFERRED => Some(&**text),
            _ => None,
        };
        let found = self.operators(name)?.into_iter();
        let drafts = found.map(|operator| {
            let schema = rest.zip(operator.name.as_deref());
            let schema = schema.map(|(rest, name)| format!("{name}{rest}").into());
            Draft {
                schema,
                ..Draft::of(RegistrationKind::Def, operator, through)
            }
        });
        Ok(drafts.collect())
    }

    /// `@custom_op("ns::name", mutates_args=(), device_types="cuda")` defines an operator, with a
    /// kernel for each device.
    fn custom_operator(&self, through: &str) -> Drafts {
        let Some(name) = self.argument(0, "name") else {
            return Ok(self.passed_on(through));
        };
        let devices = self.argument(3, "device_types");
        let keys = match devices {
            Some(devices) => self.keys(devices)?,
            None => vec![Ok("CompositeExplicitAutograd".into())],
        };
        let schema = self.argument(4, "schema");
        let schema = match schema.map(|node| self.evaluated(node)).transpose()? {
            Some(Value::Text(text)) => Some(text),
            _ => None,
        };
        let mut drafts = Vec::new();
        for operator in self.operators(name)? {
            let named = schema.as_deref().zip(operator.name.as_deref());
            let whole = named.map(|(schema, name)| match schema.starts_with('(') {
                true => format!("{name}{schema}"),
                false => schema.to_owned(),
            });
            let mut kind = RegistrationKind::Def;
            for key in &keys {
                let schema = whole.as_deref().filter(|_| kind == RegistrationKind::Def);
                drafts.push(Draft {
                    key: Some(key.clone()),
                    schema: schema.map(Into::into),
                    ..Draft::of(kind, operator.clone(), through)
                });
                kind = RegistrationKind::Impl;
            }
        }
        Ok(drafts)
    }

    pub(super) fn with_key(&self, key: Key, through: &str) -> Drafts {
        let name = ["op", "qualname", "op_name"];
        let name = name.iter().find_map(|name| self.argument(0, name));
        let Some(name) = name else {
            return Ok(self.passed_on(through));
        };
        let found = self.operators(name)?.into_iter();
        let drafts = found.map(|operator| Draft {
            key: Some(key.clone()),
            ..Draft::of(RegistrationKind::Impl, operator, through)
        });
        Ok(drafts.collect())
    }

    /// `register_autocast("ns::name", "cuda", torch.float16)`.
    fn autocast(&self, through: &str) -> Drafts {
        let device = self.argument(1, "device_type");
        let device = device.map(|node| self.keys(node)).transpose()?;
        let key = device.and_then(|keys| keys.into_iter().next());
        match key {
            Some(key) => self.with_key(autocast_of(key), through),
            None => Ok(self.passed_on(through)),
        }
    }
}

fn is_given(key: &Key) -> bool {
    key.as_deref() != Ok("")
}

fn autocast_of(key: Key) -> Key {
    key.map(|key| format!("Autocast{key}").into())
}

fn named(name: &str, key: Key, through: &str) -> Draft {
    Draft {
        key: Some(key),
        ..Draft::of(RegistrationKind::Impl, Operator::named(name), through)
    }
}
