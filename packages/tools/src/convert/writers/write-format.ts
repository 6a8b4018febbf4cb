import { type Envelope, isPauseReason, traitsOf } from 'millrace'
import { type FormatFrame, type FormatWriter, type LogFormat, openFormat } from 'millrace/dialects'
import { DONE, type Framing, type Stage, type WireItem } from '../stage.ts'

/** Receives the type of a frame that the format cannot express. */
export type OnOmit = (name: string) => void

interface WriteFormatOptions {
  /** The display name of the format. */
  readonly label: string
  readonly create: (onOmit: OnOmit) => LogFormat
  readonly framing: Framing
  /** Whether the format has an end of a run, which some inputs lack. */
  readonly hasEnd?: boolean
}

/** Writes a run in a format; the agent of the first frame is the root. */
export function writeFormat({
  label,
  create,
  framing,
  hasEnd = true,
}: WriteFormatOptions): Stage<WireItem, string> {
  const omitted = createCounter()
  const format = create((name) => omitted.add(name))
  let writer: FormatWriter | undefined
  let root = ''
  let last = ''
  let id = 0

  const frame = (frames: readonly FormatFrame[]): string[] => frames.map(framing)

  function write(item: Envelope): string[] {
    if (writer === undefined) root = item.agent
    writer ??= openFormat(format, root)
    if (item.agent === root) last = item.type
    id += item.span ?? 1
    return frame(writer.write(item, id))
  }

  function finish(): string[] {
    const isOpen = hasEnd && writer !== undefined && traitsOf(last)?.event !== 'run_end'
    const end = isOpen ? write(toEnd(root, last)) : []
    const rest = frame(writer?.finish('done') ?? [])
    writer = undefined
    return [...end, ...rest, ...(format.done === undefined ? [] : [framing({ data: format.done })])]
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

function createCounter() {
  const counts = new Map<string, number>()
  return {
    add: (name: string) => void counts.set(name, (counts.get(name) ?? 0) + 1),
    /** Lists all counts: `2 meta_step, 1 meta_end`. */
    list: (): string => [...counts].map(([name, count]) => `${count} ${name}`).join(', '),
  }
}
