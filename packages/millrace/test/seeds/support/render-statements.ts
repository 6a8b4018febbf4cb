import type { Seed, SeedCase } from './seed-case.ts'

/** A case, and whether its check has passed. */
export interface CheckedCase extends SeedCase {
  readonly passes: boolean
}

const titles: Readonly<Record<Seed, string>> = {
  '000': 'Seed 000: the XML stream',
  '001': 'Seed 001: the JSON envelope',
  '003': 'Seed 003: the stream of the Messages API',
  '004': 'Seed 004: the streaming parser',
}
const seeds = Object.keys(titles) as Seed[]

/** The text around the generated part of the page. */
export const START =
  '<!-- Generated from packages/millrace/test/seeds by `npm test -- --update`. -->'
export const END = '<!-- End of the generated part. -->'

/** Renders the statements of all seeds as tables; a statement whose check fails is never marked "works". */
export function renderStatements(cases: readonly CheckedCase[]): string {
  const bySeed = seeds.map((seed) => cases.filter((one) => one.seed === seed))
  const summary = toTable(
    ['seed', 'statements', 'work', 'differ on purpose'],
    bySeed.map((all, index) => [
      titles[seeds[index] ?? '000'],
      String(all.length),
      String(all.filter(({ verdict, passes }) => passes && verdict === 'works').length),
      String(all.filter(({ verdict, passes }) => passes && verdict === 'differs').length),
    ]),
  )
  return [START, summary, ...bySeed.flatMap(renderSeed), END].join('\n\n')
}

function renderSeed(cases: readonly CheckedCase[]): string[] {
  const [first] = cases
  if (first === undefined) return []
  const sections = [...new Set(cases.map(({ section }) => section))]
  return [
    `### ${titles[first.seed]}`,
    ...sections.flatMap((section) => [
      `#### ${section}`,
      toTable(
        ['#', 'statement', 'here'],
        cases
          .filter((one) => one.section === section)
          .map((one) => [one.id, one.statement, toVerdict(one)]),
      ),
    ]),
  ]
}

function toVerdict({ passes, verdict, reason }: CheckedCase): string {
  if (!passes) return '**fails**'
  return verdict === 'works' ? 'works' : `differs: ${reason ?? ''}`
}

/** A table in the layout of the formatter: cells padded to the widest of their column. */
function toTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = [head, ...rows].map((row) => row.map((cell) => cell.replaceAll('|', '\\|')))
  const widths = head.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)))
  const toLine = (row: readonly string[]): string =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`
  const [first = [], ...others] = cells
  return [toLine(first), rule, ...others.map(toLine)].join('\n')
}
