//! The deprecated Python signatures of an operator.

use opatlas_schema::faces::{Call, PythonSignature};
use opatlas_schema::function::FunctionSchema;

use super::FaceMaker;
use crate::operator::{Operator, OperatorId};

/// One deprecated signature, as Python has it. A face that torchgen refuses to make is absent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeprecatedFaces {
    /// Index into the forms of the file.
    pub form: usize,
    /// Its schema, in canonical spelling.
    pub schema: String,
    /// What Python's argument parser gets for the function.
    pub python_function: Option<String>,
    /// What it gets for the method.
    pub python_method: Option<String>,
    /// The function in the type stub. Methods have no stub for deprecated signatures.
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

    /// A deprecated signature of an operator as Python calls it; `None` where torchgen refuses.
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
