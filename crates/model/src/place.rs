//! Where a call is in the user's source.

/// The longest place that is kept, in characters.
const LONGEST: usize = 300;

/// A frame of a stack.
#[derive(Debug, Clone, Copy)]
struct Frame<'a> {
    file: &'a str,
    line: &'a str,
    function: &'a str,
    code: Option<&'a str>,
}

impl Frame<'_> {
    /// How far the file is from the user: 0 for their own, 1 for an installed package, 2 for PyTorch.
    fn distance(&self) -> u8 {
        let is_installed =
            |file: &str| file.contains("site-packages/") || file.contains("dist-packages/");
        if is_pytorch(self.file) {
            2
        } else {
            u8::from(is_installed(self.file))
        }
    }

    fn text(&self) -> String {
        let Self {
            file,
            line,
            function,
            code,
        } = self;
        let code = code.map_or_else(String::new, |code| format!(": {code}"));
        cut(&format!("{file}:{line} in {function}{code}"))
    }
}

fn is_pytorch(file: &str) -> bool {
    const PARTS: [&str; 7] = [
        "-packages/torch/",
        "/torch/nn/",
        "/torch/fx/",
        "/torch/_",
        "/torch/export/",
        "/torch/functional.py",
        "/torch/utils/",
    ];
    file.starts_with('<')
        || file.starts_with("torch/")
        || PARTS.iter().any(|part| file.contains(part))
}

/// The innermost frame of a stack trace that is nearest to the user: in their own files, else in an
/// installed package other than PyTorch, else in PyTorch.
pub(crate) fn of_trace(trace: &str) -> Option<String> {
    let mut nearest: Option<Frame<'_>> = None;
    let mut lines = trace.lines().peekable();
    while let Some(line) = lines.next() {
        let Some(mut frame) = frame(line) else {
            continue;
        };
        let code = lines.peek().map(|line| line.trim());
        frame.code = code.filter(|code| !code.is_empty() && !code.starts_with("File \""));
        if nearest.is_none_or(|known| frame.distance() <= known.distance()) {
            nearest = Some(frame);
        }
    }
    nearest.map(|frame| frame.text())
}

/// `File "x.py", line 12, in forward`
fn frame(line: &str) -> Option<Frame<'_>> {
    let rest = line.trim().strip_prefix("File \"")?;
    let (file, rest) = rest.split_once("\", line ")?;
    let (line, function) = rest.split_once(", in ").unwrap_or((rest, "<module>"));
    Some(Frame {
        file,
        line,
        function,
        code: None,
    })
}

/// `File: x.py:12 in forward, code: return x`, as a printed program has it.
pub(crate) fn of_comment(comment: &str) -> Option<String> {
    let rest = comment.trim().strip_prefix("File: ")?;
    let (at, code) = match rest.split_once(", code: ") {
        Some((at, code)) => (at, Some(code)),
        None => (rest, None),
    };
    let code = code.map_or_else(String::new, |code| format!(": {code}"));
    Some(cut(&format!("{at}{code}")))
}

pub(crate) fn cut(text: &str) -> String {
    let mut cut: String = text.chars().take(LONGEST).collect();
    if cut.len() < text.len() {
        cut.push('…');
    }
    cut
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_frame_nearest_to_the_user_counts() {
        let trace = "File \"/home/me/net.py\", line 12, in forward\n    x = self.conv(x)\n  \
                     File \"/v/lib/python3.11/site-packages/torch/nn/modules/conv.py\", line 565, in \
                     forward\n    return f(x)";
        let place = of_trace(trace).unwrap();
        assert_eq!(place, "/home/me/net.py:12 in forward: x = self.conv(x)");
        let library = "File \"/v/site-packages/vision/net.py\", line 3, in f\n  File \
                       \"/v/site-packages/torch/functional.py\", line 5, in g";
        assert_eq!(
            of_trace(library).unwrap(),
            "/v/site-packages/vision/net.py:3 in f"
        );
        let own = "File \"torch/fx/passes/runtime_assert.py\", line 24, in insert";
        assert!(of_trace(own).is_some());
        assert_eq!(of_trace("no stack"), None);
        let comment = "File: a.py:3 in forward, code: y = x + 1";
        assert_eq!(of_comment(comment).unwrap(), "a.py:3 in forward: y = x + 1");
    }
}
