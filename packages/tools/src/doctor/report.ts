import { toPlainLine } from 'millrace'
import { type CheckedFinding, type Severity, toTime } from './finding.ts'
import { titleOf } from './checks.ts'
import type { Report } from './examine.ts'
import { type Fix, fixesFor, type FixName, type FixPlace } from './fixes.ts'
import { proxies } from './proxies.ts'

const codes = { red: 31, green: 32, yellow: 33, bold: 1, dim: 2 } as const

/** Colours for a terminal. */
type Paint = Readonly<Record<keyof typeof codes, (text: string) => string>>

/** Creates colours; without them texts stay as they are. */
export function createPaint(isColored: boolean): Paint {
  const toPainter =
    (code: number) =>
    (text: string): string =>
      isColored ? `\u001b[${code}m${text}\u001b[0m` : text
  return {
    red: toPainter(codes.red),
    green: toPainter(codes.green),
    yellow: toPainter(codes.yellow),
    bold: toPainter(codes.bold),
    dim: toPainter(codes.dim),
  }
}

interface ReportTextOptions {
  readonly paint: Paint
  readonly origin: string | undefined
  readonly width?: number
}

const marks = {
  ok: ['✓', 'green'],
  note: ['!', 'yellow'],
  problem: ['✗', 'red'],
} as const satisfies Record<Severity, readonly [string, keyof Paint]>

const titleWidth = 12

/** Maximum length of an observation, which may contain foreign text. */
const maxSeen = 400

/** Formats a report for people: the findings, then the fixes. */
export function toReportText(report: Report, options: ReportTextOptions): string {
  const { paint } = options
  const { findings } = report
  const rows = findings.map((finding) => toRow(finding, options))
  const todo = findings.filter(({ why }) => why !== undefined)
  // Problems first; a fix for several findings is shown once.
  const sorted = [...todo].sort(
    (a, b) => Number(a.severity === 'note') - Number(b.severity === 'note'),
  )
  const shown = new Set<FixName>()
  const details = sorted.map((finding) => toDetails(finding, report, options, shown))
  return [
    '',
    `  ${paint.bold(toPlainLine(report.url))}${paint.dim(describeServer(report))}`,
    '',
    ...rows,
    ...details.flatMap((lines) => ['', ...lines]),
    '',
    ...toSummary(report, options).flatMap((line) => wrap(line, options.width ?? 100, '  ')),
    '',
  ].join('\n')
}

function describeServer({ version, proxies: found }: Report): string {
  const names = found.map((name) => proxies[name].name)
  return [
    ...(version === undefined ? [] : [`  Millrace ${toPlainLine(version, 40)}`]),
    ...(names.length === 0 ? [] : [`  behind ${names.join(' and ')}`]),
  ].join('')
}

function toRow(
  { check, severity, seen }: CheckedFinding,
  { paint, width = 100 }: ReportTextOptions,
): string {
  const [mark, color] = marks[severity]
  const indent = ' '.repeat(titleWidth + 6)
  const [first = '', ...rest] = wrap(toPlainLine(seen, maxSeen), width - indent.length, '')
  const title = titleOf(check).padEnd(titleWidth)
  return [
    `  ${paint[color](mark)} ${severity === 'ok' ? title : paint.bold(title)}  ${first}`,
    ...rest.map((line) => `${indent}${line}`),
  ].join('\n')
}

function toDetails(
  { check, severity, why = '', fix }: CheckedFinding,
  report: Report,
  { paint, origin, width = 100 }: ReportTextOptions,
  shown: Set<FixName>,
): string[] {
  const [mark, color] = marks[severity]
  const head = `  ${paint[color](mark)} ${paint.bold(titleOf(check))}`
  const lines = [head, ...wrap(toPlainLine(why, maxSeen), width - 4, '    ')]
  if (fix === undefined) return lines
  if (shown.has(fix)) return [...lines, '    The fix is the same as above.']
  shown.add(fix)
  const host = new URL(report.url).hostname
  const places = choosePlaces(
    fixesFor(fix, { host, ...(origin !== undefined && { origin }) }),
    report,
  )
  return [...lines, ...places.flatMap(([place, one]) => ['', ...toFix(place, one, paint, width)])]
}

/** Selects the fixes of recognised proxies; all fixes if there are none. */
function choosePlaces(
  all: Readonly<Partial<Record<FixPlace, Fix>>>,
  { proxies: found }: Report,
): readonly (readonly [FixPlace, Fix])[] {
  const rows = Object.entries(all) as [FixPlace, Fix][]
  const known: readonly string[] = ['millrace', ...found]
  const fitting = rows.filter(([place]) => known.includes(place))
  return found.length > 0 && fitting.length > 0 ? fitting : rows
}

function toFix(place: FixPlace, { say, code }: Fix, paint: Paint, width: number): string[] {
  const name = place === 'millrace' ? 'Millrace' : proxies[place].name
  const indent = ' '.repeat(titleWidth + 6)
  const [first = '', ...rest] = wrap(say, width - indent.length, '')
  return [
    `    ${paint.bold(name.padEnd(titleWidth))}  ${first}`,
    ...rest.map((line) => `${indent}${line}`),
    ...(code === undefined ? [] : code.split('\n').map((line) => `${indent}  ${paint.dim(line)}`)),
  ]
}

function toSummary({ findings, idleMs }: Report, { origin }: ReportTextOptions): string[] {
  const count = (severity: Severity): number =>
    findings.filter((finding) => finding.severity === severity).length
  const [problems, notes] = [count('problem'), count('note')]
  const verdict =
    problems === 0
      ? `No problems${notes === 0 ? '' : `, ${plural(notes, 'note')}`}: streams arrive as they are sent.`
      : `${plural(problems, 'problem')}${notes === 0 ? '' : `, ${plural(notes, 'note')}`}.`
  const untested = [
    ...(idleMs === undefined || idleMs >= 100_000
      ? []
      : [`silences over ${toTime(idleMs)}; proxies cut them after 30, 60 or 100 s (--idle 120)`]),
    ...(origin !== undefined || idleMs === undefined
      ? []
      : ['pages of other sites (--origin https://app.example)']),
  ]
  return [verdict, ...(untested.length === 0 ? [] : [`Not tested: ${untested.join('; ')}.`])]
}

function plural(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`
}

function wrap(text: string, width: number, indent: string): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + word.length + 1 > width) {
      lines.push(indent + line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, indent + line]
}

/** Encodes a report as JSON, with all fixes of each finding. */
export function toReportJson(report: Report, origin: string | undefined): string {
  const { url, version, proxies: found, findings, idleMs } = report
  const host = new URL(url).hostname
  const value = {
    url,
    version: version ?? null,
    proxies: found,
    ok: !hasProblems(report),
    idle_tested_ms: idleMs ?? null,
    findings: findings.map(({ check, severity, seen, why, fix }) => ({
      check,
      title: titleOf(check),
      severity,
      seen,
      ...(why !== undefined && { why }),
      ...(fix !== undefined && {
        fixes: fixesFor(fix, { host, ...(origin !== undefined && { origin }) }),
      }),
    })),
  }
  return JSON.stringify(value, null, 2)
}

/** Whether a finding must be fixed. */
export function hasProblems({ findings }: Report): boolean {
  return findings.some(({ severity }) => severity === 'problem')
}
