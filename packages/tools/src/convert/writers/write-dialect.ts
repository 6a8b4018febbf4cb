import { type Envelope, isPauseReason, traitsOf } from 'millrace'
import { type Dialect, type DialectFrame, type DialectWriter, openDialect } from 'millrace/dialects'
import { createCounter } from '../counter.ts'
import type { Framing } from '../framing.ts'
import type { Stage } from '../stage.ts'
import { DONE, type WireItem } from '../wire-item.ts'

/** Receives the type of a frame that the format cannot express. */
export type OnOmit = (name: string) => void

/** Options of {@link writeDialect}. */
export interface WriteDialectOptions {
  /** The display name of the format. */
  readonly label: string
  readonly create: (onOmit: OnOmit) => Dialect
  readonly framing: Framing
  /** Whether the format has an end of a run, which some inputs lack. */
  readonly hasEnd?: boolean
}

/** Writes a run in a dialect; the agent of the first frame is the root. */
export function writeDialect({
  label,
  create,
  framing,
  hasEnd = true,
}: WriteDialectOptions): Stage<WireItem, string> {
  const omitted = createCounter()
  const dialect = create((name) => omitted.add(name))
  let writer: DialectWriter | undefined
  let root = ''
  let last = ''
  let id = 0

  const frame = (frames: readonly DialectFrame[]): string[] => frames.map(framing)

  function write(item: Envelope): string[] {
    if (writer === undefined) root = item.agent
    writer ??= openDialect(dialect, root)
    if (item.agent === root) last = item.type
    id += item.span ?? 1
    return frame(writer.write(item, id))
  }

  function finish(): string[] {
    const isOpen = hasEnd && writer !== undefined && traitsOf(last)?.event !== 'run_end'
    const end = isOpen ? write(toEnd(root, last)) : []
    const rest = frame(writer?.finish('done') ?? [])
    writer = undefined
    return [
      ...end,
      ...rest,
      ...(dialect.done === undefined ? [] : [framing({ data: dialect.done })]),
    ]
  }

  return {
    push(item) {
      return item === DONE ? finish() : write(item)
    },
    end: () => frame(writer?.finish('cut') ?? []),
    notes() {
      const list = omitted.list()
      return list === '' ? [] : [`${label} cannot express: ${list}.`]
    },
  }
}

/** Creates the end of a run that older streams lack. */
function toEnd(agent: string, last: string): Envelope {
  const reason = isPauseReason(last) ? last : last === 'error' ? 'error' : 'end_turn'
  return { type: 'meta_end', agent, final: true, delta: JSON.stringify({ stop_reason: reason }) }
}
