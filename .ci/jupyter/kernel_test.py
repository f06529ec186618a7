"""jupyter_kernel_test with everything switched on that it can check. The kernel is the one that Jupyter knows as gorocm."""
import unittest

import jupyter_kernel_test


class Gorocm(jupyter_kernel_test.KernelTests):
    kernel_name = "gorocm"
    language_name = "go"
    file_extension = ".go"
    code_hello_world = 'fmt.Println("hello, world")'
    code_stderr = 'fmt.Fprintln(os.Stderr, "oops")'
    completion_samples = [
        {"text": "fmt.Printl", "matches": {"Println"}},
        {"text": "strings.HasP", "matches": {"HasPrefix"}},
        {"text": "zzz", "matches": set()},
    ]
    complete_code_samples = ["1 + 1", "x := 3", 'fmt.Println("hello, world")', "func f() {\n}", "%vars", "// a comment"]
    incomplete_code_samples = ["func f() {", "fmt.Println(", "for {", "x := `a", "1 +", "/* a comment"]
    invalid_code_samples = [")", "x := := 1", "}"]
    code_page_something = "fmt.Println?"
    code_generate_error = 'panic("deliberate")'
    code_execute_result = [
        {"code": "6 * 7", "result": "42"},
        {"code": '"héllo"', "result": '"héllo"'},
        {"code": "[]int{1, 2, 3}", "result": "[1 2 3]"},
        {"code": 'display.HTML("<b>bold</b>")', "mime": "text/html"},
    ]
    code_display_data = [
        {"code": 'display.Show(display.HTML("<b>bold</b>"))', "mime": "text/html"},
        {"code": 'display.Show(display.Markdown("**bold**"))', "mime": "text/markdown"},
        {"code": 'display.Show(display.LaTeX("x^2"))', "mime": "text/latex"},
        {"code": 'display.Show(display.JSON(map[string]int{"a": 1}))', "mime": "application/json"},
        {"code": 'display.Show(display.SVG("<svg xmlns=\'http://www.w3.org/2000/svg\'/>"))', "mime": "image/svg+xml"},
        {"code": "display.Show(display.Heatmap([][]float64{{0, 1}, {2, 3}}))", "mime": "image/png"},
    ]
    code_history_pattern = "6 ?* 7"
    supported_history_operations = ("tail", "range", "search")
    code_inspect_sample = "fmt.Println"
    code_clear_output = "display.Clear(false)"

    def test_everything_is_on(self):
        """A check of a later jupyter_kernel_test that nobody has switched on would skip itself unnoticed."""
        prefixes = ("code_", "completion_", "complete_code", "incomplete_", "invalid_", "supported_")
        switches = [name for name in dir(jupyter_kernel_test.KernelTests) if name.startswith(prefixes)]
        for name in switches:
            with self.subTest(name):
                self.assertTrue(getattr(self, name))


class Welcome(jupyter_kernel_test.IopubWelcomeTests):
    kernel_name = "gorocm"
    support_iopub_welcome = True


if __name__ == "__main__":
    unittest.main(verbosity=2)
