import { readFileSync, writeFileSync } from 'node:fs'
import { expect } from 'vitest'

/** Returns a Markdown table in the form of the formatter. */
function toTable(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]?.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0))) ?? []
  const lines = rows.map(
    (row) => `| ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`,
  )
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`
  return [lines[0], rule, ...lines.slice(1)].join('\n')
}

/** Checks that a guide has a table between two comments; with `--update` it is rewritten. */
export function checkTable(
  guide: string,
  name: string,
  rows: readonly (readonly string[])[],
): void {
  const page = new URL(`../../../../../docs/${guide}`, import.meta.url)
  const [opening, closing] = [`<!-- ${name} -->`, `<!-- /${name} -->`]
  const text = readFileSync(page, 'utf8')
  const [start, end] = [text.indexOf(opening), text.indexOf(closing)]
  expect([start, end]).not.toContain(-1)
  const wanted = `${text.slice(0, start)}${opening}\n\n${toTable(rows)}\n\n${text.slice(end)}`
  if (process.env['UPDATE_GUIDES'] === '1') writeFileSync(page, wanted)
  expect(readFileSync(page, 'utf8')).toBe(wanted)
}
