"""JupyterLab and Notebook in a headless Chromium, with the kernel that Jupyter knows as gorocm: python browser.py DIR

Does what a user's day has: run all, completion, tooltip, interrupt, restart, rich outputs, widgets, variables. Prints "PASS name" or
"FAIL name: why" for each check, and leaves screenshots in DIR. BROWSER_CHECKS=name,name runs some of them. Needs playwright and a Chromium ($CHROMIUM, or the one on the path).
"""
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import traceback

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from playwright.sync_api import Error, expect, sync_playwright

PATIENCE = 60000  # ms; it only bounds a failure
READY = """() => {
	const context = window.jupyterapp?.shell.currentWidget?.sessionContext;
	return context?.isReady && context.session?.kernel?.connectionStatus === "connected" && context.session.kernel.status === "idle";
}"""
STRUCT = """type point struct {
	X, Y float64
	Name string
}
[]point{{1, 2, "a"}, {3, 4, "b"}}"""
RICH = """display.Show(display.HTML("<b>bold</b> <i>HTML</i>"))
display.Show(display.Markdown("**Markdown** with `code`"))
display.Show(display.LaTeX("$$\\\\int_0^1 x^2 dx = \\\\tfrac{1}{3}$$"))
display.Show(display.SVG(`<svg xmlns="http://www.w3.org/2000/svg" width="60" height="30"><circle cx="15" cy="15" r="12" fill="teal"/></svg>`))
display.Show(display.JSON(map[string]any{"name": "gorocm", "sizes": []int{1, 2, 3}}))
display.Heatmap([][]float64{{0, 1, 2}, {3, 4, 5}})"""
TENSORS = """dev := Device("rocm")
a := dev.Arange(tensor.F32, 6).Reshape(2, 3)
a.MatMul(a.T())"""
LIVE = """live := display.Live("step 0")
for i := range 3 {
	live.Update(fmt.Sprintf("step %d", i+1))
}"""
PROGRESS = """for i := range 5 {
	fmt.Printf("\\rloading %d/5", i+1)
}
fmt.Println()"""
ALL_WIDGETS = """out := widgets.NewOutput()
widgets.NewVBox(widgets.NewIntSlider(1, 0, 3), widgets.NewFloatSlider(0.5, 0, 1), widgets.NewIntProgress(1, 3), widgets.NewFloatProgress(0.5, 1),
	widgets.NewHBox(widgets.NewButton("press"), widgets.NewDropdown("one", "two"), widgets.NewCheckbox(true, "check")),
	widgets.NewText("text"), widgets.NewLabel("label"), widgets.NewHTML("<b>HTML</b>"), out)"""
MORE_WIDGETS = """data := base64.StdEncoding.DecodeString("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")
pages := widgets.NewTab(
	widgets.NewVBox(widgets.NewTagsInput([]string{"first"}), widgets.NewIntsInput(1, 2), widgets.NewFloatsInput(0.5), widgets.NewColorsInput([]string{"teal"}), widgets.NewSelectionRangeSlider("low", "middle", "high"),
		widgets.NewZonedDatetimePicker(time.Date(2026, 2, 3, 4, 5, 0, 0, time.UTC)), widgets.NewAudio(nil, "wav"), widgets.NewVideo(nil, "mp4"), widgets.NewController(0),
		widgets.NewAppLayout(widgets.NewLabel("the header"), nil, widgets.NewLabel("the centre"), nil, nil)),
	widgets.NewVBox(widgets.NewTextarea("several"), widgets.NewPassword("secret"), widgets.NewCombobox("x", "a", "b"), widgets.NewColorPicker("teal"),
		widgets.NewIntText(3), widgets.NewFloatText(0.5), widgets.NewBoundedIntText(3, 0, 10), widgets.NewBoundedFloatText(0.5, 0, 1)),
	widgets.NewVBox(widgets.NewRadioButtons("a", "b"), widgets.NewSelect("a", "b"), widgets.NewSelectMultiple("a", "b"), widgets.NewToggleButtons("a", "b"),
		widgets.NewSelectionSlider("a", "b"), widgets.NewToggleButton(true, "on"), widgets.NewValid(false, "not valid")),
	widgets.NewVBox(widgets.NewIntRangeSlider(2, 3, 0, 10), widgets.NewFloatRangeSlider(0.2, 0.3, 0, 1), widgets.NewFloatLogSlider(10, -1, 3), widgets.NewPlay(0, 0, 10),
		widgets.NewDatePicker(time.Date(2026, 2, 3, 0, 0, 0, 0, time.UTC)), widgets.NewTimePicker(time.Hour), widgets.NewDatetimePicker(time.Date(2026, 2, 3, 4, 5, 0, 0, time.UTC)),
		widgets.NewImage(data, "png"), widgets.NewHTMLMath("$x^2$"), widgets.NewAccordion(widgets.NewLabel("folded"))))
pages.SetTitles("lists", "text", "choices", "numbers")
pages"""
MORE_VIEWS = [[".jupyter-widget-tagsinput", ".jupyter-widget-colortag", ".widget-slider", "input[type=datetime-local]", ".jp-OutputArea-output audio", ".jp-OutputArea-output video", ".widget-gridbox"],
              [".widget-textarea", "input[type=password]", "input[list]", ".widget-colorpicker", "input[type=number]"],
              [".widget-radio", ".widget-select", ".widget-select-multiple", ".widget-toggle-buttons", ".widget-toggle-button", ".widget-valid"],
              [".widget-slider", ".widget-play", "input[type=date]", "input[type=time]", "input[type=datetime-local]", ".jp-OutputArea-output img", ".widget-htmlmath", ".jupyter-widget-Collapse"]]
LINKED = """choice, stack := widgets.NewDropdown("one", "two"), widgets.NewStack(widgets.NewLabel("page one"), widgets.NewLabel("page two"))
widgets.Link(choice, "index", stack, "selected_index")
up := widgets.NewFileUpload("", false)
up.OnChange(func(files []widgets.File) { fmt.Println("uploaded", files[0].Name, string(files[0].Content)) })
widgets.NewVBox(choice, stack, up)"""
OWN = """own := widgets.NewOwn(`export default { render({ model, el }) {
	const b = document.createElement("button");
	const show = () => b.textContent = "count " + model.get("n");
	show();
	model.on("change:n", show);
	b.onclick = () => { model.set("n", model.get("n") + 1); model.save_changes(); };
	el.appendChild(b);
} }`, map[string]any{"n": 0})
own.OnChange("n", func(v any) { fmt.Println("own", v) })
own"""
DEBUGGED = """type ledger struct {
	owner string
	cents []int
}

account := &ledger{"Ada", []int{3, 4}}

func total(l *ledger, scale int) (sum int) {
	for _, v := range l.cents {
		sum += v * scale
	}
	return sum
}"""
CELLS = [("x", "x := 40\nx + 2"), ("print", 'fmt.Println("to stdout")\nfmt.Fprintln(os.Stderr, "to stderr")'), ("progress", PROGRESS),
         ("struct", STRUCT), ("map", 'map[string][]int{"one": {1}, "two": {1, 2}}'), ("rich", RICH), ("live", LIVE), ("tensors", TENSORS),
         ("vars", "%vars"), ("error", "func fail(n int) int {\n\tvar s []int\n\treturn s[n]\n}\nfail(7)")]
NAMES = [name for name, _ in CELLS]


class Server:
    """A Jupyter server without a token on a port of its own."""

    def __init__(self, app):
        self.dir = tempfile.mkdtemp()
        notebook = new_notebook(cells=[new_markdown_cell("# A tour")] + [new_code_cell(code) for _, code in CELLS])
        notebook.metadata.kernelspec = {"name": "gorocm", "display_name": "Go (gorocm)", "language": "go"}
        os.mkdir(os.path.join(self.dir, "work"))
        nbformat.write(notebook, os.path.join(self.dir, "work", "tour.ipynb"))
        settings = pathlib.Path(self.dir, "settings", "@jupyterlab", "apputils-extension")
        settings.mkdir(parents=True)
        (settings / "notification.jupyterlab-settings").write_text('{"fetchNews": "false", "checkForUpdates": false}')
        registered = pathlib.Path(os.environ.get("JUPYTER_CONFIG_DIR", ""), "jupyter_server_config.d")
        if os.environ.get("JUPYTER_CONFIG_DIR") and registered.is_dir():  # gorocm install has put the language server there
            shutil.copytree(registered, pathlib.Path(self.dir, registered.name))
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            self.port = s.getsockname()[1]
        self.log = open(os.path.join(self.dir, "server.log"), "w+")
        self.process = subprocess.Popen(
            [sys.executable, "-m", app, "--no-browser", "--allow-root", "--ServerApp.port=%d" % self.port, "--ServerApp.port_retries=0",
             "--ServerApp.ip=127.0.0.1", "--IdentityProvider.token=", "--ServerApp.root_dir=" + os.path.join(self.dir, "work"), "--LabApp.expose_app_in_browser=True",
             "--JupyterNotebookApp.expose_app_in_browser=True", "--ServerApp.open_browser=False"],
            stdout=self.log, stderr=self.log, env=dict(os.environ, JUPYTER_CONFIG_DIR=self.dir, JUPYTERLAB_SETTINGS_DIR=os.path.join(self.dir, "settings")))
        for _ in range(600):
            with socket.socket() as s:
                if s.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.1)
        self.log.seek(0)
        raise RuntimeError("the server does not start:\n" + self.log.read())

    def close(self):
        self.process.terminate()
        try:
            self.process.wait(15)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.log.close()
        shutil.rmtree(self.dir, ignore_errors=True)


class Tour:
    """One front end with tour.ipynb open, and the checks."""

    def __init__(self, page, front, pictures):
        self.page, self.front, self.pictures = page, front, pictures

    def picture(self, name):
        self.page.screenshot(path=str(self.pictures / ("%s-%s.png" % (self.front, name))))

    def command(self, name, args=None):
        self.page.evaluate("([name, args]) => { window.jupyterapp.commands.execute(name, args || {}); }", [name, args])

    def cell(self, i):
        return self.page.locator(".jp-Notebook-cell").nth(i)

    def output(self, name):
        return self.cell(1 + NAMES.index(name)).locator(".jp-OutputArea-output")

    def prompt(self, i, text):
        """Waits for the cell's prompt, such as [3]:."""
        expect(self.cell(i).locator(".jp-InputPrompt")).to_have_text(text, timeout=PATIENCE)

    def new_cell(self, code):
        """Adds a cell at the end and types code into it. Returns its number."""
        n = self.page.locator(".jp-Notebook-cell").count()
        self.cell(n - 1).click()
        self.page.keyboard.press("Escape")
        self.page.keyboard.press("b")
        expect(self.page.locator(".jp-Notebook-cell")).to_have_count(n + 1, timeout=PATIENCE)
        self.page.keyboard.press("Enter")
        self.page.keyboard.insert_text(code)
        return n

    def run_new(self, code):
        n = self.new_cell(code)
        self.page.keyboard.press("Control+Enter")
        return n

    def shows(self, locator, *texts):
        for text in texts:
            expect(locator.filter(has_text=text).first).to_be_visible(timeout=PATIENCE)

    # The checks, in this order.

    def run_all(self):
        self.command("notebook:run-all-cells")
        self.prompt(len(CELLS), "[%d]:" % len(CELLS))
        self.picture("1-run-all")

    def rich_outputs(self):
        self.shows(self.output("x"), "42")
        self.shows(self.output("print"), "to stdout", "to stderr")
        progress = [text.strip() for text in self.output("progress").all_inner_texts()]
        assert progress == ["loading 5/5"], progress
        rich = self.output("rich")
        expect(rich).to_have_count(6, timeout=PATIENCE)
        expect(rich.locator("b").first).to_have_text("bold")
        expect(rich.locator("strong").first).to_have_text("Markdown")
        expect(rich.locator("mjx-container").first).to_be_visible(timeout=PATIENCE)
        expect(rich.locator("img").first).to_be_visible()
        self.shows(self.output("live"), "step 3")
        self.shows(self.output("tensors"), "14.", "50.")
        for name in NAMES:
            self.output(name).last.scroll_into_view_if_needed()
            self.picture("2-outputs-" + name)

    def traceback(self):
        self.shows(self.output("error"), "index out of range [7] with length 0", "fail")

    def variables(self):
        rows = self.output("vars").locator("table tr")
        for name, kind, value in [("x", "int", "40"), ("dev", "*tensor.Device", "rocm:0"), ("a", "*tensor.Tensor", "[2 3] f32")]:
            expect(rows.filter(has_text=kind).filter(has_text=value).filter(has_text=name).first).to_be_visible(timeout=PATIENCE)

    def completion(self):
        self.new_cell("strings.To")
        self.page.keyboard.press("Tab")
        matches = self.page.locator(".jp-Completer-item")
        self.shows(matches, "ToUpper")
        self.picture("3-completion")
        self.page.keyboard.type("Up")
        expect(matches).to_have_count(2, timeout=PATIENCE)  # ToUpper, ToUpperSpecial
        self.page.keyboard.press("Enter")
        expect(self.page.locator(".jp-mod-active .cm-content")).to_have_text("strings.ToUpper", timeout=PATIENCE)

    def server(self):
        """JupyterLab's client of `gorocm lsp`: a mistake is underlined as one types, and what the kernel completes as well is listed once."""
        if self.front != "lab":  # the notebook's page has no client
            return
        n = self.new_cell("var wrong int = \"text\"")
        expect(self.cell(n).locator(".cm-lintRange-error").first).to_be_visible(timeout=PATIENCE)
        self.picture("3-server")
        for typed, listed in [("%tim", ["%time", "%timeit"]), ("%%tim", ["%%time", "%%timeit"]), ("strings.ToUp", ["ToUpper", "ToUpperSpecial"])]:
            n = self.new_cell(typed)
            self.page.keyboard.press("Tab")
            expect(self.page.locator(".jp-Completer-match")).to_have_text(listed, timeout=PATIENCE)
            self.picture("3-server-" + listed[0].strip("%"))
            self.page.keyboard.press("Enter")
            expect(self.cell(n).locator(".cm-content")).to_have_text(typed[:typed.rfind(".") + 1] + listed[0], timeout=PATIENCE)

    def tooltip(self):
        self.new_cell("strings.Repeat(")
        self.page.keyboard.press("Shift+Tab")
        tip = self.page.locator(".jp-Tooltip")
        self.shows(tip, "func strings.Repeat(s string, count int) string", "copies of the string s")
        self.picture("4-tooltip")
        self.page.keyboard.press("Escape")

    def interrupt(self):
        n = self.run_new('fmt.Println("looping")\nfor {\n}')
        self.shows(self.cell(n).locator(".jp-OutputArea-output"), "looping")
        later = self.run_new("x = 1000")
        self.prompt(later, "[*]:")
        self.command("notebook:interrupt-kernel")
        self.shows(self.cell(n).locator(".jp-OutputArea-output"), "nterrupt")
        self.picture("5-interrupt")
        n = self.run_new("x + 1")
        self.shows(self.cell(n).locator(".jp-OutputArea-output"), "41")  # kept, and the queued cell has not run

    def widget(self):
        n = self.run_new('s := widgets.NewIntSlider(3, 0, 10)\ns.OnChange(func(v int) { fmt.Println("changed to", v) })\ns')
        slider = self.cell(n).locator(".widget-slider")
        readout = slider.locator(".widget-readout")
        expect(readout).to_have_text("3", timeout=PATIENCE)
        rail = slider.locator(".noUi-base")
        rail.click(position={"x": rail.bounding_box()["width"] * 0.4, "y": 1}, force=True)
        self.shows(self.page.locator(".jp-OutputArea-output"), "changed to 4")
        n = self.run_new("before := s.Value()\ns.SetValue(9)\nbefore")
        self.shows(self.cell(n).locator(".jp-OutputArea-output"), "4")
        expect(readout).to_have_text("9", timeout=PATIENCE)
        n = self.run_new('for range widgets.Progress(5, "epochs") {\n}')
        expect(self.cell(n).locator(".widget-label").filter(has_text="epochs").first).to_be_visible(timeout=PATIENCE)
        expect(self.cell(n).locator(".progress-bar")).to_have_attribute("style", re.compile("width: 100%"), timeout=PATIENCE)
        n = self.run_new(ALL_WIDGETS)
        for view in ["widget-slider", "widget-hprogress", "jupyter-button", "widget-dropdown", "widget-checkbox", "widget-text", "widget-label", "widget-html"]:
            expect(self.cell(n).locator(".%s:visible" % view).first).to_be_visible(timeout=PATIENCE)
        self.picture("6-widget")
        expect(self.page.get_by_text("javascript error")).to_have_count(0)

    def controls(self):
        """The views of all controls, Interact, links, uploads and a widget of one's own, in both directions."""
        n = self.run_new(MORE_WIDGETS)
        for i, views in enumerate(MORE_VIEWS):
            self.cell(n).locator(".lm-TabBar-tab").nth(i).click()
            for view in views:
                expect(self.cell(n).locator(view + ":visible").first).to_be_visible(timeout=PATIENCE)
            self.picture("6-controls-%d" % i)
        n = self.run_new('tags := widgets.NewTagsInput([]string{"first"})\ntags.OnChange(func(list []string) { fmt.Println("tags", list) })\ntags')
        self.cell(n).locator(".jupyter-widget-tagsinput").click()
        self.page.keyboard.type("second")
        self.page.keyboard.press("Tab")  # JupyterLab takes Enter
        self.shows(self.page.locator(".jp-OutputArea-output"), "tags [first second]")
        n = self.run_new('widgets.Interact(func(word string, on bool) any { return fmt.Sprint(word, "/", on) })')
        self.cell(n).locator("input[type=text]").fill("gopher")
        self.shows(self.cell(n).locator(".jp-OutputArea-output"), "gopher/false")
        self.cell(n).locator("input[type=checkbox]").click()
        self.shows(self.cell(n).locator(".jp-OutputArea-output"), "gopher/true")
        n = self.run_new(LINKED)
        self.cell(n).locator("select").select_option("two")
        expect(self.cell(n).get_by_text("page two", exact=True)).to_be_visible(timeout=PATIENCE)
        with self.page.expect_file_chooser() as chooser:
            self.cell(n).locator(".widget-upload").click()
        chooser.value.set_files({"name": "a.txt", "mimeType": "text/plain", "buffer": b"its bytes"})
        self.shows(self.page.locator(".jp-OutputArea-output"), "uploaded a.txt its bytes")
        n = self.run_new(OWN)
        self.cell(n).get_by_text("count 0").click()
        self.shows(self.page.locator(".jp-OutputArea-output"), "own 1")
        self.run_new('own.Set("n", 7)')
        expect(self.cell(n).get_by_text("count 7")).to_be_visible(timeout=PATIENCE)
        self.picture("6-controls-own")
        expect(self.page.get_by_text("javascript error")).to_have_count(0)

    def question(self):
        n = self.run_new('var answer string\nfmt.Print("name? ")\nfmt.Scan(&answer)\nstrings.ToUpper(answer)')
        field = self.cell(n).locator(".jp-Stdin-input")
        expect(field).to_be_visible(timeout=PATIENCE)
        self.picture("7-question")
        field.fill("gopher")
        field.press("Enter")
        self.shows(self.cell(n).locator(".jp-OutputArea-output"), "GOPHER")

    def debugger(self):
        """The bug, a breakpoint in the gutter of a cell that ran before, the panel, a step, and the end."""
        if self.front != "lab":  # whose panel it is
            return
        n = self.run_new(DEBUGGED)
        self.prompt_done(n)
        button = self.page.locator(".jp-DebuggerBugButton:visible").first
        button.click()
        panel = self.page.locator(".jp-DebuggerVariables")
        expect(panel.filter(has_text="account").first).to_be_visible(timeout=PATIENCE)  # a variable of the session
        gutter = self.cell(n).locator(".cm-breakpoint-gutter .cm-gutterElement")
        gutter.nth(10).click(force=True)  # the elements count from a spacer: line 10
        expect(self.page.locator(".jp-DebuggerBreakpoint").first).to_be_visible(timeout=PATIENCE)
        call = self.run_new("total(account, 10)")
        stack = self.page.locator(".jp-DebuggerCallstackFrame")
        expect(stack).to_have_count(2, timeout=PATIENCE)
        self.shows(stack, "total")
        self.shows(panel, "sum", "scale")
        panel.get_by_text("*ledger").first.click()  # its fields
        self.shows(panel, "owner", "cents")
        self.picture("8-debugger")
        self.page.locator('[data-command="debugger:next"]').first.click()
        expect(panel.filter(has_text="30").first).to_be_visible(timeout=PATIENCE)
        self.picture("8-debugger-next")
        gutter.nth(10).click(force=True)
        expect(self.page.locator(".jp-DebuggerBreakpoint")).to_have_count(0, timeout=PATIENCE)
        self.page.locator('[data-command="debugger:continue"]').first.click()
        self.shows(self.cell(call).locator(".jp-OutputArea-output"), "70")
        button.click()
        self.picture("8-debugger-end")

    def prompt_done(self, i):
        expect(self.cell(i).locator(".jp-InputPrompt")).to_have_text(re.compile(r"\[\d+\]:"), timeout=PATIENCE)

    def restart(self):
        self.command("notebook:restart-kernel")
        self.page.locator(".jp-Dialog .jp-mod-accept").click(timeout=PATIENCE)
        n = self.run_new("y := 1\ny")
        self.prompt(n, "[1]:")
        n = self.run_new("x")
        self.shows(self.cell(n).locator(".jp-OutputArea-output"), "undefined: x")
        self.picture("8-restart")

    def highlighting(self):
        """Go's keywords are coloured: the notebook's language is known to CodeMirror."""
        code = self.cell(1 + NAMES.index("struct")).locator(".cm-content span", has_text="type").first
        plain = self.cell(1 + NAMES.index("struct")).locator(".cm-content").first
        colour = "e => getComputedStyle(e).color"
        assert code.evaluate(colour) != plain.evaluate(colour), "keywords look like names"

    def themes(self):
        """Charts have the page's background in both themes, whatever the browser's."""
        chart = self.output("rich").last.locator(".gorocm-chart")
        expect(chart).to_be_visible(timeout=PATIENCE)
        fill = """e => getComputedStyle(e.shadowRoot.querySelector('[style*="fill:#FFFFFE"]')).fill"""
        for theme, page in [("JupyterLab Dark", "rgb(17, 17, 17)"), ("JupyterLab Light", "rgb(255, 255, 255)")]:
            self.command("apputils:change-theme", {"theme": theme})
            for _ in range(PATIENCE // 100):
                if chart.evaluate(fill) == page:
                    break
                time.sleep(0.1)
            self.picture("9-" + theme.split()[1].lower())
            assert chart.evaluate(fill) == page, "%s: the chart's background is %s" % (theme, chart.evaluate(fill))

    checks = [run_all, rich_outputs, traceback, variables, highlighting, themes, completion, server, tooltip, interrupt, widget, controls, question, debugger, restart]


def drive(browser, front, app, path, pictures):
    """Runs the checks in one front end. Returns how many failed."""
    server, failed = Server(app), 0
    page = browser.new_page(viewport={"width": 1280, "height": 1000})
    page.set_default_timeout(PATIENCE)
    try:
        page.goto("http://127.0.0.1:%d%s" % (server.port, path))
        tour = Tour(page, front, pictures)
        expect(page.locator(".jp-Notebook-cell").first).to_be_visible(timeout=PATIENCE)
        page.wait_for_function(READY, timeout=PATIENCE)
        for check in Tour.checks:
            if os.environ.get("BROWSER_CHECKS") and check.__name__ not in os.environ["BROWSER_CHECKS"].split(","):
                continue
            try:
                check(tour)
                print("PASS", front, check.__name__, flush=True)
            except (AssertionError, Error) as e:
                failed += 1
                print("FAIL", front, "%s: %s" % (check.__name__, str(e).strip().replace("\n", " ")[:500]), flush=True)
                traceback.print_exc()
                tour.picture("failed-" + check.__name__)
    finally:
        page.close()
        server.close()
    return failed


def main():
    pictures = pathlib.Path(sys.argv[1])
    pictures.mkdir(parents=True, exist_ok=True)
    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    with sync_playwright() as p:
        browser = p.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        failed = drive(browser, "lab", "jupyterlab", "/lab/tree/tour.ipynb", pictures)
        failed += drive(browser, "notebook", "notebook", "/notebooks/tour.ipynb", pictures)
        browser.close()
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
