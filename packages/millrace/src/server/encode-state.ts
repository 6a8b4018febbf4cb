import type { AgentState, OpenTurn, ShortContext } from '../agent/index.ts'
import type { ContentBlock, Message, Prompt } from '../events/index.ts'
import { toStoredBlock } from './files/stored-blocks.ts'

/** Neither blocks nor messages nor lists of them ever change, and the same ones come back in every state of a run. */
const texts = new WeakMap<object, string>()

/**
 * Writes a state as JSON. What was encoded once is not encoded again, so that a checkpoint costs what is new in it;
 * the text as a whole is copied only by a store that reads it, and such a store still writes all of it.
 */
export function encodeState(state: AgentState): string {
  const { messages, turn, context, children, kept, ...rest } = state
  return encodeObject(rest, {
    messages: encodeMessages(messages),
    turn: turn && encodeTurn(turn),
    context: context && encodeContext(context),
    kept: kept && encodeList(kept, (result) => once(result, (value) => JSON.stringify(value))),
    children: children && encodeChildren(children),
  })
}

/** Writes a prompt as JSON, its files as a state has them. */
export function encodePrompt(prompt: Prompt): string {
  return typeof prompt === 'string' ? JSON.stringify(prompt) : encodeList(prompt, encodeBlock)
}

function encodeMessages(messages: readonly Message[]): string {
  return once(messages, (list) => encodeList(list, encodeMessage))
}

function encodeTurn({ results, answers, ...rest }: OpenTurn): string {
  return encodeObject(rest, {
    results: encodeList(results, encodeBlock),
    answers: answers && encodeList(answers, encodeBlock),
  })
}

function encodeContext({ messages, ...rest }: ShortContext): string {
  return encodeObject(rest, { messages: encodeMessages(messages) })
}

/** A sub-agent that has not changed is the same object as before. */
function encodeChildren(children: Readonly<Record<string, AgentState>>): string {
  const encoded = Object.entries(children).map(([id, child]): [string, string] => [
    id,
    once(child, encodeState),
  ])
  return encodeObject({}, Object.fromEntries(encoded))
}

function encodeMessage(message: Message): string {
  return once(message, ({ content, ...rest }) =>
    encodeObject(rest, { content: encodeList(content, encodeBlock) }),
  )
}

function encodeBlock(block: ContentBlock): string {
  return once(block, (value) => JSON.stringify(toStoredBlock(value)))
}

function once<T extends object>(value: T, encode: (value: T) => string): string {
  const known = texts.get(value)
  if (known !== undefined) return known
  const text = encode(value)
  texts.set(value, text)
  return text
}

/** Joined by `+`, which V8 keeps as a rope: `join` would copy every text each time. */
function encodeList<T>(items: readonly T[], encode: (item: T) => string): string {
  let text = ''
  for (const item of items) text += (text === '' ? '[' : ',') + encode(item)
  return text === '' ? '[]' : `${text}]`
}

/** Writes an object some of whose fields are JSON text already. */
export function encodeObject(
  plain: object,
  encoded: Readonly<Record<string, string | undefined>>,
): string {
  let text = JSON.stringify(plain).slice(0, -1)
  for (const [name, value] of Object.entries(encoded)) {
    if (value !== undefined) text += `${text === '{' ? '' : ','}${JSON.stringify(name)}:${value}`
  }
  return `${text}}`
}
