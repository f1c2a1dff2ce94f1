#!/usr/bin/env bash
# report.html in a real browser: no errors, every figure drawn, nothing cut off, at the width of a telephone and of a
# large screen; its size and the time it takes.
source "$(dirname "$0")/tools.sh"

command -v chromium > /dev/null || {
  [ "${CI:-}" != true ] || fail "chromium is missing (CI=true)"
  echo "skipped: no chromium"
  exit 77
}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export PATH="$PREFIX/bin:$PATH" HOME="$scratch"
cd "$scratch"

browse() {
  timeout 120 chromium --headless=new --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run \
    --user-data-dir="$scratch/profile" "$@" 2> browser.log
}

# measure PAGE: looks at a copy of it at 360, 400 and 1600 pixels, and prints what each found.
measure() {
  # The copy may run the script that looks at it; the page itself allows none.
  grep -v "Content-Security-Policy" "$1" | sed '/<\/body>/,$d' > copy.html
  { echo "<script>"; cat look.js; echo "</script></body></html>"; } >> copy.html
  cat > frames.html <<'EOF'
<!DOCTYPE html><html><body>
<script>onmessage = e => { const p = document.createElement("pre"); p.textContent = "FOUND " + e.data; document.body.append(p); };</script>
<iframe src="copy.html" style="width:360px;height:800px;border:0"></iframe>
<iframe src="copy.html" style="width:400px;height:800px;border:0"></iframe>
<iframe src="copy.html" style="width:1600px;height:900px;border:0"></iframe>
</body></html>
EOF
  browse --virtual-time-budget=10000 --dump-dom "file://$PWD/frames.html" > dom.html || fail "the browser failed: $(tail -n 3 browser.log)"
  grep -o '<pre>FOUND [^<]*' dom.html | sed 's/<pre>FOUND //'
}

cat > look.js <<'EOF'
onload = () => {
  const bad = [], width = innerWidth;
  const figures = document.querySelectorAll("figure");
  for (const figure of figures) {
    // Of two pictures the screen's width chooses one.
    const svg = [...figure.querySelectorAll("svg")].find(each => each.getBoundingClientRect().width > 0);
    if (!svg) { bad.push("a figure without a picture"); continue; }
    const name = svg.getAttribute("aria-labelledby");
    const box = svg.getBoundingClientRect();
    if (box.width < 200 || box.height < 100) bad.push(name + " is " + box.width + " x " + box.height);
    // What is wider than the screen must not need scrolling, and its text must be large enough to read.
    if (box.right > width + 1) bad.push(name + " ends at " + box.right);
    const posterior = figure.classList.contains("whole") && document.querySelectorAll(".on-narrow").length > 0;
    for (const text of posterior ? svg.querySelectorAll("text") : []) {
      const size = parseFloat(getComputedStyle(text).fontSize) * box.width / svg.viewBox.baseVal.width;
      if (size < 7.5) { bad.push(name + " has text of " + size.toFixed(1) + " pixels: " + text.textContent); break; }
    }
    if (svg.querySelectorAll("path,rect").length < 3) bad.push(name + " is empty");
    if (!svg.querySelector("title").textContent || !svg.querySelector("desc").textContent) bad.push(name + " has no text");
    const link = figure.querySelector("a[download]");
    if (!link || !link.href.startsWith("data:text/csv")) bad.push(name + " has no data");
    const boxes = [];
    for (const text of svg.querySelectorAll("text")) {
      const at = text.getBoundingClientRect();
      const out = Math.max(box.left - at.left, at.right - box.right, box.top - at.top, at.bottom - box.bottom);
      if (out > 1) bad.push(name + " cuts off " + text.textContent);
      if (text.hasAttribute("transform")) continue;
      for (const [other, words] of boxes) {
        const across = Math.min(at.right, other.right) - Math.max(at.left, other.left);
        const down = Math.min(at.bottom, other.bottom) - Math.max(at.top, other.top);
        if (across > 1 && down > 2) bad.push(name + ": " + words + " lies on " + text.textContent);
      }
      boxes.push([at, text.textContent]);
    }
  }
  if (document.documentElement.scrollWidth > width + 1) bad.push("the page is " + document.documentElement.scrollWidth + " wide");
  if (!document.querySelector(".verdict")) bad.push("no verdict");
  parent.postMessage(width + " pixels, " + figures.length + " figures, " + (bad.length ? bad.join("; ") : "all well"), "*");
};
EOF

# check PAGE LEAST_FIGURES
check() {
  local found
  browse --enable-logging=stderr --virtual-time-budget=5000 --dump-dom "file://$PWD/$1" > /dev/null || fail "the browser failed on $1"
  if grep -q "CONSOLE" browser.log; then fail "$1: the browser complains: $(grep CONSOLE browser.log | head -n 3)"; fi
  found=$(measure "$1")
  echo "$1: $found"
  [ "$(grep -c "all well" <<< "$found")" = 3 ] || fail "$1: $found"
  grep -q "^360 pixels" <<< "$found" && grep -q "^400 pixels" <<< "$found" && grep -q "^1600 pixels" <<< "$found" || fail "$1: not seen at all widths: $found"
  awk -v least="$2" '{ if ($3 + 0 < least) exit 1 }' <<< "$found" || fail "$1 has fewer than $2 figures: $found"
}

epsfree init lotka-volterra > /dev/null 2>&1
epsfree run lotka-volterra.toml --out lv --quiet
before=$(date +%s%N)
epsfree report lv --quiet
echo "the report of Lotka-Volterra: $(stat -c %s lv/report.html) bytes in $((($(date +%s%N) - before) / 1000000)) ms"
[ "$(stat -c %s lv/report.html)" -lt 3000000 ] || fail "the report has more than 3 MB"
[ $((($(date +%s%N) - before) / 1000000)) -lt 5000 ] || fail "the report took more than 5 s"
check lv/report.html 5

# Many parameters and statistics: as quick.
cat > many.py <<'EOF'
import numpy as np
def simulate(theta, rng):
    return np.repeat(np.asarray(theta), 10) + rng.normal(size=120)
EOF
{
  printf '[simulator]\npython = "many:simulate"\nnum_statistics = 120\n[prior]\nkind = "independent"\n'
  for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
    printf '[[prior.parameter]]\nname = "a long name of parameter %s"\nfamily = "uniform"\nlow = 0.0\nhigh = 1.0\n' $i
  done
  echo "[observed]"
  echo "values = [$(yes 0.2 | head -n 120 | paste -sd,)]"
  printf '[method]\nnum_simulations = 400\n'
} > many.toml
epsfree run many.toml --out many --quiet
before=$(date +%s%N)
epsfree report many --quiet
echo "the report of 12 parameters: $((($(date +%s%N) - before) / 1000000)) ms"
[ $((($(date +%s%N) - before) / 1000000)) -lt 10000 ] || fail "the report of 12 parameters took more than 10 s"
check many/report.html 4

# Calibration, a network, one parameter, samples, and many statistics: other figures.
epsfree init mixture > /dev/null 2>&1
epsfree run mixture.toml --out network --quiet --no-report --set 'method.name="mdn-with-proposal"'
epsfree check network --sbc 10 --quiet || [ $? -le 4 ]
check network/report.html 8
epsfree init linear-regression > /dev/null 2>&1
epsfree run linear-regression.toml --out abc --quiet --set 'method.name="smc-abc"'
check abc/report.html 3
