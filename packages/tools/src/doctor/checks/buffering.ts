import { toSize, toTime } from '../amounts.ts'
import type { Check, Examination } from '../examination.ts'
import { type Finding, note, ok, problem } from '../finding.ts'
import type { Pace } from '../judge-pace.ts'
import type { Probe } from '../probe.ts'

/** What measures how many bytes are held: 64 KB, in steps that tell 2 from 4. */
const padding = { frames: 32, intervalMs: 100, padBytes: 2_000 }

/** What comes within this time of the first byte came with it. */
const lumpMs = 60

const why =
  'Something on the way collects the answer before it passes it on: people see nothing for a while, then many words at once.'

/** Whether frames come when they are sent. */
export const buffering: Check = {
  title: 'Buffering',
  run: async (examination) => {
    const [first, silent] = await Promise.all([examination.paced(), examination.silent()])
    if (!examination.judge(first).isHeld) return judgeFlow(examination, first, silent)
    const [again, padded] = await Promise.all([
      examination.probe({ frames: examination.frames, intervalMs: examination.intervalMs }),
      examination.probe(padding),
    ])
    return judgeHeld(examination, [first, again], padded)
  },
}

/** Frames of an even pace have come through: but one that nothing follows may still be kept. */
function judgeFlow(examination: Examination, paced: Probe, silent: Probe): Finding {
  const { frames, intervalMs, idleMs } = examination
  if (paced.end !== 'done') {
    const seen = `Of ${frames} frames ${paced.frames.length} came; then the stream was cut, after ${toTime(paced.endedMs)}`
    return problem(
      seen,
      'Streams break in the middle of an answer, though there is no pause in it.',
      'duration',
    )
  }
  const [before, after] = silent.frames
  const heldMs =
    before === undefined || after === undefined ? 0 : idleMs - (after.arrivedMs - before.arrivedMs)
  if (heldMs >= Math.max(examination.holdMs, idleMs / 2)) {
    const seen = `A frame before a pause of ${toTime(idleMs)} came only with the next one, ${toTime(heldMs)} late`
    return problem(seen, why, 'buffering')
  }
  const { worstLagMs } = examination.judge(paced)
  return ok(
    `${frames} frames left ${toTime(intervalMs)} apart and came so, at most ${toTime(worstLagMs)} late`,
  )
}

function judgeHeld(
  examination: Examination,
  [first, again]: readonly [Probe, Probe],
  padded: Probe,
): Finding {
  const pace = examination.judge(again)
  const { worstLagMs } = examination.judge(first)
  if (!pace.isHeld) {
    const seen = `Frames came up to ${toTime(worstLagMs)} late once, and in time when asked again`
    return note(
      seen,
      'The network or a busy machine may have done this; if it returns, it is worth a look.',
    )
  }
  const { frames, intervalMs } = examination
  const sent = `${frames} frames left ${toTime(intervalMs)} apart`
  return problem(`${sent}; ${describe(pace, again, padded)}`, why, 'buffering')
}

function describe({ lumps, worstLagMs }: Pace, probe: Probe, padded: Probe): string {
  const lastMs = probe.frames.at(-1)?.arrivedMs ?? 0
  if (lumps.length > 1) {
    return `they came in ${lumps.length} lumps of up to ${Math.max(...lumps)}, the worst ${toTime(worstLagMs)} late`
  }
  const together = `all came together, ${toTime(lastMs)} after they were asked for`
  const bytes = firstLumpBytes(padded)
  return bytes === undefined
    ? `${together}, when the stream had ended`
    : `${together}; larger ones came when about ${toSize(bytes)} had gathered`
}

/** How many bytes came with the first; undefined if they were all. */
function firstLumpBytes({ chunks }: Probe): number | undefined {
  const startMs = chunks[0]?.atMs ?? 0
  const sum = (some: Probe['chunks']): number => some.reduce((total, { bytes }) => total + bytes, 0)
  const lump = sum(chunks.filter(({ atMs }) => atMs - startMs < lumpMs))
  return lump > sum(chunks) * 0.9 ? undefined : lump
}
