import type { Envelope } from '../../envelope/index.ts'
import type { Stage } from './stage.ts'
import { DONE, type WireItem } from './wire-item.ts'

/** After these a `rollback` cannot void what was said before. [LIFE-8] */
const settling: ReadonlySet<string> = new Set(['meta_init', 'meta_step', 'tool_result', 'meta_end'])

/** How a text is written. */
export interface WriteTextOptions {
  /** The stream may take back what it has said, so that the text of a step waits for the step's end. */
  readonly mayRollBack: boolean
}

/** Writes what the root agent said, with a blank line where it did something else in between. */
export function writeText({ mayRollBack }: WriteTextOptions): Stage<WireItem, string> {
  let root: string | undefined
  let held = ''
  /** The last character that was written; none before the first text. */
  let last = ''
  let isApart = false

  function say({ type, delta }: Envelope): void {
    if (type !== 'text') {
      isApart ||= type !== 'citation'
    } else if (delta !== '') {
      held += isApart && last + held !== '' ? `\n\n${delta}` : delta
      isApart = false
    }
  }

  function take(): string[] {
    const text = held
    held = ''
    last = text.at(-1) ?? last
    return text === '' ? [] : [text]
  }

  return {
    push(item) {
      if (item === DONE) return take()
      root ??= item.agent
      if (item.agent !== root) return []
      if (item.type === 'rollback') held = ''
      say(item)
      return !mayRollBack || settling.has(item.type) ? take() : []
    },
    end: () => [...take(), ...(last === '' || last === '\n' ? [] : ['\n'])],
  }
}
