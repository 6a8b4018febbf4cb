import { ALLOWED_BYTES, memoryOf, withoutWarmUp } from '../judge.ts'
import type { TakenSample } from '../sample.ts'
import { toMegabytes } from './outcome.ts'

const WIDTH = 560
const HEIGHT = 260
const left = 62
const right = WIDTH - 14
const top = 14
const bottom = HEIGHT - 44
const TICKS = 5
const MEGABYTE = 1_048_576

type Point = readonly [number, number]

/** A chart of the memory of a server by the number of runs, with the bound as a line. */
export function toChart(samples: readonly TakenSample[], title: string): string {
  const points = samples.map((sample): Point => [sample.runs, memoryOf(sample)])
  const judged = withoutWarmUp(samples)
  const [first] = judged
  const lastRuns = samples.at(-1)?.runs ?? 0
  if (first === undefined || lastRuns === 0) return ''
  const allowedAt = (runs: number): number => memoryOf(first) + (runs - first.runs) * ALLOWED_BYTES
  const limit: readonly Point[] = [
    [first.runs, allowedAt(first.runs)],
    [lastRuns, allowedAt(lastRuns)],
  ]
  const all = [...points, ...limit].map(([, bytes]) => bytes)
  const lowest = Math.min(...all)
  const margin = Math.max((Math.max(...all) - lowest) * 0.1, 100_000)
  const [from, to] = [lowest - margin, Math.max(...all) + margin]
  const toX = (runs: number): number => left + (runs / lastRuns) * (right - left)
  const toY = (bytes: number): number => bottom - ((bytes - from) / (to - from)) * (bottom - top)
  const toPath = (line: readonly Point[]): string =>
    line.map(([runs, bytes]) => `${toX(runs).toFixed(1)},${toY(bytes).toFixed(1)}`).join(' ')
  const dots = points
    .map(([runs, bytes]) => `<circle cx="${toX(runs)}" cy="${toY(bytes)}" r="2.5"/>`)
    .join('')
  return `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${title}">
<rect class="warm-up" x="${left}" y="${top}" width="${toX(first.runs) - left}" height="${bottom - top}"/>
<text class="warm-up-label" x="${left + 6}" y="${bottom - 8}">warm-up</text>
${toAxes(lastRuns, { from, to, toX, toY })}
<polyline class="limit" points="${toPath(limit)}"/>
<polyline class="memory" points="${toPath(points)}"/>
<g class="dots">${dots}</g>
</svg>`
}

interface Scale {
  readonly from: number
  readonly to: number
  readonly toX: (runs: number) => number
  readonly toY: (bytes: number) => number
}

function toAxes(lastRuns: number, { from, to, toX, toY }: Scale): string {
  const rows = toTicks(from, to, MEGABYTE).map((bytes) => {
    const y = toY(bytes).toFixed(1)
    return `<line x1="${left}" x2="${right}" y1="${y}" y2="${y}"/><text x="${left - 8}" y="${y}" text-anchor="end" dominant-baseline="middle">${toMegabytes(bytes)}</text>`
  })
  const columns = toTicks(0, lastRuns, 1).map(
    (runs) =>
      `<text x="${toX(runs).toFixed(1)}" y="${bottom + 16}" text-anchor="middle">${runs.toLocaleString('en')}</text>`,
  )
  const middle = (top + bottom) / 2
  return `<g class="axes">${rows.join('')}${columns.join('')}
<text x="${(left + right) / 2}" y="${HEIGHT - 8}" text-anchor="middle">runs</text>
<text x="14" y="${middle}" text-anchor="middle" transform="rotate(-90 14 ${middle})">MB after gc</text></g>`
}

/** Round values of a unit within a range: 1, 2 or 5 times a power of ten apart. */
function toTicks(from: number, to: number, unit: number): readonly number[] {
  const rough = (to - from) / unit / TICKS
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = ([1, 2, 5].find((factor) => factor * power >= rough) ?? 10) * power * unit
  const first = Math.ceil(from / step)
  const count = Math.floor(to / step) - first + 1
  return Array.from({ length: count }, (_, index) => (first + index) * step)
}
