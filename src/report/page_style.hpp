// How a page looks: on a telephone and a wide screen, light and dark, and on paper.
#pragma once

#include <string>

#include "report/drawing/palette.hpp"

namespace epsfree {

inline constexpr const char* kPageStyle = R"css(
:root { color-scheme: light dark;
  --paper: #ffffff; --ink: #1b1f24; --soft: #57606a; --line: #d0d7de; --shade: #f6f8fa; --link: #0757b8;
  --good: #116329; --good-shade: #e3f6e7; --bad: #a40e26; --bad-shade: #fdeaea; --odd: #7d5700; --odd-shade: #fff5d6; }
@media (prefers-color-scheme: dark) { :root {
  --paper: #14171c; --ink: #e3e7ec; --soft: #a2abb6; --line: #39414b; --shade: #1d2229; --link: #7db4ff;
  --good: #7ddb93; --good-shade: #14301d; --bad: #ff9d9d; --bad-shade: #3a1a1d;
  --odd: #f0c45a; --odd-shade: #332a10; } }
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--paper); color: var(--ink); overflow-wrap: break-word;
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
header, main, footer { max-width: 96rem; margin: 0 auto; padding: 0 clamp(1rem, 4vw, 3rem); }
header { padding-top: 1.5rem; }
h1 { font-size: clamp(1.5rem, 5vw, 2.1rem); line-height: 1.2; margin: 0 0 .8rem; }
h2 { font-size: clamp(1.2rem, 4vw, 1.5rem); line-height: 1.25; margin: 2.5rem 0 .8rem; padding-top: .8rem;
  border-top: 1px solid var(--line); }
p { max-width: 46rem; margin: 0 0 .8rem; }
a { color: var(--link); }
a:focus-visible, .wide:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
.list { display: flex; flex-wrap: wrap; gap: .3rem 1.2rem; list-style: none; padding: 0; margin: 0 0 .8rem; }
.figures { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 26rem), 1fr)); gap: 1.5rem;
  margin: 1.2rem 0; }
figure { margin: 0; max-width: 44rem; min-width: 0; }
figure img { display: block; width: 100%; height: auto; background: #ffffff; border: 1px solid var(--line);
  border-radius: 6px; padding: .4rem; }
figcaption { margin-top: .5rem; color: var(--soft); font-size: .92rem; line-height: 1.45; }
figcaption .files { white-space: nowrap; }
figure.whole { grid-column: 1 / -1; max-width: 56rem; }
.on-narrow { display: none; }
@media screen and (max-width: 32rem) { .on-wide { display: none; } .on-narrow { display: block; } }
figure svg { display: block; width: 100%; height: auto; fill: currentColor; border: 1px solid var(--line);
  border-radius: 6px; padding: .4rem; font-family: inherit; }
figure svg .soft { fill: var(--soft); }
pre { background: var(--shade); border: 1px solid var(--line); border-radius: 6px; padding: .7rem .9rem; overflow-x: auto;
  font: .85rem/1.5 ui-monospace, "DejaVu Sans Mono", Consolas, monospace; max-width: 100%; }
details { margin: 0 0 .8rem; }
summary { cursor: pointer; padding: .3rem 0; color: var(--link); }
.verdict { border: 1px solid var(--line); border-left: 6px solid var(--soft); border-radius: 6px; background: var(--shade);
  padding: .8rem 1.1rem; margin: 0 0 1rem; max-width: 60rem; }
.verdict .heading { font-size: clamp(1.1rem, 4vw, 1.35rem); font-weight: 650; margin: 0; }
.verdict ul { margin: .6rem 0 0; padding-left: 1.2rem; }
.verdict.holds { border-left-color: var(--good); background: var(--good-shade); }
.verdict.warns { border-left-color: var(--odd); background: var(--odd-shade); }
.verdict.fails { border-left-color: var(--bad); background: var(--bad-shade); }
.note, footer { color: var(--soft); font-size: .9rem; }
.wide { overflow-x: auto; margin: 1rem 0; }
table { border-collapse: collapse; font-size: .94rem; font-variant-numeric: tabular-nums; }
caption { text-align: left; font-weight: 600; padding-bottom: .4rem; }
th, td { text-align: left; vertical-align: top; padding: .45rem .7rem; border-bottom: 1px solid var(--line);
  min-width: 4.5rem; max-width: 32rem; }
th { background: var(--shade); }
td:first-child { border-left: 4px solid transparent; }
tr.holds td { background: var(--good-shade); }
tr.holds td:first-child { border-left-color: var(--good); }
tr.fails td { background: var(--bad-shade); }
tr.fails td:first-child { border-left-color: var(--bad); }
tr.warns td { background: var(--odd-shade); }
tr.warns td:first-child { border-left-color: var(--odd); }
tr.open td { background: var(--shade); }
tr.open td:first-child { border-left-color: var(--soft); }
@media screen and (max-width: 44rem) {
  thead { display: none; }
  table, tbody, tr, caption { display: block; }
  tr { margin-bottom: .8rem; border: 1px solid var(--line); border-radius: 6px; overflow: hidden; }
  td { display: grid; grid-template-columns: 6rem 1fr; gap: .6rem; border-bottom: 0; border-left: 4px solid transparent; }
  td:empty { display: none; }
  td::before { content: attr(data-label); color: var(--soft); }
  tr.holds td { border-left-color: var(--good); }
  tr.fails td { border-left-color: var(--bad); }
  tr.warns td { border-left-color: var(--odd); }
  tr.open td { border-left-color: var(--soft); }
}
footer { margin-top: 3rem; padding-top: 1rem; padding-bottom: 2rem; }
@media print {
  :root { color-scheme: light; --paper: #ffffff; --ink: #000000; --soft: #444444; --line: #bbbbbb; --shade: #f4f4f4;
    --link: #000000; --good: #116329; --good-shade: #ffffff; --bad: #a40e26; --bad-shade: #ffffff; --odd: #7d5700; --odd-shade: #ffffff; }
  body { font-size: 10pt; }
  header, main, footer { max-width: none; padding-left: 0; padding-right: 0; }
  nav, .files { display: none; }
  h2, caption { break-after: avoid; }
  figure, tr { break-inside: avoid; }
  .wide { overflow: visible; }
  .figures { grid-template-columns: repeat(auto-fit, minmax(8cm, 1fr)); }
}
)css";

/// The whole style: figures take other colours on a dark page, but not on paper.
inline std::string page_style() {
  return std::string(kPageStyle) + "@media screen and (prefers-color-scheme: dark) { :root { " +
         dark_colours() + " } }\n";
}

}  // namespace epsfree
