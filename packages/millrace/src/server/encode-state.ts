import type { AgentState } from '../agent/index.ts'
import type { ContentBlock, Message } from '../events/index.ts'

/** Blocks never change, and the same ones come back in every state of a run. */
const texts = new WeakMap<ContentBlock, string>()

/**
 * Writes a state as JSON. A block is encoded the first time it is seen only, so that what a checkpoint costs to
 * encode is what is new in it; the text is still joined, and stored, whole.
 */
export function encodeState({ messages, turn, pause, ...rest }: AgentState): string {
  return encodeObject(rest, {
    messages: `[${messages.map(encodeMessage).join(',')}]`,
    turn: turn && encodeResults(turn),
    pause: pause && encodeResults(pause),
  })
}

function encodeMessage({ content, ...rest }: Message): string {
  return encodeObject(rest, { content: encodeBlocks(content) })
}

function encodeResults({
  results,
  ...rest
}: {
  readonly results: readonly ContentBlock[]
}): string {
  return encodeObject(rest, { results: encodeBlocks(results) })
}

function encodeBlocks(blocks: readonly ContentBlock[]): string {
  return `[${blocks.map(encodeBlock).join(',')}]`
}

function encodeBlock(block: ContentBlock): string {
  const known = texts.get(block)
  if (known !== undefined) return known
  const text = JSON.stringify(block)
  texts.set(block, text)
  return text
}

/** Writes an object some of whose fields are JSON text already. */
export function encodeObject(
  plain: object,
  encoded: Readonly<Record<string, string | undefined>>,
): string {
  const fields = Object.entries(encoded).flatMap(([name, text]) =>
    text === undefined ? [] : [`${JSON.stringify(name)}:${text}`],
  )
  const head = JSON.stringify(plain).slice(1, -1)
  return `{${(head === '' ? fields : [head, ...fields]).join(',')}}`
}
