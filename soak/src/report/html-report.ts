import { toChart } from './chart.ts'
import { describeCounts, type Outcome, toMegabytes } from './outcome.ts'

const style = `
:root { color-scheme: light dark; --ink: #1d2330; --paper: #fbfbf9; --panel: #fff; --line: #d9dce3; --soft: #667085;
  --memory: #1f6feb; --limit: #c2410c; --good: #15803d; --bad: #b91c1c }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e8ee; --paper: #14161b; --panel: #1b1e25; --line: #343944;
  --soft: #98a2b3; --memory: #6cb0ff; --limit: #fb923c; --good: #4ade80; --bad: #f87171 } }
* { box-sizing: border-box }
body { margin: 0; padding: 2rem clamp(1rem, 4vw, 3rem); background: var(--paper); color: var(--ink); font: 15px/1.5 system-ui, sans-serif }
h1 { margin: 0; font-size: 1.5rem } h2 { margin: 0; font-size: 1rem } p { margin: .3rem 0; color: var(--soft) }
.panels { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 30rem), 1fr)); gap: 1rem; margin-top: 1.5rem }
.panel { padding: 1rem; border: 1px solid var(--line); border-radius: 8px; background: var(--panel) }
.panel header { display: flex; justify-content: space-between; gap: 1rem }
.passed { color: var(--good) } .failed, .faults { color: var(--bad) }
svg { display: block; width: 100%; margin-top: .6rem; font: 11px system-ui, sans-serif }
.axes line { stroke: var(--line) } svg text { fill: var(--soft) }
.warm-up { fill: var(--line); opacity: .35 }
.memory { fill: none; stroke: var(--memory); stroke-width: 2 } .dots { fill: var(--memory) }
.limit { fill: none; stroke: var(--limit); stroke-width: 1.5; stroke-dasharray: 6 4 }
.key { display: inline-block; width: 1.6em; border-top: 2px solid var(--memory); vertical-align: middle }
.key.allowed { border-top: 2px dashed var(--limit) }
.figures { font-variant-numeric: tabular-nums }`

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
}
const escape = (text: string): string => text.replace(/[&<>"]/g, (letter) => escapes[letter] ?? '')

/** A page with a chart for each configuration; it loads nothing. */
export function toHtmlReport(outcomes: readonly Outcome[]): string {
  const failed = outcomes.filter(({ faults }) => faults.length > 0).length
  const result = `${outcomes.length - failed} passed, ${failed} failed`
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Soak: ${result}</title><style>${style}</style></head><body>
<h1>Soak: <span class="${failed === 0 ? 'passed' : 'failed'}">${result}</span></h1>
<p>Memory of the server after a forced garbage collection, with no run, reader or idle connection left.
<span class="key"></span> measured <span class="key allowed"></span> growth of 1 KB a run, the most that is allowed after the warm-up</p>
<main class="panels">${outcomes.map(toPanel).join('')}</main></body></html>
`
}

function toPanel({ configuration, node, samples, verdict, faults }: Outcome): string {
  const title = `${configuration}, Node ${node}`
  const isGood = faults.length === 0
  const figures =
    verdict === undefined
      ? ''
      : `<p class="figures">${(verdict.bytesPerRun / 1_024).toFixed(2)} KB a run; ${toMegabytes(verdict.firstBytes)} MB after the warm-up,
${toMegabytes(verdict.lastBytes)} MB in the end; ${describeCounts(verdict.counts)}</p>`
  const list = faults.map((fault) => `<li>${escape(fault)}</li>`).join('')
  return `<section class="panel"><header><h2>${escape(title)}</h2>
<strong class="${isGood ? 'passed' : 'failed'}">${isGood ? 'passed' : 'failed'}</strong></header>
${toChart(samples, escape(title))}${figures}${isGood ? '' : `<ul class="faults">${list}</ul>`}</section>`
}
