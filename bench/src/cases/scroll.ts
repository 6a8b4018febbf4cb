import type { Bench, CaseReport } from '../bench-case.ts'
import { chromiumPath, howToInstall } from '../page/chromium.ts'
import { createConversation } from '../page/conversation.ts'
import { measureScroll, type MoveFigures, type ScrollFigures } from '../page/measure-scroll.ts'
import { scrollMoves } from '../page/scroll-moves.ts'
import { openScrollStage, type ScrollStage, type Shower } from '../page/scroll-stage.ts'
import { formatTable } from '../table.ts'

const SHORT = 5_000
const LONG = 50_000
/** Maximum ratio of main-thread time of a move through the long conversation to that through the short one. */
const ALLOWED_GROWTH = 1.3
/** Maximum share of dropped frames while a wheel turns, beyond those that the machine drops of a page at rest. */
const ALLOWED_DROPPED = 0.05
/** Maximum share of blank frames of any move. */
const ALLOWED_BLANK = 0.02
const ALLOWED_ELEMENTS = 3_000
/** Bounds of the distance of rows in relation to the wheel. Jumps while the machine is busy are not seen. */
const ALLOWED_WAY = { least: 0.25, most: 1.05 }

const REST = scrollMoves[0]?.name

type OnProgress = (message: string) => void

/** One conversation and the page that showed it. */
interface Round {
  readonly name: string
  readonly figures: ScrollFigures
}

async function measureRound(
  stage: ScrollStage,
  shower: Shower,
  blockCount: number,
  onProgress: OnProgress,
): Promise<Round> {
  const who = shower === 'studio' ? '' : ', all drawn by a plain page'
  const name = `${blockCount.toLocaleString('en')} blocks${who}`
  onProgress(`scroll: ${name}`)
  // For a plain page, jumps show no more than the wheel.
  const moves = shower === 'studio' ? scrollMoves : scrollMoves.slice(0, 2)
  const conversation = createConversation(blockCount)
  return { name, figures: await measureScroll(stage, shower, conversation, moves) }
}

interface PairReport {
  readonly rounds: readonly [Round, Round]
  readonly faults: readonly string[]
}

async function measurePair(stage: ScrollStage, onProgress: OnProgress): Promise<PairReport> {
  const short = await measureRound(stage, 'studio', SHORT, onProgress)
  const long = await measureRound(stage, 'studio', LONG, onProgress)
  const growth = long.figures.moves.flatMap((move, index) =>
    findGrowth(move, short.figures.moves[index]),
  )
  const own = [short, long].flatMap(({ name, figures: { moves } }) => {
    const atRest = moves[0]?.droppedFrames ?? 0
    return moves.flatMap((move) => findFaults(move, atRest)).map((fault) => `${name}: ${fault}`)
  })
  return { rounds: [short, long], faults: [...growth, ...own] }
}

function findGrowth(long: MoveFigures, short: MoveFigures | undefined): string[] {
  const { name } = long.move
  const growth = long.taskMs / (short?.taskMs ?? NaN)
  if (name === REST || growth <= ALLOWED_GROWTH) return []
  return [`${name}: ${LONG} blocks take ${growth.toFixed(2)} times as much as ${SHORT}`]
}

function findFaults(figures: MoveFigures, droppedAtRest: number): string[] {
  const { move, droppedFrames, blankAnywhere, mostElements, travelledPx } = figures
  const isWheel = move.distancePx !== undefined
  const dropped = isWheel ? droppedFrames - droppedAtRest : 0
  const way = travelledPx / (move.distancePx ?? travelledPx)
  const isAstray = way < ALLOWED_WAY.least || way > ALLOWED_WAY.most
  const tests: readonly (readonly [boolean, string])[] = [
    [dropped > ALLOWED_DROPPED, `drops ${formatPart(dropped)} of frames more than at rest`],
    [blankAnywhere > ALLOWED_BLANK, `is blank in ${formatPart(blankAnywhere)} of frames`],
    [isWheel && isAstray, `moves rows ${way.toFixed(2)} times as far as the wheel`],
    [mostElements > ALLOWED_ELEMENTS, `has ${mostElements} elements`],
  ]
  return tests.flatMap(([isFault, fault]) => (isFault ? [`${move.name}: ${fault}`] : []))
}

function formatMoves(rounds: readonly Round[]): string {
  const header = [
    'main-thread time for each second',
    'ms/s',
    'script',
    'layout',
    'frames dropped',
    'longest task',
    'blank middle',
    'blank anywhere',
    'blank at most',
    'elements',
    `against ${SHORT.toLocaleString('en')}`,
  ]
  const lines = scrollMoves.flatMap(({ name }, index) => {
    const base = rounds[0]?.figures.moves[index]
    return rounds.flatMap((round) => {
      const figures = round.figures.moves[index]
      return figures === undefined ? [] : [toRow(`${name}, ${round.name}`, figures, base)]
    })
  })
  return formatTable([header, ...lines])
}

function toRow(name: string, figures: MoveFigures, base: MoveFigures | undefined): string[] {
  const { move, taskMs, scriptMs, layoutMs, longestTaskMs } = figures
  const perSecond = (ms: number): string => (ms / move.seconds).toFixed(0)
  return [
    name,
    perSecond(taskMs),
    perSecond(scriptMs),
    perSecond(layoutMs),
    formatPart(figures.droppedFrames),
    longestTaskMs > 0 ? `${longestTaskMs.toFixed(0)} ms` : '< 50 ms',
    formatPart(figures.blankMiddle),
    formatPart(figures.blankAnywhere),
    `${figures.longestBlankMs.toFixed(0)} ms`,
    String(figures.mostElements),
    base === undefined ? '' : `${(taskMs / base.taskMs).toFixed(2)}×`,
  ]
}

function formatOpening(rounds: readonly Round[]): string {
  const lines = rounds.map(({ name, figures: { openMs, heapBytes } }) => [
    name,
    `${(openMs / 1000).toFixed(1)} s`,
    `${(heapBytes / 1e6).toFixed(0)} MB`,
  ])
  return formatTable([['time until it is shown, and heap', 'open', 'heap'], ...lines])
}

function formatPart(part: number): string {
  return `${(part * 100).toFixed(1)} %`
}

async function reportScroll(stage: ScrollStage, onProgress: OnProgress): Promise<CaseReport> {
  let pair = await measurePair(stage, onProgress)
  // A busy machine can spoil a round, but not make two of them worse than they are.
  if (pair.faults.length > 0) pair = await measurePair(stage, onProgress)
  const whole = await measureRound(stage, 'whole', SHORT, onProgress)
  const rounds = [...pair.rounds, whole]
  const title = 'scroll: going through a long conversation in Chromium'
  return {
    text: [title, formatMoves(rounds), formatOpening(rounds)].join('\n\n'),
    faults: pair.faults,
  }
}

/** Measures scrolling through a long conversation in Studio, whose cost must not depend on its length. */
export const scrollBench: Bench = {
  name: 'scroll',
  run: async (onProgress) => {
    if (chromiumPath === undefined) return { text: `scroll: LEFT OUT, ${howToInstall}`, faults: [] }
    onProgress('scroll: bundling')
    const stage = await openScrollStage()
    try {
      return await reportScroll(stage, onProgress)
    } finally {
      await stage.close()
    }
  },
}
