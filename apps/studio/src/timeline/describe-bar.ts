import { agentLabel, toSize } from '../wire/format.ts'
import { toCount, toStretch } from './format-figures.ts'
import { barKinds } from './timeline.ts'
import type { Bar, Lane, Run } from './timeline.ts'

/** What to call an agent. */
export function nameOfLane({ name, agent }: Lane, position: number): string {
  return name || agentLabel(agent, position)
}

/** A bar in words: what it is, when, how long and how much. */
export function describeBar(bar: Bar, lane: Lane, run: Run, now: number): readonly string[] {
  const { clock } = run
  const end = bar.end ?? now
  const lasted = end - bar.start
  const rate = clock === 'time' && bar.chars > 0 && lasted >= 20 ? (bar.chars * 1_000) / lasted : 0
  return [
    [barKinds[bar.kind], bar.label].filter(Boolean).join(': '),
    nameOfLane(lane, run.lanes.indexOf(lane)),
    clock === 'time'
      ? `from ${toStretch(bar.start, clock)}, for ${toStretch(lasted, clock)}${bar.end === undefined ? ' so far' : ''}`
      : `from message ${toCount(bar.start + 1)}, ${toStretch(lasted, clock)}`,
    `${toCount(bar.frames)} ${bar.frames === 1 ? 'frame' : 'frames'}`,
    toSize(bar.bytes),
    ...(bar.chars > 0 ? [`${toCount(bar.chars)} characters`] : []),
    ...(rate > 0 ? [`${toCount(rate)} chars/s`] : []),
    ...(bar.isError ? ['failed'] : []),
    ...(bar.isVoid ? ['taken back and said anew'] : []),
  ]
}
