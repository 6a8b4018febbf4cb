import { toCount, toSize } from '../../text/index.ts'
import { barKinds, toStretch } from '../model/index.ts'
import type { Bar, Run } from '../model/index.ts'

/** Describes a bar: kind, agent, time, duration and size. */
export function describeBar(
  bar: Bar,
  agent: string,
  { clock }: Pick<Run, 'clock'>,
  now: number,
): readonly string[] {
  const end = bar.end ?? now
  const lasted = end - bar.start
  const rate = clock === 'time' && bar.chars > 0 && lasted >= 20 ? (bar.chars * 1_000) / lasted : 0
  return [
    [barKinds[bar.kind], bar.label].filter(Boolean).join(': '),
    agent,
    clock === 'time'
      ? `from ${toStretch(bar.start, clock)}, for ${toStretch(lasted, clock)}${bar.end === undefined ? ' so far' : ''}`
      : `from message ${toCount(bar.start + 1)}, ${toStretch(lasted, clock)}`,
    `${toCount(bar.frames)} ${bar.frames === 1 ? 'frame' : 'frames'}`,
    toSize(bar.bytes),
    ...(bar.chars > 0 ? [`${toCount(bar.chars)} characters`] : []),
    ...(rate > 0 ? [`${toCount(rate)} chars/s`] : []),
    ...(bar.isError ? ['failed'] : []),
    ...(bar.isVoid ? ['rolled back'] : []),
  ]
}
