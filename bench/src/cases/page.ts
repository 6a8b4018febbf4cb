import type { Bench, CaseReport } from '../bench-case.ts'
import { chromiumPath, howToInstall } from '../page/chromium.ts'
import { createText, createToolInput, type PageContent } from '../page/content.ts'
import { measurePage, PageCrash, type PageFigures } from '../page/measure-page.ts'
import {
  chatPage,
  floor,
  type Look,
  millracePage,
  type PageKind,
  studio,
} from '../page/page-kinds.ts'
import { openStage, type Stage } from '../page/stage.ts'
import { formatTable } from '../table.ts'

/** Maximum ratio of main-thread time of the second half of a stream to the first. Quadratic work triples it. */
const ALLOWED_GROWTH = 2.3
/** Below this share, the page does not show the stream as it arrives, and its figures are invalid. */
const LEAST_RENDERS_PER_SECOND = 5
const TEXT_LENGTH = 200_000
const LONG_TEXT_LENGTH = 1_000_000
const TOOL_INPUT_LENGTH = 262_144
/** The pattern that the documentation of `useChat` recommends. */
const THROTTLE_MS = 50

type OnProgress = (message: string) => void
type Measure = (kind: PageKind) => Promise<PageFigures>

/** A page with our hooks and the same page with the AI SDK's hook, whose cost is the bound for ours. */
interface Match {
  readonly ours: PageKind
  readonly peer: PageKind
}

/** Each of them at full speed, and equally throttled. */
const createMatches = (look: Look): readonly Match[] =>
  [0, THROTTLE_MS].map((throttleMs) => ({
    ours: millracePage(look, throttleMs),
    peer: chatPage(look, throttleMs),
  }))

interface Show {
  readonly title: string
  readonly content: PageContent
  readonly matches: readonly Match[]
}

const createShows = (isLong: boolean): readonly Show[] => [
  {
    title: isLong ? '1 MB of Markdown' : '200 KB of Markdown',
    content: createText(isLong ? LONG_TEXT_LENGTH : TEXT_LENGTH),
    matches: [...createMatches('markdown'), ...createMatches('plain')],
  },
  {
    title: 'a call with 256 KiB of input',
    content: createToolInput(TOOL_INPUT_LENGTH),
    matches: createMatches('plain'),
  },
]

async function reportShow(
  stage: Stage,
  { title, content, matches }: Show,
  onProgress: OnProgress,
): Promise<CaseReport> {
  const measure: Measure = async (kind) => {
    onProgress(`page: ${title}, ${kind.name}`)
    const figures = await measurePage(stage, kind, content)
    const { renders = Infinity, seconds } = figures
    if (renders / seconds >= LEAST_RENDERS_PER_SECOND) return figures
    throw new Error(`${kind.name} rendered ${renders} times in ${seconds.toFixed(0)} s of ${title}`)
  }
  const studioFigures = await measure(studio)
  const rows = [toRow(floor, await measure(floor)), toRow(studio, studioFigures)]
  const faults = findGrowth(studio, studioFigures)
  for (const match of matches) {
    let found = await measureMatch(match, measure)
    // A busy machine can spoil a round, but not make two of them worse than they are.
    if (found.faults.length > 0) found = await measureMatch(match, measure)
    rows.push(...found.rows)
    faults.push(...found.faults)
  }
  const header = [
    `${title}, 200 pieces/s`,
    'ms/s',
    'script',
    'layout',
    'renders/s',
    'frames dropped',
    'longest task',
    'growth',
    'against useChat',
  ]
  const named = faults.map((fault) => `${title}: ${fault}`)
  return { text: formatTable([header, ...rows]), faults: named }
}

interface MatchReport {
  readonly rows: readonly string[][]
  readonly faults: readonly string[]
}

async function measureMatch({ ours, peer }: Match, measure: Measure): Promise<MatchReport> {
  const ourFigures = await measure(ours)
  const peerFigures = await measure(peer).catch(undefinedIfCrashed)
  const peerRow =
    peerFigures === undefined ? [peer.name, 'crashed'] : toRow(peer, peerFigures, peerFigures)
  const isWorse = peerFigures !== undefined && !(perSecond(ourFigures) <= perSecond(peerFigures))
  const worse = `${ours.name} takes more of the main thread than ${peer.name}`
  return {
    rows: [toRow(ours, ourFigures, peerFigures), peerRow],
    faults: [...findGrowth(ours, ourFigures), ...(isWorse ? [worse] : [])],
  }
}

/** If a peer's page crashes, the report shows it; if ours crashes, the case fails. */
function undefinedIfCrashed(error: unknown): undefined {
  if (!(error instanceof PageCrash)) throw error
}

/** Main-thread time for each second of the stream, in milliseconds. */
function perSecond({ taskMs, seconds }: PageFigures): number {
  return taskMs / seconds
}

function toRow({ name }: PageKind, figures: PageFigures, peer?: PageFigures): string[] {
  const { seconds, renders, scriptMs, layoutMs, droppedFrames, longestTaskMs, growth } = figures
  return [
    name,
    perSecond(figures).toFixed(0),
    (scriptMs / seconds).toFixed(0),
    (layoutMs / seconds).toFixed(0),
    renders === undefined ? '' : (renders / seconds).toFixed(0),
    `${(droppedFrames * 100).toFixed(1)} %`,
    longestTaskMs > 0 ? `${longestTaskMs.toFixed(0)} ms` : '< 50 ms',
    growth.toFixed(2),
    peer === undefined ? '' : `${(perSecond(figures) / perSecond(peer)).toFixed(2)}×`,
  ]
}

function findGrowth({ name }: PageKind, { growth }: PageFigures): string[] {
  if (growth <= ALLOWED_GROWTH) return []
  return [`${name}: the second half takes ${growth.toFixed(2)} times the main thread of the first`]
}

/**
 * Measures the cost of streams in a real browser: Studio, and one page with our hooks or with those
 * of the AI SDK.
 */
export const pageBench: Bench = {
  name: 'page',
  run: async (onProgress, { isLong }) => {
    if (chromiumPath === undefined) return { text: `page: LEFT OUT, ${howToInstall}`, faults: [] }
    onProgress('page: bundling')
    const stage = await openStage()
    try {
      const reports: CaseReport[] = []
      for (const show of createShows(isLong))
        reports.push(await reportShow(stage, show, onProgress))
      const title = 'page: main-thread time in Chromium for each second of a stream'
      return {
        text: [title, ...reports.map(({ text }) => text)].join('\n\n'),
        faults: reports.flatMap(({ faults }) => faults),
      }
    } finally {
      await stage.close()
    }
  },
}
