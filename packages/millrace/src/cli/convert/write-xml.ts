import { createLegacyXmlEncoder } from '../../legacy-xml/index.ts'
import { DONE_DATA } from '../../sse/index.ts'
import { createCounter } from './counter.ts'
import { sseFraming } from './framing.ts'
import type { Stage } from './stage.ts'
import { DONE, type WireItem } from './wire-item.ts'

/** Writes legacy XML as server-sent events; `isRun` tells whether all that is left out was in the input. */
export function writeXml(isRun: boolean): Stage<WireItem, string> {
  const omitted = createCounter()
  const encoder = createLegacyXmlEncoder({ onOmit: ({ type }) => isRun && omitted.add(type) })
  const frames = (messages: readonly string[]): string[] =>
    messages.map((data) => sseFraming({ data }))
  return {
    push: (item) =>
      item === DONE ? frames([...encoder.finish(), DONE_DATA]) : frames(encoder.encode(item)),
    end: () => frames(encoder.finish()),
    notes() {
      const list = omitted.list()
      return list === '' ? [] : [`xml cannot say: ${list}.`]
    },
  }
}
