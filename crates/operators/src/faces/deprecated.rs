//! Deprecated Python signatures of operators.

use opatlas_schema::faces::{Call, PythonSignature};
use opatlas_schema::function::FunctionSchema;

use super::FaceMaker;
use crate::operator::{Operator, OperatorId};

/// A deprecated Python signature, without faces that torchgen rejects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeprecatedFaces {
    /// Index into the forms of the file.
    pub form: usize,
    /// Its canonical schema.
    pub schema: String,
    /// The argument parser's text for the function.
    pub python_function: Option<String>,
    /// The argument parser's text for the method.
    pub python_method: Option<String>,
    /// The function in the type stub. Deprecated methods have no stubs.
    pub pyi_function: Option<String>,
}

impl FaceMaker<'_> {
    /// The deprecated signatures that call an operator.
    #[must_use]
    pub fn deprecated(&self, id: OperatorId) -> Vec<DeprecatedFaces> {
        let forms = self.index().deprecated().of_operator(id).iter();
        let operator = self.catalogue.operator(id);
        forms
            .filter_map(|&form| self.deprecated_form(operator, form))
            .collect()
    }

    /// The deprecated Python signature of an operator; `None` if torchgen rejects it.
    #[must_use]
    pub fn deprecated_signature<'s>(
        &self,
        operator: &Operator,
        schema: &'s FunctionSchema,
        call: Call,
    ) -> Option<PythonSignature<'s>> {
        let category = operator.category_override();
        let signature = PythonSignature::new(schema, call, category, self.context(operator));
        signature.ok().map(PythonSignature::deprecated)
    }

    fn deprecated_form(&self, operator: &Operator, form: usize) -> Option<DeprecatedFaces> {
        let schema = &self.catalogue.deprecated.as_ref()?.forms.get(form)?.schema;
        let made = |call| self.deprecated_signature(operator, schema, call);
        let variants = operator.variants();
        let function = variants.function.then(|| made(Call::Function)).flatten();
        let method = variants.method.then(|| made(Call::Method)).flatten();
        let text = |signature: &PythonSignature<'_>| signature.parser_text().ok();
        let stub = function.as_ref().and_then(|made| made.stub().ok());
        Some(DeprecatedFaces {
            form,
            schema: schema.to_string(),
            python_function: function.as_ref().and_then(text),
            python_method: method.as_ref().and_then(text),
            pyi_function: stub.map(|stub| stub.plain),
        })
    }
}
