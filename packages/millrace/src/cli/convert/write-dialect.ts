import type { Dialect, DialectFrame, DialectWriter } from '../../dialects/index.ts'
import { createCounter } from './counter.ts'
import type { Framing } from './framing.ts'
import type { Stage } from './stage.ts'
import { DONE, type WireItem } from './wire-item.ts'

/** Told of a message that a format cannot say, by its type. */
export type OnOmit = (name: string) => void

/** How a run is written in another format. */
export interface WriteDialectOptions {
  /** What people call the format. */
  readonly label: string
  readonly create: (onOmit: OnOmit) => Dialect
  readonly framing: Framing
}

/** Writes a run in a dialect; the first that speaks is the root. */
export function writeDialect({
  label,
  create,
  framing,
}: WriteDialectOptions): Stage<WireItem, string> {
  const omitted = createCounter()
  const dialect = create((name) => omitted.add(name))
  let writer: DialectWriter | undefined
  let id = 0

  const frame = (frames: readonly DialectFrame[]): string[] => frames.map(framing)

  function finish(): string[] {
    const last = frame(writer?.finish('done') ?? [])
    writer = undefined
    return dialect.done === undefined ? last : [...last, framing({ data: dialect.done })]
  }

  return {
    push(item) {
      if (item === DONE) return finish()
      writer ??= dialect.open(item.agent)
      id += item.span ?? 1
      return frame(writer.write(item, id))
    },
    end: () => frame(writer?.finish('cut') ?? []),
    notes() {
      const list = omitted.list()
      return list === '' ? [] : [`${label} cannot say: ${list}.`]
    },
  }
}
