import { type Finding, note, ok, problem, toSize, toTime } from '../finding.ts'
import type { Check, Examination } from '../examination.ts'
import type { Pace } from '../judge-pace.ts'
import type { Probe } from '../probe.ts'

/** Frames that measure how many bytes are held: 64 KB in steps of 2 KB. */
const padding = { frames: 32, intervalMs: 100, padBytes: 2_000 }

/** Data within this time after the first byte arrived with it. */
const lumpMs = 60
const why = 'A proxy buffers the response: users see nothing for a while, then much text at once.'

/** Checks whether frames arrive when they are sent. */
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

/** Judges frames that arrived at an even pace. The last frame before a pause may still be held. */
function judgeFlow(examination: Examination, paced: Probe, silent: Probe): Finding {
  const { frames, intervalMs, idleMs } = examination
  if (paced.end !== 'done') {
    const seen = `${paced.frames.length} of ${frames} frames arrived; the stream was cut after ${toTime(paced.endedMs)}`
    return problem(
      seen,
      'Streams are cut in the middle of a response, even without a pause.',
      'duration',
    )
  }
  const [before, after] = silent.frames
  const heldMs =
    before === undefined || after === undefined ? 0 : idleMs - (after.arrivedMs - before.arrivedMs)
  if (heldMs >= Math.max(examination.holdMs, idleMs / 2)) {
    const seen = `A frame before a pause of ${toTime(idleMs)} arrived only with the next one, ${toTime(heldMs)} late`
    return problem(seen, why, 'buffering')
  }
  const { worstLagMs } = examination.judge(paced)
  return ok(
    `${frames} frames were sent ${toTime(intervalMs)} apart and arrived so, at most ${toTime(worstLagMs)} late`,
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
    const seen = `Frames arrived up to ${toTime(worstLagMs)} late once, and in time on a second request`
    return note(
      seen,
      'The network or a busy machine may be the cause; investigate if it happens again.',
    )
  }
  const { frames, intervalMs } = examination
  const sent = `${frames} frames were sent ${toTime(intervalMs)} apart`
  return problem(`${sent}; ${describe(pace, again, padded)}`, why, 'buffering')
}

function describe({ lumps, worstLagMs }: Pace, probe: Probe, padded: Probe): string {
  const lastMs = probe.frames.at(-1)?.arrivedMs ?? 0
  if (lumps.length > 1) {
    return `they arrived in ${lumps.length} groups of up to ${Math.max(...lumps)}, at most ${toTime(worstLagMs)} late`
  }
  const together = `all arrived together, ${toTime(lastMs)} after the request`
  const bytes = firstLumpBytes(padded)
  return bytes === undefined
    ? `${together}, when the stream ended`
    : `${together}; larger ones arrived once about ${toSize(bytes)} were buffered`
}

/** Returns the number of bytes that arrived with the first; undefined if all did. */
function firstLumpBytes({ chunks }: Probe): number | undefined {
  const startMs = chunks[0]?.atMs ?? 0
  const sum = (some: Probe['chunks']): number => some.reduce((total, { bytes }) => total + bytes, 0)
  const lump = sum(chunks.filter(({ atMs }) => atMs - startMs < lumpMs))
  return lump > sum(chunks) * 0.9 ? undefined : lump
}
